"""Past the paper: what the regression is worth beside other gates and an oracle; what QLC cells change."""

from __future__ import annotations

from reclaim.papers.custom import Custom, told

from .cells import COUPLED, FREE, MOVED, PCGC, WASTED, Cells, Of, ratio_of

GATES = ("all admitted", "plain rule", "pseudocode")
ORACLE = "oracle"
"""Every candidate is admitted, and lends the pages whose data lives longest, as the trace will have it."""
BY_WORD_LINE, ADAPTIVE = "coupledcb+word-line", "coupledcb+adaptive"


def of_runs(gates: Cells, qlc: Cells) -> dict[str, Custom]:
    """Those figures that the level has."""
    found: dict[str, Custom] = {}
    if gates.has_all(COUPLED, ORACLE, FREE, *GATES):
        found |= _gates(gates)
    if qlc.has_all(PCGC, COUPLED, FREE, BY_WORD_LINE, ADAPTIVE):
        found |= _qlc(qlc)
    return found


def _errors(cells: Cells, scheme: str, other: str) -> Of:
    """Changed pages per page filled of one scheme over those of another."""

    def of(name: str, repeat: int) -> float:
        wrong = [100 - cells.accuracy(name, repeat, each) for each in (scheme, other)]
        # A gate that admits next to nothing has nothing to be wrong about.
        return wrong[0] / wrong[1] if wrong[1] > 0 else 1.0

    return of


def _gates(cells: Cells) -> dict[str, Custom]:
    found: dict[str, Custom] = {}
    for name in GATES:
        key = name.replace(" ", "-")
        found[f"moves-by-{key}"] = ratio_of(cells, cells.ratio(MOVED, COUPLED, name))
        found[f"errors-by-{key}"] = ratio_of(cells, _errors(cells, COUPLED, name))
    learned = cells.mean(_errors(cells, COUPLED, "all admitted"))
    found["accuracy-is-learned"] = told(
        learned.interval[1] < 1,
        len(cells.repeats),
        "fewer pages are moved ahead in vain than with every candidate admitted, by the interval",
    )
    found["oracle-moves"] = ratio_of(cells, cells.ratio(MOVED, ORACLE, COUPLED))
    found["oracle-errors"] = ratio_of(cells, _errors(cells, ORACLE, COUPLED))
    found["oracle-latency"] = ratio_of(cells, cells.latency_ratio(ORACLE, COUPLED))
    found["left-behind-oracle"] = ratio_of(cells, cells.ratio(MOVED, FREE, ORACLE))
    return found


def _qlc(cells: Cells) -> dict[str, Custom]:
    return {
        "qlc-waste": ratio_of(cells, cells.ratio(WASTED, COUPLED, PCGC)),
        "qlc-moves": ratio_of(cells, cells.ratio(MOVED, COUPLED, PCGC)),
        "qlc-left": ratio_of(cells, cells.ratio(MOVED, FREE, COUPLED)),
        "qlc-word-line": ratio_of(cells, cells.latency_ratio(BY_WORD_LINE, COUPLED)),
        "qlc-adaptive": ratio_of(cells, cells.latency_ratio(ADAPTIVE, COUPLED)),
    }
