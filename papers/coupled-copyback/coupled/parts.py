"""Which part of CoupledCB does what, under every way to spread the host's pages over planes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial

from reclaim.paper.toolkit import Figure, LevelRuns, percent

from .cells import BASELINE, COUPLED, MOVED, PCGC, WASTED, CoupledCells
from .fullness import WAIT, waits
from .rows import Measured, Row, Rows, fewer, fewer_of_victims, left, padding, steady

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


def _rows(
    measured: Callable[[CoupledCells, CoupledCells], Iterator[Measured]], runs: LevelRuns
) -> Iterator[Row]:
    """What is measured in each setting, given its points and those with pages one by one."""
    cells = CoupledCells.of(runs, "parts")
    for name in cells.workloads:
        for (wait,) in sorted(cells.points.select(WAIT).unique().rows()):
            here = cells.at("trace", name).at(WAIT, wait)
            by_allocation = {each: here.at(ALLOCATION, each) for each in ALLOCATIONS}
            if all(each.has_all(BASELINE, *PARTS) for each in by_allocation.values()):
                for allocation, each in by_allocation.items():
                    yield (name, waits(wait), allocation), list(measured(each, by_allocation[PAGE]))


def _waste(here: CoupledCells, by_page: CoupledCells) -> Iterator[Measured]:
    yield steady(here)
    yield padding(here)
    yield f"waste of `{BASELINE}`, of that page by page", _beside(here, by_page, WASTED), " %"
    yield from (left(here, scheme, words) for scheme, words in PARTS.items())


def _moves(here: CoupledCells, by_page: CoupledCells) -> Iterator[Measured]:
    yield f"moved by `{BASELINE}`, of that page by page", _beside(here, by_page, MOVED), " %"
    for scheme, words in PARTS.items():
        yield f"fewer moved with {words}", fewer(here, MOVED, scheme, BASELINE), " %"
    yield "fewer moved with filling than with pointers alone", fewer(here, MOVED, UNGATED, PCGC), " %"
    yield "fewer moved with the gate than without", fewer(here, MOVED, COUPLED, UNGATED), " %"
    for scheme in (FILLING, UNGATED):
        yield fewer_of_victims(here, BASELINE, scheme, f"fewer of victims with {PARTS[scheme]}")


WASTE = Rows("parts-waste", SETTING, partial(_rows, _waste))
"""Of each workload, way with units that wait and allocation."""
MOVES = Rows("parts-moves", SETTING, partial(_rows, _moves))


def _beside(here: CoupledCells, by_page: CoupledCells, metric: str) -> Figure | None:
    """What the baseline does with an allocation, of what it does page by page."""
    ours, theirs = here.metric(metric, BASELINE), by_page.metric(metric, BASELINE)
    share = percent(lambda *cell: ours(*cell) / theirs(*cell))
    return here.known(share, metric, BASELINE) if by_page.all_have(metric, BASELINE) else None
