"""Rows of the page's tables: a setting, and what was measured there of CoupledCB beside the others."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from reclaim.paper.toolkit import Figure, LevelRuns, PageTable, exact, in_words, percent, reduction
from reclaim.paper.trust import COLUMN

from .cells import BASELINE, COUPLED, MOVED, PADDED, TP, WASTED, CoupledCells

Measured = tuple[str, Figure | None, str]
"""What it is, the figure if there is something to divide by, and its unit."""
Row = tuple[tuple[str, ...], list[Measured]]
"""A setting, and what was measured there."""


@dataclass(frozen=True)
class Rows:
    """What an experiment measured in every setting: a table of the page, and figures that its prose takes."""

    name: str
    setting: tuple[str, ...]
    rows: Callable[[LevelRuns], Iterator[Row]]
    before: tuple[str, ...] = ()
    """Words before the names of figures."""

    def tables(self, runs: LevelRuns) -> Iterator[PageTable]:
        """One row for each setting; no table without any."""
        if rows := list(self.rows(runs)):
            head = (*self.setting, *(words for words, _, _ in rows[0][1]))
            texts = ((*where, *(in_words(figure, unit) for _, figure, unit in row)) for where, row in rows)
            yield PageTable(self.name, head, tuple(texts))

    def figures(self, runs: LevelRuns) -> Iterator[tuple[str, Figure]]:
        """Figures by name: the parts of a setting, then what is measured."""
        for where, row in self.rows(runs):
            for words, figure, _ in row:
                if figure is not None:
                    yield ", ".join((*self.before, *where, words)), figure


def padding(here: CoupledCells) -> Measured:
    """What the baseline pads."""
    return "pages padded for each page of the host", here.mean(here.metric(PADDED, BASELINE)), ""


UNSTEADY = {"unlike-warmup", "warmup-not-steady", "write-amplification-drifts", "free-space-drifts"}
"""What the simulator says of a run that does not stay as its warm-up left it (docs/verdicts.md)."""


def steady(here: CoupledCells) -> Measured:
    """Share of the runs that stay as their warm-up left them."""
    runs = here.points[COLUMN].to_list()
    share = sum(not UNSTEADY & _codes(text) for text in runs) / len(runs)
    return "steady runs", exact(100 * share), " %"


def _codes(text: str) -> set[str]:
    """Codes of all remarks on a run."""
    remarks = json.loads(text) if text else {}
    return {code for by_metric in remarks.values() for said in by_metric.values() for code in said}


def wasted_by_units(here: CoupledCells) -> Measured:
    """What full-sequence programming wastes, of what programming page by page does."""
    ratio = here.known(here.ratio(WASTED, BASELINE, TP), WASTED, TP)
    return f"pages wasted, `{BASELINE}` over `{TP}`", ratio, ""


def left(here: CoupledCells, scheme: str, words: str = "") -> Measured:
    """What a scheme leaves of the baseline's waste."""
    share = here.known(percent(here.ratio(WASTED, scheme, BASELINE)), WASTED, BASELINE)
    return f"waste that {words or f'`{scheme}`'} leaves", share, " %"


def fewer_moved(here: CoupledCells, base: str) -> Measured:
    """How many fewer pages CoupledCB moves, with those that fill units."""
    return f"fewer moved than `{base}`", fewer(here, MOVED, COUPLED, base), " %"


def fewer_of_victims(here: CoupledCells, base: str, scheme: str = COUPLED, words: str = "") -> Measured:
    """How many fewer pages a scheme moves, without those that fill units."""
    of = reduction(here.of_victims(scheme, base))
    return words or f"fewer of victims than `{base}`", here.known(of, MOVED, base), " %"


def fewer(here: CoupledCells, metric: str, scheme: str, base: str) -> Figure | None:
    """Reduction in percent; none where there is nothing to reduce."""
    return here.known(reduction(here.ratio(metric, scheme, base)), metric, base)
