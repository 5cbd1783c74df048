"""What the regression of CoupledCB is worth beside a coin and simpler rules, and which units are filled."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import polars as pl

from reclaim.papers.custom import Custom, PageTable
from reclaim.papers.measured import Figure

from .cells import BESIDE, FILLED, MOVED, PCGC, WASTED, Cells
from .fullness import SETTING, settings
from .rows import Row, as_figures, as_table, fewer, known, steady

REGRESSION, COIN = "regression", "coin"
RULES: Mapping[str, str] = {
    REGRESSION: "regression",
    "label: until collected": "regression, label until collected",
    "trained until collected": "regression, label until collected, trained with it",
    "trained beforehand alone": "the same, not trained again",
    "label: share": "regression on the share lost",
    "all admitted": "all admitted",
    "half invalid": "those half invalid",
    "future": "future, 3 blocks",
    "future, all blocks": "future, all blocks",
}
"""What is beside the coin, and what a page calls it."""


def tables(points: pl.DataFrame) -> list[PageTable]:
    """Pages moved beside the coin, and what filling beside the victim alone does; none without runs."""
    return [
        *as_table("learning", SETTING, list(_learning(points))),
        *as_table("filling", SETTING, list(_filling(points))),
    ]


def of_page(points: pl.DataFrame) -> dict[str, Custom]:
    """The same figures by name: table, workload, share of valid data, what becomes of units, what it is."""
    learning = list(_learning(points))
    of_settings = {f"learning, {name}": each for name, each in as_figures(learning).items()}
    return of_settings | _over_settings(learning)


def _over_settings(learning: Sequence[Row]) -> dict[str, Custom]:
    """Of each rule: in how many settings it moves fewer pages than the coin and more, and the extremes."""
    found: dict[str, float] = {}
    for words in RULES.values():
        shown = [each for _, row in learning for name, each, _ in row if name == words and each is not None]
        if shown:
            found |= {
                f"learning, {words}, fewer in": sum(each.interval[0] > 0 for each in shown),
                f"learning, {words}, more in": sum(each.interval[1] < 0 for each in shown),
                f"learning, {words}, least": min(each.value for each in shown),
                f"learning, {words}, most": max(each.value for each in shown),
                "learning, settings": len(shown),
            }
    return {name: Custom(Figure(value, exact=True)) for name, value in found.items()}


def _learning(points: pl.DataFrame) -> Iterator[Row]:
    for setting, here in settings(points):
        if here.has_all(COIN, *RULES):
            moved = [(words, fewer(here, MOVED, rule, COIN), " %") for rule, words in RULES.items()]
            vain = [(f"in vain, {each}", _in_vain(here, each), " %") for each in (REGRESSION, COIN)]
            yield setting, [*moved, *vain, steady(here)]


def _filling(points: pl.DataFrame) -> Iterator[Row]:
    for setting, here in settings(points):
        if here.has_all(PCGC, REGRESSION, BESIDE):
            yield (
                setting,
                [
                    (f"{words}: fewer {what}", fewer(here, metric, scheme, PCGC), " %")
                    for scheme, words in {
                        REGRESSION: "any unit",
                        BESIDE: "units with a page of the victim",
                    }.items()
                    for what, metric in ((f"moved than `{PCGC}`", MOVED), ("wasted", WASTED))
                ],
            )


def _in_vain(here: Cells, scheme: str) -> Figure | None:
    """Of the pages that fill units, those that the host changed before their block was collected, %."""
    return known(here, lambda name, repeat: 100 - here.accuracy(name, repeat, scheme), FILLED, scheme)
