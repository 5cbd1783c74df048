"""The figure of comparisons for a paper: ratios to each scheme's own baseline, told apart without colour."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from reclaim.result.sets.comparison_plots import COLOURS
from reclaim.result.sets.comparisons import Comparison, Way
from reclaim.result.sets.metrics import HEADLINE, describe

LINE_INCHES = 0.17
"""Height of a comparison in a panel."""
BESIDE_INCHES = 0.42
"""Height of what a panel has besides."""
KEY = "filled: lower (disc) or higher (square); hollow: no difference; ×: not established"
MARKS: dict[Way, dict[str, Any]] = {
    "lower": {"marker": "o"},
    "higher": {"marker": "s"},
    "no difference known": {"marker": "o", "markerfacecolor": "white"},
    "not established": {"marker": "x"},
}


def drawn(compared: Sequence[Comparison], width_inches: float, figure_class: Any) -> Any:
    """A panel for each metric, one below the other, over one axis; None where nothing was measured."""
    found = {
        metric: [
            (each.name, figure) for each in compared for figure in each.figures if figure.metric == metric
        ]
        for metric in HEADLINE
    }
    panels = {
        metric: [(name, figure) for name, figure in rows if figure.value]
        for metric, rows in found.items()
        if any(figure.value for _, figure in rows)
    }
    if not panels:
        return None
    heights = [len(rows) * LINE_INCHES + BESIDE_INCHES for rows in panels.values()]
    figure = figure_class(figsize=(width_inches, sum(heights) + 0.3), layout="constrained")
    axes = figure.subplots(len(panels), 1, sharex=True, squeeze=False, height_ratios=heights)[:, 0]
    for axis, (metric, rows) in zip(axes, panels.items(), strict=True):
        axis.axvline(1, color="#888888", linewidth=0.6, linestyle=(0, (4, 3)))
        for place, (_, each) in enumerate(rows):
            value, (low, high) = each.value or 0.0, each.ends
            ends = [[value - low], [high - value]]
            mark = {"color": COLOURS[each.way], "markersize": 3.5, **MARKS[each.way]}
            axis.errorbar([value], [place], xerr=ends, **mark)
        axis.set_yticks(range(len(rows)), [name for name, _ in rows])
        axis.set_ylim(len(rows) - 0.5, -0.5)
        axis.set_title(describe(metric).label, loc="left", fontsize=8)
    axes[-1].set_xlabel(f"ratio to its own baseline\n{KEY}", fontsize=6)
    return figure
