"""Tables of the page: CoupledCB beside each baseline, by workload, and its gate beside controls."""

from __future__ import annotations

from collections.abc import Iterator

from reclaim.papers.cells import told
from reclaim.papers.coupled.cells import (
    BASELINE,
    COUPLED,
    FREE,
    MOVED,
    OTHERS,
    PCGC,
    WASTED,
    Cells,
    Of,
    percent,
    reduction,
)
from reclaim.papers.coupled.past import GATES, ORACLE
from reclaim.papers.custom import PageTable, Ran


def tables(ran: Ran) -> list[PageTable]:
    """Those that the level has."""
    found = []
    cells = Cells(ran.cells("cells"))
    if cells.has_all(COUPLED, *OTHERS):
        names = cells.workloads
        found.append(PageTable("beside", ("", *names, "mean"), tuple(_beside(cells))))
    gates = Cells(ran.cells("gates"))
    if gates.has_all(COUPLED, ORACLE, FREE, *GATES):
        names = gates.workloads
        head = (
            "gate",
            *(f"pages moved, {name}" for name in names),
            *(f"moved in vain, {name}" for name in names),
        )
        found.append(PageTable("controls", head, tuple(_controls(gates))))
    return found


def _beside(cells: Cells) -> Iterator[tuple[str, ...]]:
    def row(words: str, of: Of) -> tuple[str, ...]:
        return (words, *(told(each, " %") for _, each in cells.parts(of)), told(cells.mean(of), " %"))

    yield row("waste that PcGC leaves of the baseline's", percent(cells.ratio(WASTED, PCGC, BASELINE)))
    for base in OTHERS:
        yield row(f"fewer pages moved than `{base}`", reduction(cells.ratio(MOVED, COUPLED, base)))
    for base in OTHERS:
        yield row(f"mean latency below `{base}`", reduction(cells.latency_ratio(COUPLED, base)))
    yield row("pages moved without the rule, of CoupledCB's", percent(cells.ratio(MOVED, FREE, COUPLED)))


def _controls(cells: Cells) -> Iterator[tuple[str, ...]]:
    """Pages moved beside CoupledCB, and the share of pages moved ahead that changed before collection."""
    words = {COUPLED: "the regression, by the text", ORACLE: "an oracle among the same blocks"}
    for scheme in (COUPLED, *GATES, ORACLE):

        def wrong(name: str, repeat: int, scheme: str = scheme) -> float:
            return 100 - cells.accuracy(name, repeat, scheme)

        moved = (told(each) for _, each in cells.parts(cells.ratio(MOVED, scheme, COUPLED)))
        vain = (told(each, " %") for _, each in cells.parts(wrong))
        yield (words.get(scheme, scheme), *moved, *vain)
