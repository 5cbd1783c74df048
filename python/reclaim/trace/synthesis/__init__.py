"""Synthetic stand-ins: a small description in place of a trace that cannot be had or must not be passed on.

`synthesize` takes figures measured of a trace (or a table of published ones), writes down a generated trace
that is like it, and puts the two side by side. What the stand-in cannot meet within the tolerance is marked,
not hidden.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from reclaim.trace.synthesis.calibrate import MORE_ROUNDS, ROUNDS, Measure, calibrate
from reclaim.trace.synthesis.knobs import Knobs
from reclaim.trace.synthesis.metrics import METRICS, value_of
from reclaim.trace.synthesis.model import Model, describe, model_of
from reclaim.trace.synthesis.targets import Targets, from_trace
from reclaim.trace.trace import Trace, made
from reclaim.trace.trace_hints import is_table
from reclaim.units import MISSING, written

__all__ = [
    "TOLERANCE",
    "StandIn",
    "TargetRow",
    "compare",
    "from_trace",
    "is_table",
    "stated",
    "synthesize",
    "worst",
]

VARIANTS = ((1, False), (2, False), (4, False), (2, True), (4, True), (16, False), (16, True))
"""Arguments of `model_of`; the model that comes nearest is taken."""
TOLERANCE = 0.05
"""Greatest relative deviation from a target that counts as met."""


@dataclass(frozen=True)
class TargetRow:
    """One figure of the stand-in beside its target."""

    path: str
    target: float
    value: float | None
    """None where the stand-in has no such figure."""

    @property
    def label(self) -> str:
        """What the figure is."""
        return METRICS[self.path].label

    @property
    def deviation(self) -> float | None:
        """Relative deviation from the target; where the target is 0, the value itself."""
        if self.value is None:
            return None
        return self.value - self.target if self.target == 0 else self.value / self.target - 1

    @property
    def distance(self) -> float:
        """The deviation without its sign; of no figure, infinite."""
        return math.inf if self.deviation is None else abs(self.deviation)

    @property
    def met(self) -> bool:
        """Whether the deviation is within the tolerance."""
        return self.deviation is not None and abs(self.deviation) <= TOLERANCE

    def texts(self) -> tuple[str, str, str, str, str]:
        """What it is, target, value, deviation and a mark if it is not met, as people read them."""
        kind = METRICS[self.path].kind
        deviation = MISSING if self.deviation is None else f"{100 * self.deviation:+.1f} %"
        if self.deviation is not None and abs(self.deviation) < 0.0005:
            deviation = "0.0 %"
        mark = "" if self.met else "beyond 5 %"
        return self.label, written(self.target, kind), written(self.value, kind), deviation, mark

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values."""
        return {
            "path": self.path,
            "label": self.label,
            "target": self.target,
            "value": self.value,
            "deviation": self.deviation,
            "met": self.met,
        }


@dataclass(frozen=True)
class StandIn:
    """A stand-in and how near it comes to its targets."""

    trace: Trace
    rows: list[TargetRow]
    chosen: list[str]
    """What was not published and what was taken instead."""

    def to_dict(self) -> dict[str, Any]:
        """The comparison as plain values."""
        return {
            "name": self.trace.name,
            "provenance": self.trace.provenance,
            "tolerance": TOLERANCE,
            "rows": [row.to_dict() for row in self.rows],
            "chosen": self.chosen,
        }


def compare(trace: Trace) -> list[TargetRow]:
    """Generate a stand-in and compare it with the figures that its description says it was made to meet.

    Raises:
        InputError: if the trace cannot be generated.
    """
    targets: dict[str, float] = stated(trace).get("targets", {})
    return rows(targets, trace.characteristics()) if targets else []


def stated(trace: Trace) -> dict[str, Any]:
    """Give what a stand-in's description says of it (`of`, `source`, `targets`, …); {} for other traces."""
    import tomllib

    text = trace.description
    return dict(tomllib.loads(text).get("stand_in", {})) if text else {}


def worst(rows: Sequence[TargetRow]) -> TargetRow:
    """The row furthest from its target; one without a figure is further than all."""
    return max(rows, key=lambda row: row.distance)


def rows(targets: dict[str, float], found: dict[str, Any]) -> list[TargetRow]:
    """Targets beside what was measured, in the order of the metrics."""
    return [TargetRow(path, targets[path], value_of(found, path)) for path in METRICS if path in targets]


def synthesize(targets: Targets, *, seed: int = 1) -> StandIn:
    """Make a stand-in that meets the targets as nearly as this model can.

    Args:
        targets: what it is to be like.
        seed: chooses one of the possible stand-ins.

    Raises:
        InputError: if the targets contradict one another so that nothing can be generated.
    """

    def measured(model: Model) -> Measure:
        def measure(knobs: Knobs) -> tuple[Trace, dict[str, Any]]:
            text = json.dumps(describe(model, knobs, seed=seed))
            trace = made("generated", (text, targets.name))
            return trace, trace.characteristics()

        return measure

    def attempt(even: int, circular: bool, rounds: int = ROUNDS) -> tuple[float, Trace, dict[str, Any]]:
        model = model_of(targets, even, circular=circular)
        return calibrate(model, measured(model), rounds)

    variants = VARIANTS if targets.characteristics else VARIANTS[:1]
    attempts = {each: attempt(*each) for each in variants}
    nearest = min(variants, key=lambda each: attempts[each][0])
    _, trace, found = attempts[nearest]
    if not all(row.met for row in rows(targets.figures, found)) and targets.characteristics:
        _, trace, found = attempt(*nearest, MORE_ROUNDS)
    return StandIn(trace, rows(targets.figures, found), list(targets.chosen))
