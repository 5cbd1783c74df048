"""Rows of the page's tables: a setting, and what was measured there of CoupledCB beside the others."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from reclaim.papers.cells import told
from reclaim.papers.custom import Custom, PageTable
from reclaim.papers.measured import Figure
from reclaim.papers.trust import COLUMN
from reclaim.units import MISSING

from .cells import BASELINE, COUPLED, MOVED, PADDED, TP, WASTED, Cells, Of, percent, reduction

Measured = tuple[str, Figure | None, str]
"""What it is, the figure if there is something to divide by, and its unit."""
Row = tuple[tuple[str, ...], list[Measured]]
"""A setting, and what was measured there."""


def as_table(name: str, setting: tuple[str, ...], rows: Sequence[Row]) -> list[PageTable]:
    """One row for each setting; no table without any."""
    if not rows:
        return []
    head = (*setting, *(words for words, _, _ in rows[0][1]))
    told_rows = (
        (*where, *(MISSING if figure is None else told(figure, unit) for _, figure, unit in row))
        for where, row in rows
    )
    return [PageTable(name, head, tuple(told_rows))]


def as_figures(rows: Iterable[Row]) -> dict[str, Custom]:
    """Figures by name: the parts of a setting, then what is measured."""
    return {
        ", ".join((*where, words)): Custom(figure)
        for where, row in rows
        for words, figure, _ in row
        if figure is not None
    }


def known(here: Cells, of: Of, metric: str, scheme: str) -> Figure | None:
    """The mean of a figure; none where the scheme that it is beside has nothing of the metric."""
    return here.mean(of) if here.all_have(metric, scheme) else None


def padding(here: Cells) -> Measured:
    """What the baseline pads."""
    padded = here.mean(lambda name, repeat: here.value(PADDED, name, BASELINE, repeat))
    return "pages padded for each page of the host", padded, ""


UNSTEADY = {"unlike-warmup", "warmup-not-steady", "write-amplification-drifts", "free-space-drifts"}
"""What the simulator says of a run that does not stay as its warm-up left it (docs/verdicts.md)."""


def steady(here: Cells) -> Measured:
    """Share of the runs that stay as their warm-up left them."""
    runs = here.points[COLUMN].to_list()
    share = sum(not UNSTEADY & _codes(text) for text in runs) / len(runs)
    return "steady runs", Figure(100 * share, exact=True), " %"


def _codes(text: str) -> set[str]:
    """Codes of all remarks on a run."""
    remarks = json.loads(text) if text else {}
    return {code for by_metric in remarks.values() for said in by_metric.values() for code in said}


def wasted_by_units(here: Cells) -> Measured:
    """What full-sequence programming wastes, of what programming page by page does."""
    ratio = known(here, here.ratio(WASTED, BASELINE, TP), WASTED, TP)
    return f"pages wasted, `{BASELINE}` over `{TP}`", ratio, ""


def left(here: Cells, scheme: str, words: str = "") -> Measured:
    """What a scheme leaves of the baseline's waste."""
    share = known(here, percent(here.ratio(WASTED, scheme, BASELINE)), WASTED, BASELINE)
    return f"waste that {words or f'`{scheme}`'} leaves", share, " %"


def fewer_moved(here: Cells, base: str) -> Measured:
    """How many fewer pages CoupledCB moves, with those that fill units."""
    return f"fewer moved than `{base}`", fewer(here, MOVED, COUPLED, base), " %"


def fewer_of_victims(here: Cells, base: str) -> Measured:
    """How many fewer pages CoupledCB moves, without those that fill units."""
    of = reduction(here.of_victims(COUPLED, base))
    return f"fewer of victims than `{base}`", known(here, of, MOVED, base), " %"


def fewer(here: Cells, metric: str, scheme: str, base: str) -> Figure | None:
    """Reduction in percent; none where there is nothing to reduce."""
    return known(here, reduction(here.ratio(metric, scheme, base)), metric, base)
