"""Tables of the page: CoupledCB beside each baseline, by workload, and its gate beside controls."""

from __future__ import annotations

from collections.abc import Iterator

from reclaim.papers.cells import told
from reclaim.papers.custom import Custom, PageTable, Ran
from reclaim.papers.measured import Figure

from . import controls, fullness, learning, one_pass, parts, separation
from .cells import (
    BASELINE,
    COUPLED,
    FILLED,
    FREE,
    MOVED,
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
from .past import GATES, ORACLE

LEAST = 0.1
"""Of 100 pages moved: where fewer are moved ahead, the share of them that was in vain says nothing."""


def tables(ran: Ran) -> list[PageTable]:
    """Those that the level has."""
    found = []
    cells = Cells(ran.cells("cells"))
    if cells.has_all(COUPLED, *OTHERS):
        names = cells.workloads
        rows = (
            (words, *(told(each, unit) for _, each in cells.parts(of)), told(cells.mean(of), unit))
            for words, of, unit in _beside(cells)
        )
        found.append(PageTable("beside", ("", *names, "mean"), tuple(rows)))
    gates = Cells(ran.cells("gates"))
    if gates.has_all(COUPLED, ORACLE, FREE, *GATES):
        names = gates.workloads
        head = (
            "gate",
            *(f"pages moved, {name}" for name in names),
            *(f"of them ahead, {name}" for name in names),
            *(f"of those in vain, {name}" for name in names),
        )
        found.append(PageTable("controls", head, tuple(_controls(gates))))
    found += fullness.tables(ran.cells("fullness"))
    if asked := learning.tables(ran.cells("learning")):
        found += [*asked, *separation.tables()]
    found += [*controls.tables(ran), *one_pass.tables(ran.cells("one-pass"))]
    return [*found, *parts.tables(ran.cells("parts"))]


def of_page(ran: Ran) -> dict[str, Custom]:
    """What the page's prose takes by name: means over workloads, and extremes among them."""
    cells = Cells(ran.cells("cells"))
    if not cells.has_all(COUPLED, FREE, TP, *OTHERS):
        return {}
    more = [figure for _, figure in cells.parts(cells.ratio(WASTED, BASELINE, TP))]
    pads = [figure for _, figure in cells.parts(padded(cells))]
    means = {
        "fewer of victims than PcGC": reduction(cells.of_victims(COUPLED, PCGC)),
        "fewer of victims than the baseline": reduction(cells.of_victims(COUPLED, BASELINE)),
        "fewer without the rule than PcGC": reduction(cells.ratio(MOVED, FREE, PCGC)),
        "waste left by CoupledCB": percent(cells.ratio(WASTED, COUPLED, BASELINE)),
    }
    extremes = {
        "least waste of FSP over TP": min(more, key=_value),
        "most waste of FSP over TP": max(more, key=_value),
        "least padding": min(pads, key=_value),
        "most padding": max(pads, key=_value),
    }
    found = {name: Custom(cells.mean(of)) for name, of in means.items()}
    for words, of, _ in _beside(cells):
        parts = (*cells.parts(of), ("mean", cells.mean(of)))
        found |= {f"beside, {name}, {words}": Custom(figure) for name, figure in parts}
    return found | {name: Custom(figure) for name, figure in extremes.items()}


def _value(figure: Figure) -> float:
    return figure.value


def padded(cells: Cells) -> Of:
    """Pages that only pad a unit, for each page that the host writes, under the baseline."""
    return lambda name, repeat: cells.value(PADDED, name, BASELINE, repeat)


def _beside(cells: Cells) -> Iterator[tuple[str, Of, str]]:
    yield "waste that PcGC leaves of the baseline's", percent(cells.ratio(WASTED, PCGC, BASELINE)), " %"
    for base in OTHERS:
        yield f"fewer pages moved than `{base}`", reduction(cells.ratio(MOVED, COUPLED, base)), " %"
    for base in OTHERS:
        yield f"mean latency below `{base}`", reduction(cells.latency_ratio(COUPLED, base)), " %"
    for base in (BASELINE, PCGC):
        words = f"fewer pages of victims moved than `{base}`, fills not counted"
        yield words, reduction(cells.of_victims(COUPLED, base)), " %"
    words = f"fewer pages moved without the rule than under `{PCGC}`"
    yield words, reduction(cells.ratio(MOVED, FREE, PCGC)), " %"
    yield f"pages wasted under `{BASELINE}`, of those under `{TP}`", cells.ratio(WASTED, BASELINE, TP), ""
    yield f"pages padded for each page of the host, `{BASELINE}`", padded(cells), ""


def _controls(cells: Cells) -> Iterator[tuple[str, ...]]:
    """Pages moved beside CoupledCB, the share moved ahead, and how much of that changed before collection."""
    words = {COUPLED: "the regression, by the text", ORACLE: "an oracle among the same blocks"}
    for scheme in (COUPLED, *GATES, ORACLE):

        def wrong(name: str, repeat: int, scheme: str = scheme) -> float:
            return 100 - cells.accuracy(name, repeat, scheme)

        def ahead(name: str, repeat: int, scheme: str = scheme) -> float:
            moved = cells.value(MOVED, name, scheme, repeat)
            return 100 * cells.value(FILLED, name, scheme, repeat) / moved

        moved = (told(each) for _, each in cells.parts(cells.ratio(MOVED, scheme, COUPLED)))
        shares = [each for _, each in cells.parts(ahead)]
        vain = (
            told(each, " %") if share.value >= LEAST else "–"
            for share, (_, each) in zip(shares, cells.parts(wrong), strict=True)
        )
        yield (words.get(scheme, scheme), *moved, *(told(each, " %") for each in shares), *vain)
