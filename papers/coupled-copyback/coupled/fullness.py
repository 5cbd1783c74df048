"""Waste, moves and latency over how full the drive is of valid data, with and without padding."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from reclaim.papers.custom import Custom, PageTable

from .cells import BASELINE, COUPLED, MOVED, PCGC, TAIL, TP, Cells
from .rows import (
    Measured,
    Row,
    as_figures,
    as_table,
    fewer_moved,
    fewer_of_victims,
    known,
    left,
    padding,
    wasted_by_units,
)

SHARE, WAIT = "warmup.valid_share", "flash.flush_after"
NEVER = "1000s"
"""Longer than any trace of the experiment: no unit is padded."""
SETTING = ("workload", "valid data", "units that wait")


def tables(points: pl.DataFrame) -> list[PageTable]:
    """One row for each workload, share of valid data and way with units that wait; none if it did not run."""
    return as_table("fullness", SETTING, list(_rows(points)))


def of_page(points: pl.DataFrame) -> dict[str, Custom]:
    """The same figures by name: workload, share of valid data, way with units that wait, what is measured."""
    return as_figures(_rows(points))


def _rows(points: pl.DataFrame) -> Iterator[Row]:
    for setting, here in settings(points):
        if here.has_all(TP, BASELINE, PCGC, COUPLED):
            yield setting, list(_measured(here))


def settings(points: pl.DataFrame) -> Iterator[tuple[tuple[str, str, str], Cells]]:
    """Each workload, share of valid data and way with units that wait, and the points of it."""
    if points.is_empty():
        return
    both = sorted(points.select(WAIT, SHARE).unique().rows(), key=_order)
    for name in Cells(points).workloads:
        for wait, share in both:
            of = (pl.col(WAIT) == wait) & (pl.col(SHARE) == share) & (pl.col("trace") == name)
            yield (name, share, waits(wait)), Cells(points.filter(of))


def waits(after: str) -> str:
    """What becomes of units that wait, in words."""
    return "never padded" if after == NEVER else f"padded after {after}"


def _order(setting: tuple[str, str]) -> tuple[bool, float]:
    wait, share = setting
    return wait == NEVER, float(share.rstrip(" %"))


def _measured(here: Cells) -> Iterator[Measured]:
    yield padding(here)
    yield wasted_by_units(here)
    yield from (left(here, scheme) for scheme in (PCGC, COUPLED))
    yield from (fewer_moved(here, base) for base in (BASELINE, PCGC))
    yield fewer_of_victims(here, PCGC)
    tail = known(here, here.ratio(TAIL, COUPLED, PCGC), MOVED, PCGC)
    yield f"p99.99 of writes over `{PCGC}`", tail, ""
