"""Comparisons that an experiment names, as the terminal shows them: one a line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from reclaim.units import MISSING

if TYPE_CHECKING:
    from reclaim.results.sets import ResultSet
    from reclaim.results.sets.comparisons import Figure, Way

LEGEND = "bold: lower or higher; ?: not established, and `reclaim results show` says why"
NAME_WIDTH = 21
"""Five metrics with their intervals stand beside it in 100 columns."""
STYLES: dict[Way, str] = {
    "lower": "bold",
    "higher": "bold",
    "no difference known": "",
    "not established": "dim",
}


def short_label(label: str) -> str:
    """What a narrow column calls a metric.

    >>> short_label("read p99.9 latency")
    'read p99.9'
    >>> short_label("write amplification (bytes)").split()
    ['write', 'amplif.', '(bytes)']
    """
    return label.removesuffix(" latency").replace("write amplification ", "write amplif.\n")


def comparison_table(results: ResultSet) -> Table | None:
    """Ratios of each scheme to its own baseline; None where the experiment names no comparison."""
    from reclaim.results.sets.comparisons import comparisons_of
    from reclaim.results.sets.metrics import HEADLINE, describe

    compared = comparisons_of(results)
    if not compared:
        return None
    metrics = {figure.metric for each in compared for figure in each.figures}
    labels = [describe(metric).label for metric in HEADLINE if metric in metrics]
    table = Table(
        title="Each scheme over its own baseline: ratios, with 95 % intervals",
        title_justify="left",
        caption=LEGEND,
        caption_justify="left",
    )
    table.add_column("", max_width=NAME_WIDTH)
    for label in labels:
        table.add_column(short_label(label), no_wrap=True)
    for each in compared:
        by_label = {figure.label: figure for figure in each.figures}
        name = (
            f"{each.name}\n{each.scheme} / {each.to}"
            if each.name != each.scheme
            else f"{each.name} / {each.to}"
        )
        table.add_row(name, *(cell(by_label.get(label)) for label in labels))
    return table


def cell(figure: Figure | None) -> Text | str:
    """The ratio with its mark, and below it the interval if there is one."""
    if figure is None or figure.value is None:
        return MISSING
    mark = "?" if figure.way == "not established" else ""
    value, _, interval = figure.ratio.partition(" ")
    return Text(f"{value}{mark}" + (f"\n{interval}" if interval else ""), STYLES[figure.way])
