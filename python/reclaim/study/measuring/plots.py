"""Charts of a measurement: requests a second round by round, and how far each line of a sheet is off."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import altair as alt

from reclaim.charts import PALETTE, AnyChart, Records, chart_of, dots, rows, told_apart
from reclaim.study.measuring.figures import WINDOW, Figures
from reclaim.study.measuring.plan import ComparedLine, Measurement
from reclaim.study.measuring.sheet import PublishedFigure

WIDTH, HEIGHT = 300, 170
STEP = 26
"""Pixels of a row."""
PERCENT = alt.Axis(format="+.0%")
IN, OUT = "in the steady window", "outside of it"


def steady(found: Measurement) -> AnyChart | None:
    """Draw the rounds of every steady load, the window marked; None where there is none.

    The dashed lines are a tenth above and below the average of the window: SNIA's range is a fifth of it.
    """
    there = [
        each for load in found.plan.loads if (each := found.figures.get(load)) and each.steady is not None
    ]
    if not there:
        return None
    return alt.vconcat(*map(_panel, there))


def _panel(each: Figures) -> AnyChart:
    records: Records = [
        {
            "round": place + 1,
            "iops": value,
            "where": IN if each.first <= place <= each.last and each.steady else OUT,
        }
        for place, value in enumerate(each.rounds)
    ]
    values = each.rounds[each.first : each.last + 1]
    mean = sum(values) / WINDOW
    top = 1.1 * max(*each.rounds, 1.1 * mean)
    x = alt.X("round:Q", title="round", axis=alt.Axis(tickMinStep=1, format="d"))
    y = alt.Y(
        "iops:Q", title="requests/s", scale=alt.Scale(domain=[0, top], nice=False), axis=alt.Axis(format="~s")
    )
    colour = told_apart(alt.Color, "where", [IN, OUT], [PALETTE[1], PALETTE[0]])
    marks = dots(records, x=x, y=y, color=colour)
    line = chart_of(records).mark_line(color="#8c959f", strokeWidth=1).encode(x=x, y=y)
    bounds: Records = [
        {"round": place + 1, "iops": mean * times, "side": f"{times}"}
        for times in (0.9, 1.1)
        for place in (each.first, each.last)
    ]
    band = chart_of(bounds).mark_line(strokeDash=[4, 3], color=PALETTE[1]).encode(x=x, y=y, detail="side:N")
    title = f"{each.load.state}: {each.load.label}" + ("" if each.steady else ": not steady")
    return (line + band + marks).properties(width=2 * WIDTH, height=HEIGHT, title=title)


def errors(found: Measurement) -> AnyChart | None:
    """Draw how far each line that counts is off, and the naive predictor; None where there is none."""
    counted = [each for each in found.compared if each.line.counts]
    if not counted:
        return None
    marks = beside_naive(counted, "simulated", alt.X("error:Q", title="error", axis=PERCENT))
    none = chart_of([{"error": 0}]).mark_rule(strokeDash=[4, 3]).encode(x="error:Q")
    count = len({name_of(each.line) for each in counted})
    return (none + marks).properties(width=2 * WIDTH, height=STEP * count)


def name_of(line: PublishedFigure) -> str:
    """Name a line of a sheet."""
    return f"{line.load.state} {line.load.label}, {line.metric} ({line.use})"


def beside_naive(compared: Iterable[ComparedLine], who: str, x: Any) -> AnyChart:
    """Mark how far lines of a sheet are off: of a drive, and of the naive predictor."""
    records: Records = []
    for each in compared:
        line = name_of(each.line)
        records.append({"line": line, "error": each.error, "who": who})
        if each.naive_error is not None:
            records.append({"line": line, "error": each.naive_error, "who": "naive"})
    whose = [who, "naive"]
    colour = told_apart(alt.Color, "who", whose, [PALETTE[0], PALETTE[4]])
    shape = told_apart(alt.Shape, "who", whose, ["circle", "diamond"])
    return dots(records, 70, x=x, y=rows("line", limit=400), color=colour, shape=shape)
