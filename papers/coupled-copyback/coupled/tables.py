"""Tables of the page: CoupledCB beside each baseline, by workload, and its gate beside controls."""

from __future__ import annotations

from collections.abc import Iterator

from reclaim.paper.latencies import mean
from reclaim.paper.toolkit import (
    MISSING,
    Figure,
    LevelRuns,
    OfWorkload,
    PageTable,
    in_words,
    percent,
    reduction,
)

from . import separation
from .cells import BASELINE, COUPLED, FILLED, FREE, MOVED, OTHERS, PADDED, PCGC, TP, WASTED, CoupledCells
from .controls import CONTROL_ROWS
from .fullness import FULLNESS
from .learning import FILLING, LEARNING, over_settings
from .one_pass import ONE_PASS
from .parts import MOVES, WASTE
from .past import GATES, ORACLE
from .rows import Rows

LEAST = 0.1
"""Of 100 pages moved: where fewer are moved ahead, the share of them that was in vain says nothing."""


def tables(runs: LevelRuns) -> list[PageTable]:
    """Those that the level has."""
    found = []
    cells = CoupledCells.of(runs, "cells")
    if cells.has_all(COUPLED, *OTHERS):
        rows = (
            (words, *(in_words(each, unit) for _, each in _with_mean(cells, of)))
            for words, of, unit in _beside(cells)
        )
        found.append(PageTable("beside", ("", *cells.workloads, "mean"), tuple(rows)))
    gates = CoupledCells.of(runs, "gates")
    if gates.has_all(COUPLED, ORACLE, FREE, *GATES):
        what = ("pages moved", "of them ahead", "of those in vain")
        head = ("gate", *(f"{each}, {name}" for each in what for name in gates.workloads))
        found.append(PageTable("controls", head, tuple(_controls(gates))))
    asked = _tables(runs, LEARNING, FILLING)
    found += [*_tables(runs, FULLNESS), *asked, *(separation.tables() if asked else ())]
    return [*found, *_tables(runs, *CONTROL_ROWS, ONE_PASS, WASTE, MOVES)]


def _tables(runs: LevelRuns, *listed: Rows) -> list[PageTable]:
    return [table for rows in listed for table in rows.tables(runs)]


def of_page(runs: LevelRuns) -> Iterator[tuple[str, Figure]]:
    """What the page's prose takes by name: means over workloads, extremes among them, and rows of tables."""
    cells = CoupledCells.of(runs, "cells")
    if cells.has_all(COUPLED, FREE, TP, *OTHERS):
        yield from _of_cells(cells)
    for rows in (FULLNESS, LEARNING, ONE_PASS, WASTE, MOVES, *CONTROL_ROWS):
        yield from rows.figures(runs)
    yield from over_settings(runs)


def _of_cells(cells: CoupledCells) -> Iterator[tuple[str, Figure]]:
    means = {
        "fewer of victims than PcGC": reduction(cells.of_victims(COUPLED, PCGC)),
        "fewer of victims than the baseline": reduction(cells.of_victims(COUPLED, BASELINE)),
        "fewer without the rule than PcGC": reduction(cells.ratio(MOVED, FREE, PCGC)),
        "waste left by CoupledCB": percent(cells.ratio(WASTED, COUPLED, BASELINE)),
    }
    yield from ((name, cells.mean(of)) for name, of in means.items())
    extremes = {
        "waste of FSP over TP": cells.ratio(WASTED, BASELINE, TP),
        "padding": cells.metric(PADDED, BASELINE),
    }
    for name, of in extremes.items():
        figures = sorted((figure for _, figure in cells.parts(of)), key=lambda figure: figure.value)
        yield f"least {name}", figures[0]
        yield f"most {name}", figures[-1]
    for words, of, _ in _beside(cells):
        yield from ((f"beside, {name}, {words}", figure) for name, figure in _with_mean(cells, of))


def _with_mean(cells: CoupledCells, of: OfWorkload) -> tuple[tuple[str, Figure], ...]:
    return (*cells.parts(of), ("mean", cells.mean(of)))


def _beside(cells: CoupledCells) -> Iterator[tuple[str, OfWorkload, str]]:
    yield "waste that PcGC leaves of the baseline's", percent(cells.ratio(WASTED, PCGC, BASELINE)), " %"
    for base in OTHERS:
        yield f"fewer pages moved than `{base}`", reduction(cells.ratio(MOVED, COUPLED, base)), " %"
    for base in OTHERS:
        yield f"mean latency below `{base}`", reduction(cells.ratio(mean, COUPLED, base)), " %"
    for base in (BASELINE, PCGC):
        words = f"fewer pages of victims moved than `{base}`, fills not counted"
        yield words, reduction(cells.of_victims(COUPLED, base)), " %"
    words = f"fewer pages moved without the rule than under `{PCGC}`"
    yield words, reduction(cells.ratio(MOVED, FREE, PCGC)), " %"
    yield f"pages wasted under `{BASELINE}`, of those under `{TP}`", cells.ratio(WASTED, BASELINE, TP), ""
    yield f"pages padded for each page of the host, `{BASELINE}`", cells.metric(PADDED, BASELINE), ""


def _controls(cells: CoupledCells) -> Iterator[tuple[str, ...]]:
    """Pages moved beside CoupledCB, the share moved ahead, and how much of that changed before collection."""
    words = {COUPLED: "the regression, by the text", ORACLE: "an oracle among the same blocks"}
    for scheme in (COUPLED, *GATES, ORACLE):
        moved = cells.parts(cells.ratio(MOVED, scheme, COUPLED))
        ahead = cells.parts(cells.metric(lambda row: 100 * (row[FILLED] or 0) / row[MOVED], scheme))
        wrong = cells.parts(cells.in_vain(scheme))
        vain = (
            in_words(each, " %") if share.value >= LEAST else MISSING
            for (_, share), (_, each) in zip(ahead, wrong, strict=True)
        )
        told = (*(in_words(each) for _, each in moved), *(in_words(each, " %") for _, each in ahead))
        yield (words.get(scheme, scheme), *told, *vain)
