"""One play of a volume whose footprint is published: what start, size of the drive and padding decide."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from reclaim.papers.custom import Custom, PageTable

from .cells import BASELINE, BESIDE, COUPLED, OSPADA, OTHERS, PCGC, TP, Cells
from .fullness import WAIT, waits
from .rows import (
    Measured,
    Row,
    as_figures,
    as_table,
    fewer_moved,
    fewer_of_victims,
    left,
    padding,
    wasted_by_units,
)

START = "warmup.kind"
STARTS = {"empty": "empty", "workload": "full, and played until steady"}
SETTING = ("drive, and its scale", "start", "units that wait")


def tables(points: pl.DataFrame) -> list[PageTable]:
    """One row for each drive, start and way with units that wait; none if it did not run."""
    return as_table("one-pass", SETTING, list(_rows(points)))


def of_page(points: pl.DataFrame) -> dict[str, Custom]:
    """The same figures by name: drive, start, way with units that wait, what is measured."""
    return as_figures(_rows(points))


def _rows(points: pl.DataFrame) -> Iterator[Row]:
    if points.is_empty():
        return
    all_of = points.select("drive", START, WAIT).unique(maintain_order=True).rows()
    for drive, start, wait in all_of:
        of = (pl.col("drive") == drive) & (pl.col(START) == start) & (pl.col(WAIT) == wait)
        here = Cells(points.filter(of))
        if here.has_all(TP, COUPLED, BESIDE, *OTHERS):
            yield (drive, STARTS[start], waits(wait)), list(_measured(here))


def _measured(here: Cells) -> Iterator[Measured]:
    yield padding(here)
    held = here.mean(lambda name, repeat: here.value("gc_valid_pages_per_victim", name, BASELINE, repeat))
    yield f"valid pages of a victim, `{BASELINE}`", held, ""
    yield wasted_by_units(here)
    yield from (left(here, scheme) for scheme in (OSPADA, PCGC, COUPLED))
    yield left(here, BESIDE, f"`{COUPLED}` that fills beside the victim alone")
    yield from (fewer_moved(here, base) for base in (BASELINE, PCGC))
    yield from (fewer_of_victims(here, base) for base in (BASELINE, PCGC))
