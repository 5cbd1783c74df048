"""One play of a volume whose footprint is published: what start, size of the drive and padding decide."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from reclaim.papers.custom import Custom, PageTable

from .cells import (
    BASELINE,
    COUPLED,
    MOVED,
    OSPADA,
    OTHERS,
    PADDED,
    PCGC,
    TP,
    WASTED,
    Cells,
    Of,
    percent,
    reduction,
)
from .fullness import WAIT, Measured, MeasuredRow, as_figures, as_table, waits

BESIDE = "beside the victim"
"""CoupledCB that fills units with a page of the victim alone."""
START = "warmup.kind"
WORDS = {BESIDE: f"`{COUPLED}` that fills beside the victim alone"}
STARTS = {"empty": "empty", "workload": "full, and played until steady"}
SETTING = ("drive, and its scale", "start", "units that wait")


def tables(points: pl.DataFrame) -> list[PageTable]:
    """One row for each drive, start and way with units that wait; none if it did not run."""
    return as_table("one-pass", SETTING, list(_rows(points)))


def of_page(points: pl.DataFrame) -> dict[str, Custom]:
    """The same figures by name: drive, start, way with units that wait, what is measured."""
    return as_figures(_rows(points))


def _rows(points: pl.DataFrame) -> Iterator[MeasuredRow]:
    if points.is_empty():
        return
    all_of = points.select("drive", START, WAIT).unique(maintain_order=True).rows()
    for drive, start, wait in all_of:
        of = (pl.col("drive") == drive) & (pl.col(START) == start) & (pl.col(WAIT) == wait)
        here = Cells(points.filter(of))
        if here.has_all(TP, COUPLED, BESIDE, *OTHERS):
            yield (drive, STARTS[start], waits(wait)), list(_measured(here))


def _measured(here: Cells) -> Iterator[Measured]:
    def value(metric: str) -> Of:
        return lambda name, repeat: here.value(metric, name, BASELINE, repeat)

    yield "pages padded for each page of the host", here.mean(value(PADDED)), ""
    yield f"valid pages of a victim, `{BASELINE}`", here.mean(value("gc_valid_pages_per_victim")), ""
    wasted = {each: here.ratio(WASTED, each, BASELINE) for each in (OSPADA, PCGC, COUPLED, BESIDE)}
    measured: tuple[tuple[str, str, str, Of, str], ...] = (
        (f"pages wasted, `{BASELINE}` over `{TP}`", WASTED, TP, here.ratio(WASTED, BASELINE, TP), ""),
        *(
            (f"waste that {WORDS.get(each, f'`{each}`')} leaves", WASTED, BASELINE, percent(ratio), " %")
            for each, ratio in wasted.items()
        ),
        *(
            (f"fewer moved than `{base}`", MOVED, base, reduction(here.ratio(MOVED, COUPLED, base)), " %")
            for base in (BASELINE, PCGC)
        ),
        *(
            (f"fewer of victims than `{base}`", MOVED, base, reduction(here.of_victims(COUPLED, base)), " %")
            for base in (BASELINE, PCGC)
        ),
    )
    for words, metric, base, of, unit in measured:
        yield words, here.mean(of) if here.all_have(metric, base) else None, unit
