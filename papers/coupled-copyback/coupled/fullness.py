"""Waste, moves and latency over how full the drive is of valid data, with and without padding."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from reclaim.papers.cells import told
from reclaim.papers.custom import Custom, PageTable
from reclaim.papers.measured import Figure

from .cells import BASELINE, COUPLED, MOVED, PADDED, PCGC, TP, WASTED, Cells, Of, percent, reduction

SHARE, WAIT = "warmup.valid_share", "flash.flush_after"
NEVER = "1000s"
"""Longer than any trace of the experiment: no unit is padded."""
SETTING = ("valid data", "units that wait")


def tables(points: pl.DataFrame) -> list[PageTable]:
    """One row for each share of valid data and each way with units that wait; none without the experiment."""
    rows = list(_rows(points))
    if not rows:
        return []
    head = (*SETTING, *(words for words, _, _ in rows[0][1]))
    told_rows = ((*setting, *(told(figure, unit) for _, figure, unit in row)) for setting, row in rows)
    return [PageTable("fullness", head, tuple(told_rows))]


def of_page(points: pl.DataFrame) -> dict[str, Custom]:
    """The same figures by name: share of valid data, way with units that wait, and what is measured."""
    return {
        ", ".join((*setting, words)): Custom(figure)
        for setting, row in _rows(points)
        for words, figure, _ in row
    }


def _rows(points: pl.DataFrame) -> Iterator[tuple[tuple[str, str], list[tuple[str, Figure, str]]]]:
    if points.is_empty():
        return
    for wait, share in sorted(points.select(WAIT, SHARE).unique().rows(), key=_order):
        here = Cells(points.filter((pl.col(WAIT) == wait) & (pl.col(SHARE) == share)))
        if here.has_all(TP, BASELINE, PCGC, COUPLED):
            words = "never padded" if wait == NEVER else f"padded after {wait}"
            yield (share, words), [(name, here.mean(of), unit) for name, of, unit in _measured(here)]


def _order(setting: tuple[str, str]) -> tuple[bool, float]:
    wait, share = setting
    return wait == NEVER, float(share.rstrip(" %"))


def _measured(here: Cells) -> tuple[tuple[str, Of, str], ...]:
    def padded(name: str, repeat: int) -> float:
        return here.value(PADDED, name, BASELINE, repeat)

    return (
        ("pages padded for each page of the host", padded, ""),
        (f"pages wasted, `{BASELINE}` over `{TP}`", here.ratio(WASTED, BASELINE, TP), ""),
        (f"waste that `{PCGC}` leaves", percent(here.ratio(WASTED, PCGC, BASELINE)), " %"),
        (f"waste that `{COUPLED}` leaves", percent(here.ratio(WASTED, COUPLED, BASELINE)), " %"),
        (f"fewer moved than `{BASELINE}`", reduction(here.ratio(MOVED, COUPLED, BASELINE)), " %"),
        (f"fewer moved than `{PCGC}`", reduction(here.ratio(MOVED, COUPLED, PCGC)), " %"),
        (f"fewer of victims than `{PCGC}`", reduction(here.of_victims(COUPLED, PCGC)), " %"),
        (f"p99.99 of writes over `{PCGC}`", here.ratio("write_p99_99_ns", COUPLED, PCGC), ""),
    )
