"""What the report of a set has of comparisons that its experiment names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from reclaim.charts import finished, panels_of
from reclaim.results.sets.comparison_plots import ratios
from reclaim.results.sets.comparisons import Comparison
from reclaim.results.sets.report_figures import FIRST, Figure, figures
from reclaim.results.sets.report_tables import SetTable, tables


@dataclass(frozen=True)
class Section:
    """One comparison on the page."""

    comparison: Comparison
    figures: list[Figure]
    tables: list[SetTable]


def overview(compared: Sequence[Comparison]) -> list[Figure]:
    """The figure of all of them; none where nothing was measured of any."""
    if not any(each.figures for each in compared):
        return []
    caption = (
        "Each scheme over its own baseline: the median ratio of the repeats, paired by repeat; below 1 is "
        "better. Lines are 95 % intervals, where there are six repeats and they differ. Pink where a verdict "
        "speaks against the figure of either."
    )
    return [
        Figure(
            "comparisons", "Each scheme over its own baseline", caption, panels_of(finished(ratios(compared)))
        )
    ]


def sections(compared: Sequence[Comparison]) -> list[Section]:
    """Latency, where the time went, and the table of each."""
    found = []
    for number, each in enumerate(compared):
        drawn = [
            replace(figure, name=f"comparison_{number}_{figure.name}")
            for figure in figures(each.results)
            if figure.name in FIRST
        ]
        first, _ = tables(each.results)
        found.append(Section(each, drawn, first))
    return found


def specs(overviews: Sequence[Figure], of_sections: Sequence[Section]) -> dict[str, dict[str, Any]]:
    """What the page draws, by the name of the figure."""
    drawn = [*overviews, *(figure for section in of_sections for figure in section.figures)]
    return {figure.name: figure.panels for figure in drawn}
