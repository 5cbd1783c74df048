"""Which part of CoupledCB does what, under every way to spread the host's pages over planes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import polars as pl

from reclaim.papers.custom import Custom, PageTable
from reclaim.papers.measured import Figure

from .cells import BASELINE, COUPLED, MOVED, PCGC, WASTED, Cells, percent, reduction
from .fullness import WAIT, waits
from .rows import Measured, Row, as_figures, as_table, fewer, known, left, padding, steady

ALLOCATION = "allocation"
PAGE = "page by page"
ALLOCATIONS = (PAGE, "a request's unit", "any unit", "OSPADA")
FILLING, UNGATED = "filling", "pointers, filling"
PARTS: Mapping[str, str] = {
    PCGC: "pointers",
    FILLING: "filling",
    "filling, gate": "filling and gate",
    UNGATED: "pointers and filling",
    COUPLED: "all three",
}
"""Schemes of the experiment, and which parts they have."""
SETTING = ("workload", "units that wait", "the host's pages go")


def tables(points: pl.DataFrame) -> list[PageTable]:
    """Waste and moves; one row for each workload, way with units that wait and allocation."""
    return [
        *as_table("parts-waste", SETTING, list(_rows(points, _waste))),
        *as_table("parts-moves", SETTING, list(_rows(points, _moves))),
    ]


def of_page(points: pl.DataFrame) -> dict[str, Custom]:
    """The same figures by name: workload, way with units that wait, allocation, what is measured."""
    return as_figures(_rows(points, _waste)) | as_figures(_rows(points, _moves))


def _rows(points: pl.DataFrame, measured: Callable[[Cells, Cells], Iterator[Measured]]) -> Iterator[Row]:
    """What is measured in each setting, given its points and those with pages one by one."""
    if points.is_empty():
        return
    for name in Cells(points).workloads:
        for (wait,) in sorted(points.select(WAIT).unique().rows()):
            setting = (pl.col(WAIT) == wait) & (pl.col("trace") == name)
            cells = {
                each: Cells(points.filter(setting & (pl.col(ALLOCATION) == each))) for each in ALLOCATIONS
            }
            if all(here.has_all(BASELINE, *PARTS) for here in cells.values()):
                for allocation, here in cells.items():
                    yield (name, waits(wait), allocation), list(measured(here, cells[PAGE]))


def _waste(here: Cells, by_page: Cells) -> Iterator[Measured]:
    yield steady(here)
    yield padding(here)
    yield f"waste of `{BASELINE}`, of that page by page", _beside(here, by_page, WASTED), " %"
    yield from (left(here, scheme, words) for scheme, words in PARTS.items())


def _moves(here: Cells, by_page: Cells) -> Iterator[Measured]:
    yield f"moved by `{BASELINE}`, of that page by page", _beside(here, by_page, MOVED), " %"
    for scheme, words in PARTS.items():
        yield f"fewer moved with {words}", fewer(here, MOVED, scheme, BASELINE), " %"
    yield "fewer moved with filling than with pointers alone", fewer(here, MOVED, UNGATED, PCGC), " %"
    yield "fewer moved with the gate than without", fewer(here, MOVED, COUPLED, UNGATED), " %"
    for scheme in (FILLING, UNGATED):
        of = reduction(here.of_victims(scheme, BASELINE))
        yield f"fewer of victims with {PARTS[scheme]}", known(here, of, MOVED, BASELINE), " %"


def _beside(here: Cells, by_page: Cells, metric: str) -> Figure | None:
    """What the baseline does with an allocation, of what it does page by page."""

    def of(name: str, repeat: int) -> float:
        return here.value(metric, name, BASELINE, repeat) / by_page.value(metric, name, BASELINE, repeat)

    return known(here, percent(of), metric, BASELINE) if by_page.all_have(metric, BASELINE) else None
