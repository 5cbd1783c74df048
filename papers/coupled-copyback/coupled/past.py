"""Past the paper: what the regression is worth beside other gates and an oracle; what QLC cells change."""

from __future__ import annotations

from collections.abc import Iterator

from reclaim.paper.latencies import mean
from reclaim.paper.toolkit import LevelRuns, OfWorkload, PaperFigure, shape

from .cells import COUPLED, FREE, MOVED, PCGC, WASTED, CoupledCells

GATES = ("all admitted", "plain rule", "pseudocode")
ORACLE = "oracle"
"""Every candidate is admitted, and lends the pages whose data lives longest, as the trace will have it."""
BY_WORD_LINE, ADAPTIVE = "coupledcb+word-line", "coupledcb+adaptive"


def of_runs(runs: LevelRuns) -> Iterator[tuple[str, PaperFigure]]:
    """Those figures that the level has."""
    gates, qlc = CoupledCells.of(runs, "gates"), CoupledCells.of(runs, "qlc")
    if gates.has_all(COUPLED, ORACLE, FREE, *GATES):
        yield from _gates(gates)
    if qlc.has_all(PCGC, COUPLED, FREE, BY_WORD_LINE, ADAPTIVE):
        yield "qlc-waste", qlc.order(qlc.ratio(WASTED, COUPLED, PCGC))
        yield "qlc-moves", qlc.order(qlc.ratio(MOVED, COUPLED, PCGC))
        yield "qlc-left", qlc.order(qlc.ratio(MOVED, FREE, COUPLED))
        yield "qlc-word-line", qlc.order(qlc.ratio(mean, BY_WORD_LINE, COUPLED))
        yield "qlc-adaptive", qlc.order(qlc.ratio(mean, ADAPTIVE, COUPLED))


def _errors(cells: CoupledCells, scheme: str, other: str) -> OfWorkload:
    """Changed pages per page filled of one scheme over those of another."""

    def of(name: str, repeat: int) -> float:
        wrong = [cells.in_vain(each)(name, repeat) for each in (scheme, other)]
        # A gate that admits next to nothing has nothing to be wrong about.
        return wrong[0] / wrong[1] if wrong[1] > 0 else 1.0

    return of


def _gates(cells: CoupledCells) -> Iterator[tuple[str, PaperFigure]]:
    for name in GATES:
        key = name.replace(" ", "-")
        yield f"moves-by-{key}", cells.order(cells.ratio(MOVED, COUPLED, name))
        yield f"errors-by-{key}", cells.order(_errors(cells, COUPLED, name))
    learned = cells.mean(_errors(cells, COUPLED, "all admitted"))
    rule = "fewer pages are moved ahead in vain than with every candidate admitted, by the interval"
    yield "accuracy-is-learned", shape(learned.interval[1] < 1, len(cells.repeats), rule)
    yield "oracle-moves", cells.order(cells.ratio(MOVED, ORACLE, COUPLED))
    yield "oracle-errors", cells.order(_errors(cells, ORACLE, COUPLED))
    yield "oracle-latency", cells.order(cells.ratio(mean, ORACLE, COUPLED))
    yield "left-behind-oracle", cells.order(cells.ratio(MOVED, FREE, ORACLE))
