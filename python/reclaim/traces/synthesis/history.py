"""A stand-in whose writes and trims are played from a history: zones of space, slots of time, laws of places.

Victim policies see when a page dies and what lies beside it. The history keeps both: zones are stretches of
the space that are written alike over time, a slot says how many requests go to which zone, and the law of a
zone what they replace there (`crates/trace/src/generate/history`). What it leaves to chance is the order
within a slot; how much order there is in it is calibrated until collection costs what it costs under the
source (`search`).
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from reclaim.traces.synthesis.knobs import Knobs, clamped
from reclaim.traces.synthesis.model import Model, model_of
from reclaim.traces.synthesis.targets import Targets
from reclaim.traces.trace import Trace

ZONES = 64
"""At most."""
STEEP = 12
"""Runs are lengthened by the cost of collection to this power."""
LONGEST = 5000.0
"""Mean length of a run at most, requests."""
TURN = 2.0
"""How much more of the runs go to the next zone, for each share by which collection costs too much."""
ORDER = 1.5
"""How many more of the slots are played in order, for the same."""


def told_by(targets: Targets, trace: Trace, slots: int) -> Model | None:
    """Take the history of a trace in so many slots of time; None if nothing is written.

    Raises:
        InputError: if the trace cannot be read.
    """
    text = trace.history(ZONES, slots)
    if text is None:
        return None
    model = model_of(targets)
    told = json.loads(text)
    units = float(sum(zone["units"] for zone in told["zones"]))
    return replace(model, history=told, write_footprint=units, footprint=max(model.footprint, units))


def turned(knobs: Knobs, model: Model, found: dict[str, Any], cost: float | None) -> Knobs:
    """The next setting of the knobs of a history.

    `cost` is what collection costs under the stand-in as a multiple of what it costs under the source.
    """
    figures = model.targets.figures
    new = replace(knobs)
    if cost is not None:
        new.run = clamped(knobs.run * clamped(cost**STEEP, 0.2, 5.0), 1.0, LONGEST)
        new.in_turn = clamped(knobs.in_turn + TURN * (cost - 1), 0.0, 1.0)
        new.in_order = clamped(knobs.in_order + ORDER * (cost - 1), 0.0, 1.0)
    path = "sequentiality.write"
    wanted = figures.get(f"{path}.next_to_previous_share")
    order = found["sequentiality"]["write"]
    if wanted is not None:
        streams = max(order["in_stream_share"], 0.02)
        missing = (wanted - order["next_to_previous_share"]) / streams
        new.adjacent = clamped(knobs.adjacent + missing, 0.0, 1.0)
    hottest = figures.get("skew.hottest_1_percent_share")
    if hottest:
        measured = found["skew"]["hottest_1_percent_share"] or hottest
        new.favour = clamped(knobs.favour + (hottest / measured - 1), -1.0, 1.0)
    return new
