"""Figures 3 to 6 of the paper, of our runs, and the map of parameters and loads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt
import polars as pl

from reclaim.charts import PALETTE, AnyChart, Records, chart_of
from reclaim.papers.custom import Drawing, Ran

from .course import Course
from .gains import ADAPTIVE, FROM_THE_START, GATED_ALL, SCHEMES, WORKLOADS
from .maps import maps, summaries
from .statements import PAGES

HALF, HEIGHT = 430, 130
POINTS = 240
"""Parts of a run that are told apart in a panel."""
COLOURS = dict(zip(SCHEMES, PALETTE, strict=False))
SERIES = {
    "completed_requests": ("sum", "requests completed"),
    "outstanding_requests": ("max", "requests waiting"),
    "gc_channels": ("max", "channels collecting"),
    "erases": ("sum", "blocks erased"),
    "free_blocks": ("last", "empty blocks"),
}
MAP = "map"


def drawings(ran: Ran) -> list[Drawing]:
    """All that the level has data for."""
    found = []
    points, timelines = ran.cells("cells"), ran.timelines("cells")
    if not timelines.is_empty():
        course = Course.of(points, timelines, PAGES)
        if set(WORKLOADS) <= set(course.workloads):
            found += _of_time(course)
    every = ran.points
    if not every.is_empty() and set(WORKLOADS) <= set(points["trace"].to_list()):
        found += summaries(every.filter(pl.col("experiment_key") == "cells"))
    cells = ran.cells(MAP)
    if not cells.is_empty():
        found += maps(cells)
    return found


def _of_time(course: Course) -> list[Drawing]:
    return [
        Drawing(
            "Figure 3: what the host asks for over time",
            "Requests completed in equal parts of the run, under the adaptive scheme, repeat 0. Slices are "
            "played again and again, which shows as a period.",
            _concat([_panel(course, name, [ADAPTIVE], "completed_requests", name) for name in WORKLOADS]),
        ),
        Drawing(
            "Figure 4: Cassandra, all channels from the beginning and adaptive",
            "Requests completed, most requests waiting and most channels collecting in each part of the run.",
            _side_by_side(course, "cassandra", (FROM_THE_START, ADAPTIVE)),
        ),
        Drawing(
            "Figure 5: MongoDB, all channels from 70 % usage and adaptive",
            "As Figure 4.",
            _side_by_side(course, "mongodb", (GATED_ALL, ADAPTIVE)),
        ),
        Drawing(
            "Figure 6: Cassandra, empty blocks and blocks erased",
            "Erased blocks of all planes, without open ones, at the end of each part of the run; and blocks "
            "erased so far.",
            _concat(
                [
                    _panel(course, "cassandra", SCHEMES, "free_blocks", "(a)"),
                    _panel(course, "cassandra", SCHEMES, "erases", "(b)", summed=True),
                ]
            ),
        ),
        Drawing(
            "Adaptive over time: SQLite, beside all channels from the beginning",
            "As Figure 4: blocks that are collected early still hold data, and moving it takes channels.",
            _side_by_side(course, "sqlite", (FROM_THE_START, ADAPTIVE)),
        ),
        Drawing(
            "Adaptive over time: SQLite, beside all channels from 70 % usage",
            "As Figure 4: a gate at 70 % opens later than theta1 at 50 %. Both wait for idle channels.",
            _side_by_side(course, "sqlite", (GATED_ALL, ADAPTIVE)),
        ),
    ]


def _side_by_side(course: Course, workload: str, schemes: Sequence[str]) -> AnyChart:
    """A row of panels for each series, a column for each scheme, with the same scale in a row."""
    panels = []
    for column in ("completed_requests", "outstanding_requests", "gc_channels"):
        rows = {each: _series(course, workload, each, column) for each in schemes}
        most = max(row["value"] for each in rows.values() for row in each)
        panels += [_lines(rows[each], SERIES[column][1], each, most) for each in schemes]
    return _concat(panels)


def _series(
    course: Course, workload: str, scheme: str, column: str, *, summed: bool = False
) -> list[dict[str, Any]]:
    """A column of the timeline of repeat 0 in few equal parts."""
    how = getattr(pl.col(column), SERIES[column][0])
    run = course.run(workload, scheme, course.repeats[0])
    size = max(1, -(-run.height // POINTS))
    parts = run.with_row_index("at").group_by(pl.col("at") // size, maintain_order=True)
    found = parts.agg(pl.col("start_ns").first(), how().alias("value"))
    values = found["value"].cum_sum() if summed else found["value"]
    return [
        {"seconds": start / 1e9, "value": int(value), "scheme": scheme}
        for start, value in zip(found["start_ns"].to_list(), values.to_list(), strict=True)
    ]


def _panel(
    course: Course, workload: str, schemes: Sequence[str], column: str, title: str, *, summed: bool = False
) -> AnyChart:
    rows = [row for each in schemes for row in _series(course, workload, each, column, summed=summed)]
    return _lines(rows, SERIES[column][1], title, max(row["value"] for row in rows))


def _lines(rows: Records, what: str, title: str, most: float) -> AnyChart:
    names = list(dict.fromkeys(row["scheme"] for row in rows))
    colour = alt.Color(
        "scheme:N", scale=alt.Scale(domain=names, range=[COLOURS[each] for each in names]), title=None
    )
    return (
        chart_of(rows, width=HALF, height=HEIGHT, title=title)
        .mark_line(strokeWidth=1, interpolate="step-after")
        .encode(
            x=alt.X("seconds:Q", title="simulated time in s", scale=alt.Scale(zero=True, nice=False)),
            y=alt.Y("value:Q", title=what, scale=alt.Scale(domain=[0, max(most, 1)], nice=True)),
            color=colour,
            tooltip=["scheme:N", alt.Tooltip("seconds:Q", format=".3f"), alt.Tooltip("value:Q", title=what)],
        )
    )


def _concat(panels: Sequence[AnyChart]) -> AnyChart:
    return alt.concat(*panels, columns=2)
