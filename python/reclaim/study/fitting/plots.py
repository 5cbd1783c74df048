"""Charts of a fit: what of its range each unknown can be, and what permitted drives make of each line."""

from __future__ import annotations

import altair as alt

from reclaim.charts import PALETTE, AnyChart, Records, chart_of, dots, rows
from reclaim.study.fitting.plan import Fit
from reclaim.study.measuring.plots import PERCENT, beside_naive, name_of

WIDTH, STEP = 560, 26
"""Pixels: of a chart, and of a row."""
BAND = "#9ecae1"


def unknowns(found: Fit) -> AnyChart:
    """Draw each unknown from the low end of its declared range to the high one, in equal ratios."""
    records: Records = []
    for place, each in enumerate(found.plan.sheet.unknowns):
        low, high = found.span(place)
        at = found.best.solution.places[place]
        name = f"{each.key}, {each.range_text()}"
        records.append({"unknown": name, "least": low, "most": high, "solved": at})
    scale = alt.Scale(domain=[0, 1], nice=False)
    names = rows("unknown", limit=400)
    ends = alt.Axis(
        values=[0, 1],
        labelExpr="datum.value == 0 ? 'low end' : 'high end'",
        grid=False,
    )
    band = (
        chart_of(records)
        .mark_bar(height=14, color=BAND)
        .encode(x=alt.X("least:Q", scale=scale, title="declared range", axis=ends), x2="most:Q", y=names)
    )
    solved = alt.X("solved:Q", scale=scale)
    marks = dots(records, 70, x=solved, y=names, color=alt.value(PALETTE[0]))
    return (band + marks).properties(width=WIDTH, height=STEP * len(records))


def lines(found: Fit) -> AnyChart | None:
    """Draw how far each line that counts is off: what permitted drives reach, the solution, the naive one."""
    counted = [each for each in found.best.measured.compared if each.line.counts]
    if not counted:
        return None
    bands: Records = []
    for each in counted:
        low, high = (value / each.line.value - 1 for value in found.range_of(each.line))
        bands.append({"line": name_of(each.line), "low": low, "high": high})
    names = rows("line", limit=400)
    band = (
        chart_of(bands)
        .mark_bar(height=14, color=BAND)
        .encode(x=alt.X("low:Q", title="error", axis=PERCENT), x2="high:Q", y=names)
    )
    marks = beside_naive(counted, "solved", "error:Q")
    none = chart_of([{"error": 0}]).mark_rule(strokeDash=[4, 3]).encode(x="error:Q")
    return (band + none + marks).properties(width=WIDTH, height=STEP * len(bands))
