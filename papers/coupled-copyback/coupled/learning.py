"""What the regression of CoupledCB is worth beside a coin and simpler rules, and which units are filled."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from reclaim.paper.toolkit import Figure, LevelRuns, exact

from .cells import BESIDE, FILLED, MOVED, PCGC, WASTED, CoupledCells
from .fullness import SETTING, settings
from .rows import Row, Rows, fewer, steady

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
UNITS: Mapping[str, str] = {REGRESSION: "any unit", BESIDE: "units with a page of the victim"}


def _learning(runs: LevelRuns) -> Iterator[Row]:
    for setting, here in settings(CoupledCells.of(runs, "learning")):
        if here.has_all(COIN, *RULES):
            moved = [(words, fewer(here, MOVED, rule, COIN), " %") for rule, words in RULES.items()]
            vain = [(f"in vain, {each}", _in_vain(here, each), " %") for each in (REGRESSION, COIN)]
            yield setting, [*moved, *vain, steady(here)]


def _filling(runs: LevelRuns) -> Iterator[Row]:
    for setting, here in settings(CoupledCells.of(runs, "learning")):
        if here.has_all(PCGC, REGRESSION, BESIDE):
            row = [
                (f"{words}: fewer {what}", fewer(here, metric, scheme, PCGC), " %")
                for scheme, words in UNITS.items()
                for what, metric in ((f"moved than `{PCGC}`", MOVED), ("wasted", WASTED))
            ]
            yield setting, row


LEARNING = Rows("learning", SETTING, _learning, before=("learning",))
"""Pages moved beside the coin, in each setting."""
FILLING = Rows("filling", SETTING, _filling)
"""What filling beside the victim alone does."""


def over_settings(runs: LevelRuns) -> Iterator[tuple[str, Figure]]:
    """Of each rule: in how many settings it moves fewer pages than the coin and more, and the extremes."""
    learning = list(_learning(runs))
    for words in RULES.values():
        shown = [each for _, row in learning for name, each, _ in row if name == words and each is not None]
        if shown:
            yield f"learning, {words}, fewer in", exact(sum(each.interval[0] > 0 for each in shown))
            yield f"learning, {words}, more in", exact(sum(each.interval[1] < 0 for each in shown))
            yield f"learning, {words}, least", exact(min(each.value for each in shown))
            yield f"learning, {words}, most", exact(max(each.value for each in shown))
            yield "learning, settings", exact(len(shown))


def _in_vain(here: CoupledCells, scheme: str) -> Figure | None:
    """Of the pages that fill units, those that the host changed before their block was collected, %."""
    return here.known(here.in_vain(scheme), FILLED, scheme)
