"""The figure of all comparisons: ratios to each scheme's own baseline."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt

from reclaim.charts import AnyChart, Records, chart_of, told_apart
from reclaim.report.ratios import COLOUR, Shown
from reclaim.result.sets.comparisons import Comparison
from reclaim.result.sets.metrics import HEADLINE, describe

PANEL_WIDTH = 430
BAND = 26
SHAPES: dict[Shown, str] = {
    "lower": "circle",
    "higher": "square",
    "no measurable difference": "diamond",
    "no interval": "triangle-up",
    "inconclusive": "cross",
}
"""What colours say, without colour."""


def _records(compared: Sequence[Comparison]) -> dict[str, Records]:
    found: dict[str, Records] = {}
    for each in compared:
        for figure in each.figures:
            if figure.value is None or figure.value <= 0:
                continue
            low, high = figure.ends
            record = {
                "comparison": each.name,
                "candidate": each.candidate,
                "baseline": each.baseline,
                "way": figure.way,
            }
            numbers = {"value": figure.value, "low": low, "high": high}
            found.setdefault(figure.metric, []).append(
                record | {key: float(f"{number:.5g}") for key, number in numbers.items()}
            )
    return found


def _across(field: str, domain: tuple[float, float]) -> alt.X:
    """The axis of ratios, the same in every panel: what looks large is large."""
    return alt.X(
        f"{field}:Q",
        title="ratio to its own baseline (log scale)",
        scale=alt.Scale(type="log", nice=False, padding=12, domain=list(domain)),
        axis=alt.Axis(format="~r", tickCount=8),
    )


def ratios(compared: Sequence[Comparison]) -> AnyChart:
    """A panel for each metric: comparisons down, ratio across, with 95 % intervals."""
    names = [each.name for each in compared]
    ways = list(COLOUR)
    colour = told_apart(alt.Color, "way", ways, [COLOUR[way] for way in ways])
    shape = told_apart(alt.Shape, "way", ways, [SHAPES[way] for way in ways])
    down = alt.Y("comparison:N", sort=names, title=None, axis=alt.Axis(labelLimit=170))
    tooltip = [
        alt.Tooltip("candidate:N"),
        alt.Tooltip("baseline:N"),
        *(alt.Tooltip(f"{key}:Q", format=".3f") for key in ("value", "low", "high")),
    ]
    panels = []
    of_metric = _records(compared)
    ends = [each[end] for records in of_metric.values() for each in records for end in ("low", "high")]
    domain = min([*ends, 1.0]), max([*ends, 1.0])
    for metric, records in sorted(of_metric.items(), key=lambda each: HEADLINE.index(each[0])):
        chart = chart_of(records)
        parts = [
            chart_of([{"one": 1}])
            .mark_rule(color="#888888", strokeDash=[4, 3])
            .encode(x=_across("one", domain)),
            chart.mark_rule(strokeWidth=2).encode(
                x=_across("low", domain), x2=alt.X2("high:Q"), y=down, color=colour, tooltip=tooltip
            ),
            chart.mark_point(filled=True, size=70, opacity=1).encode(
                x=_across("value", domain), y=down, color=colour, shape=shape, tooltip=tooltip
            ),
        ]
        title, height = describe(metric).label, BAND * len({each["comparison"] for each in records})
        panels.append(alt.layer(*parts, title=title, width=PANEL_WIDTH, height=height))
    return alt.concat(*panels, columns=2)
