"""What the regression of CoupledCB is worth beside a coin and simpler rules, and which units are filled."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import polars as pl

from reclaim.papers.cells import told
from reclaim.papers.custom import Custom, PageTable
from reclaim.papers.measured import Figure
from reclaim.units import MISSING

from .cells import FILLED, MOVED, PCGC, WASTED, Cells, reduction
from .fullness import SETTING, settings

REGRESSION, COIN, BESIDE = "regression", "coin", "beside the victim"
RULES: Mapping[str, str] = {
    REGRESSION: "regression",
    "label: any page": "regression, invalidated by any page",
    "label: until collected": "regression, label until collected",
    "all admitted": "all admitted",
    "half invalid": "those half invalid",
    "future": "future, 3 blocks",
    "future, 8 blocks": "future, 8 blocks",
}
"""What is beside the coin, and what a page calls it."""
Row = tuple[tuple[str, str, str], dict[str, Figure | None]]
"""Workload, share of valid data and way with units that wait; figures by what they are, in percent."""


def tables(points: pl.DataFrame) -> list[PageTable]:
    """Pages moved beside the coin, and what filling beside the victim alone does; none without runs."""
    found = []
    for name, rows in {"learning": list(_learning(points)), "filling": list(_filling(points))}.items():
        if rows:
            told_rows = (
                (*setting, *(MISSING if each is None else told(each, " %") for each in figures.values()))
                for setting, figures in rows
            )
            found.append(PageTable(name, (*SETTING, *rows[0][1]), tuple(told_rows)))
    return found


def of_page(points: pl.DataFrame) -> dict[str, Custom]:
    """The same figures by name: table, workload, share of valid data, what becomes of units, what it is."""
    return {
        ", ".join((table, *setting, words)): Custom(figure)
        for table, rows in {"learning": _learning(points), "filling": _filling(points)}.items()
        for setting, figures in rows
        for words, figure in figures.items()
        if figure is not None
    }


def _learning(points: pl.DataFrame) -> Iterator[Row]:
    for setting, here in settings(points):
        if here.has_all(COIN, *RULES):
            figures = {words: _fewer(here, MOVED, rule, COIN) for rule, words in RULES.items()}
            yield setting, figures | {f"in vain, {each}": _in_vain(here, each) for each in (REGRESSION, COIN)}


def _filling(points: pl.DataFrame) -> Iterator[Row]:
    for setting, here in settings(points):
        if here.has_all(PCGC, REGRESSION, BESIDE):
            figures: dict[str, Figure | None] = {}
            for scheme, words in {REGRESSION: "any unit", BESIDE: "units with a page of the victim"}.items():
                figures[f"{words}: fewer moved than `{PCGC}`"] = _fewer(here, MOVED, scheme, PCGC)
                figures[f"{words}: fewer wasted"] = _fewer(here, WASTED, scheme, PCGC)
            yield setting, figures


def _fewer(here: Cells, metric: str, scheme: str, base: str) -> Figure | None:
    """Reduction in percent; none where there is nothing to reduce."""
    if not here.all_have(metric, base):
        return None
    return here.mean(reduction(here.ratio(metric, scheme, base)))


def _in_vain(here: Cells, scheme: str) -> Figure | None:
    """Of the pages that fill units, those that the host changed before their block was collected, %."""
    if not here.all_have(FILLED, scheme):
        return None
    return here.mean(lambda name, repeat: 100 - here.accuracy(name, repeat, scheme))
