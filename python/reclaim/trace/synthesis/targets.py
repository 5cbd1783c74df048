"""What a stand-in is to be like: from a trace, or from a table of published figures."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from reclaim.errors import InputError
from reclaim.trace.synthesis.metrics import METRICS, OPS, value_of
from reclaim.trace.trace import Trace
from reclaim.units import written

UNIT = 4096
"""Space is counted in units of so many bytes."""
FEWEST = 100
"""A figure that rests on fewer requests is a matter of chance and is not compared."""
SHORTEST_WINDOWS = 30
"""Fewer windows than this say nothing about bursts."""
WINDOWS = (1, 0)
"""Windows to look at bursts through, by their place in the characteristics: 1 s, else 100 ms."""


@dataclass
class Targets:
    """Figures to meet, and the distributions behind them where a real trace was measured."""

    name: str
    of: str
    source: str
    date: str
    terms: str
    figures: dict[str, float]
    """Path in the characteristics to value; see `metrics.METRICS`."""
    characteristics: dict[str, Any] | None = None
    """All of a measured trace; None for a published table."""
    chosen: list[str] = field(default_factory=list)
    """What is not published and what was taken instead."""
    assumed: dict[str, float] = field(default_factory=dict)
    """Figures that are not published but known from elsewhere; used, and not compared."""
    why: str = ""
    """Where assumed figures come from."""
    window: int | None = None
    """Window of the bursts to meet, by its place in the characteristics."""

    def get(self, path: str, default: float = 0.0) -> float:
        """Look a figure up, or take the default."""
        return self.figures.get(path, default)

    def measured(self, path: str) -> float | None:
        """Look a figure up, even one resting on too few requests to be compared; None if unknown."""
        if path in self.figures or self.characteristics is None:
            return self.figures.get(path)
        return value_of(self.characteristics, path)

    def choose(self, path: str, value: float, why: str) -> float:
        """Look a figure up; where it is neither published nor measured, take `value` and note it."""
        known = self.measured(path)
        if known is not None:
            return known
        label = METRICS[path].label
        if path in self.assumed:
            value, why = self.assumed[path], f"{written(self.assumed[path], METRICS[path].kind)}, {self.why}"
        note = f"{label}: not published; {why}"
        if note not in self.chosen:
            self.chosen.append(note)
        return value


def from_trace(trace: Trace, *, name: str, of: str, terms: str, date: str) -> Targets:
    """Measure a trace.

    Raises:
        InputError: if the trace cannot be read, has too few requests to be measured, or has no writes.
    """
    found = trace.characteristics()
    total = found["requests"]["total"]
    if total < FEWEST:
        raise InputError(
            f"{trace.name}: has {total} requests; a stand-in needs at least {FEWEST}, because figures that "
            "rest on fewer are a matter of chance"
        )
    if found["requests"]["writes"] == 0:
        raise InputError(f"{trace.name}: has no writes; a stand-in is about what is written and overwritten")
    window = next(
        (each for each in WINDOWS if found["arrivals"]["burstiness"][each]["windows"] >= SHORTEST_WINDOWS),
        None,
    )
    figures = {}
    for path in METRICS:
        value = value_of(found, path)
        if value is None or (path.startswith("arrivals.burstiness.") and f".{window}." not in path):
            continue
        op = next((each for each in OPS if f".{each}." in path), None)
        if op is not None and found["requests"][f"{op}s"] == 0:
            continue
        if _requests_behind(found, path, op) < FEWEST:
            continue
        figures[path] = value
    # Addresses are laid out densely: where the trace left gaps is of no consequence to flash.
    figures.pop("space.address_span_bytes", None)
    if found["arrivals"]["span_ns"] == 0:
        del figures["arrivals.requests_per_s"]
    source = f"the trace {trace.name} (BLAKE3 {trace.summary()['content_hash'][:16]})"
    return Targets(name, of, source, date, terms, figures, found, window=window)


def _requests_behind(found: dict[str, Any], path: str, op: str | None) -> int:
    """How many requests a measured figure rests on."""
    counts = found["requests"]
    moving = counts["reads"] + counts["writes"]
    if op is not None and path.startswith("sequentiality."):
        order = found["sequentiality"][op]
        return int(order["next_to_previous" if "next_to" in path else "in_stream"])
    if op is not None:
        return int(counts[f"{op}s"])
    behind = {
        # That there are none rests on all requests.
        "requests.trim_share": counts["trims"] or counts["total"],
        "requests.flush_share": counts["flushes"] or counts["total"],
        "requests.write_ratio": moving,
        "space.footprint_bytes": moving,
        "space.address_span_bytes": moving,
        "space.write_footprint_bytes": counts["writes"],
        "overwrites.overwrite_ratio": counts["writes"],
    }
    groups = {
        "skew": counts["writes"],
        "lifetimes": found["overwrites"]["updating_writes"],
        "requests": counts["total"],
        "arrivals": counts["total"],
    }
    return int(behind[path] if path in behind else groups[path.partition(".")[0]])
