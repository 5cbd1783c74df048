"""Waste, moves and latency over how full the drive is of valid data, with and without padding."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import polars as pl

from reclaim.papers.cells import told
from reclaim.papers.custom import Custom, PageTable
from reclaim.papers.measured import Figure
from reclaim.units import MISSING

from .cells import BASELINE, COUPLED, MOVED, PADDED, PCGC, TAIL, TP, WASTED, Cells, Of, percent, reduction

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


Measured = tuple[str, Figure | None, str]
"""What it is, the figure if there is something to divide by, and its unit."""
MeasuredRow = tuple[tuple[str, ...], list[Measured]]
"""A setting, and what was measured there."""


def as_table(name: str, setting: tuple[str, ...], rows: Sequence[MeasuredRow]) -> list[PageTable]:
    """One row for each setting; no table without any."""
    if not rows:
        return []
    head = (*setting, *(words for words, _, _ in rows[0][1]))
    told_rows = (
        (*where, *(MISSING if figure is None else told(figure, unit) for _, figure, unit in row))
        for where, row in rows
    )
    return [PageTable(name, head, tuple(told_rows))]


def as_figures(rows: Iterable[MeasuredRow]) -> dict[str, Custom]:
    """Figures by name: the parts of a setting, then what is measured."""
    return {
        ", ".join((*where, words)): Custom(figure)
        for where, row in rows
        for words, figure, _ in row
        if figure is not None
    }


def _rows(points: pl.DataFrame) -> Iterator[MeasuredRow]:
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
    def padded(name: str, repeat: int) -> float:
        return here.value(PADDED, name, BASELINE, repeat)

    yield "pages padded for each page of the host", here.mean(padded), ""
    measured: tuple[tuple[str, str, str, Of, str], ...] = (
        (f"pages wasted, `{BASELINE}` over `{TP}`", WASTED, TP, here.ratio(WASTED, BASELINE, TP), ""),
        (f"waste that `{PCGC}` leaves", WASTED, BASELINE, percent(here.ratio(WASTED, PCGC, BASELINE)), " %"),
        (
            f"waste that `{COUPLED}` leaves",
            WASTED,
            BASELINE,
            percent(here.ratio(WASTED, COUPLED, BASELINE)),
            " %",
        ),
        (
            f"fewer moved than `{BASELINE}`",
            MOVED,
            BASELINE,
            reduction(here.ratio(MOVED, COUPLED, BASELINE)),
            " %",
        ),
        (f"fewer moved than `{PCGC}`", MOVED, PCGC, reduction(here.ratio(MOVED, COUPLED, PCGC)), " %"),
        (f"fewer of victims than `{PCGC}`", MOVED, PCGC, reduction(here.of_victims(COUPLED, PCGC)), " %"),
        (f"p99.99 of writes over `{PCGC}`", MOVED, PCGC, here.ratio(TAIL, COUPLED, PCGC), ""),
    )
    for words, metric, base, of, unit in measured:
        yield words, here.mean(of) if here.all_have(metric, base) else None, unit
