"""Waste, moves and latency over how full the drive is of valid data, with and without padding."""

from __future__ import annotations

from collections.abc import Iterator

from reclaim.paper.toolkit import LevelRuns

from .cells import BASELINE, COUPLED, MOVED, PCGC, TAIL, TP, CoupledCells
from .rows import Measured, Row, Rows, fewer_moved, fewer_of_victims, left, padding, wasted_by_units

SHARE, WAIT = "warmup.valid_share", "flash.flush_after"
NEVER = "1000s"
"""Longer than any trace of the experiment: no unit is padded."""
SETTING = ("workload", "valid data", "units that wait")


def _rows(runs: LevelRuns) -> Iterator[Row]:
    for setting, here in settings(CoupledCells.of(runs, "fullness")):
        if here.has_all(TP, BASELINE, PCGC, COUPLED):
            yield setting, list(_measured(here))


FULLNESS = Rows("fullness", SETTING, _rows)
"""Of each workload, share of valid data and way with units that wait."""


def settings(cells: CoupledCells) -> Iterator[tuple[tuple[str, str, str], CoupledCells]]:
    """Each workload, share of valid data and way with units that wait, and the points of it."""
    both = sorted(cells.points.select(WAIT, SHARE).unique().rows(), key=_order) if cells else []
    for name in cells.workloads:
        for wait, share in both:
            yield (name, share, waits(wait)), cells.at("trace", name).at(WAIT, wait).at(SHARE, share)


def waits(after: str) -> str:
    """What becomes of units that wait, in words."""
    return "never padded" if after == NEVER else f"padded after {after}"


def _order(setting: tuple[str, str]) -> tuple[bool, float]:
    wait, share = setting
    return wait == NEVER, float(share.rstrip(" %"))


def _measured(here: CoupledCells) -> Iterator[Measured]:
    yield padding(here)
    yield wasted_by_units(here)
    yield from (left(here, scheme) for scheme in (PCGC, COUPLED))
    yield from (fewer_moved(here, base) for base in (BASELINE, PCGC))
    yield fewer_of_victims(here, PCGC)
    tail = here.known(here.ratio(TAIL, COUPLED, PCGC), MOVED, PCGC)
    yield f"p99.99 of writes over `{PCGC}`", tail, ""
