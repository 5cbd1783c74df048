"""One play of a volume whose footprint is published: what start, size of the drive and padding decide."""

from __future__ import annotations

from collections.abc import Iterator

from reclaim.paper.toolkit import LevelRuns

from .cells import BASELINE, BESIDE, COUPLED, OSPADA, OTHERS, PCGC, TP, CoupledCells
from .fullness import WAIT, waits
from .rows import Measured, Row, Rows, fewer_moved, fewer_of_victims, left, padding, wasted_by_units

START = "warmup.kind"
STARTS = {"empty": "empty", "workload": "full, and played until steady"}
SETTING = ("drive, and its scale", "start", "units that wait")


def _rows(runs: LevelRuns) -> Iterator[Row]:
    if not (cells := CoupledCells.of(runs, "one-pass")):
        return
    for drive, start, wait in cells.points.select("drive", START, WAIT).unique(maintain_order=True).rows():
        here = cells.at("drive", drive).at(START, start).at(WAIT, wait)
        if here.has_all(TP, COUPLED, BESIDE, *OTHERS):
            yield (drive, STARTS[start], waits(wait)), list(_measured(here))


ONE_PASS = Rows("one-pass", SETTING, _rows)
"""Of each drive, start and way with units that wait."""


def _measured(here: CoupledCells) -> Iterator[Measured]:
    yield padding(here)
    held = here.mean(here.metric("gc_valid_pages_per_victim", BASELINE))
    yield f"valid pages of a victim, `{BASELINE}`", held, ""
    yield wasted_by_units(here)
    yield from (left(here, scheme) for scheme in (OSPADA, PCGC, COUPLED))
    yield left(here, BESIDE, f"`{COUPLED}` that fills beside the victim alone")
    yield from (fewer_moved(here, base) for base in (BASELINE, PCGC))
    yield from (fewer_of_victims(here, base) for base in (BASELINE, PCGC))
