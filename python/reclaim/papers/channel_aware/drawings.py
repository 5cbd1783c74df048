"""Figures 3 to 6 of the paper, of our runs, and the map of parameters and loads."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import Any

import altair as alt
import polars as pl

from reclaim.charts import PALETTE, AnyChart, Records, chart_of
from reclaim.papers.channel_aware.course import Course
from reclaim.papers.channel_aware.gains import (
    ADAPTIVE,
    CONVENTIONAL,
    FROM_THE_START,
    GATED_ALL,
    READ,
    SCHEMES,
    WORKLOADS,
)
from reclaim.papers.channel_aware.statements import PAGES
from reclaim.papers.custom import Drawing, Ran

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
CLOSE = 0.02
"""Gains nearer to 1 than this are ties."""


def drawings(ran: Ran) -> list[Drawing]:
    """All that the level has data for."""
    found = []
    points, timelines = ran.cells("cells"), ran.timelines("cells")
    if not timelines.is_empty():
        course = Course.of(points, timelines, PAGES)
        if set(WORKLOADS) <= set(course.workloads):
            found += _of_time(course)
    cells = ran.cells(MAP)
    if not cells.is_empty():
        found += _maps(cells)
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
            "Where adaptive wins: SQLite, beside all channels from the beginning",
            "As Figure 4: blocks that are collected early still hold data, and moving it takes channels.",
            _side_by_side(course, "sqlite", (FROM_THE_START, ADAPTIVE)),
        ),
        Drawing(
            "Where it loses: SQLite, beside all channels from 70 % usage",
            "As Figure 4: a gate at 70 % waits longer than theta1 at 50 %, so that victims hold less.",
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


def _maps(cells: pl.DataFrame) -> list[Drawing]:
    """Mean write and read gain of each set of parameters under each load."""
    loads = cells["load_scale"].unique(maintain_order=True).to_list()
    settings = [
        each for each in cells["scheme"].unique(maintain_order=True).to_list() if each not in CONVENTIONAL
    ]
    found = []
    for metric, word, names in (
        ("write_mean_ns", "mean write latency", WORKLOADS),
        ("read_mean_ns", "mean read latency", READ),
    ):
        records = [
            record
            for load in loads
            for each in settings
            if (record := _map_record(cells, metric, names, load, each)) is not None
        ]
        if records:
            found.append(
                Drawing(
                    f"Thresholds, maximum and load: {word}",
                    "Best conventional scheme over adaptive with these parameters (theta1/theta2, Gmax), "
                    "geometric mean over workloads; above 1 adaptive wins. Loads: times as fast as recorded.",
                    _heat(records),
                )
            )
    return found


def _map_record(
    cells: pl.DataFrame, metric: str, names: Sequence[str], load: str, scheme: str
) -> dict[str, Any] | None:
    here = cells.filter(pl.col("load_scale") == load)
    gains = []
    for name in names:
        rows = dict(here.filter(pl.col("trace") == name).select("scheme", metric).iter_rows())
        ours = rows.get(scheme)
        others = [rows[each] for each in CONVENTIONAL if rows.get(each)]
        if ours and others:
            gains.append(min(others) / ours)
    if not gains:
        return None
    gain = statistics.geometric_mean(gains)
    verdict = "ties" if abs(gain - 1) <= CLOSE else "wins" if gain > 1 else "loses"
    return {"load": load, "parameters": scheme, "gain": gain, "text": f"{gain:.2f}", "verdict": verdict}


def _heat(records: Records) -> AnyChart:
    order = list(dict.fromkeys(each["parameters"] for each in records))
    loads = list(dict.fromkeys(each["load"] for each in records))
    base = chart_of(records, width=620, height=22 * len(order)).encode(
        x=alt.X("load:N", sort=loads, title="times as fast as recorded", axis=alt.Axis(labelAngle=0)),
        y=alt.Y("parameters:N", sort=order, title=None, axis=alt.Axis(labelLimit=220)),
    )
    scale = alt.Scale(scheme="redblue", domain=[0.5, 1.5], domainMid=1, clamp=True)
    tips = ["parameters:N", "load:N", alt.Tooltip("gain:Q", format=".3f"), "verdict:N"]
    rects = base.mark_rect().encode(color=alt.Color("gain:Q", scale=scale, title="gain"), tooltip=tips)
    text = base.mark_text(fontSize=11, color="#111111").encode(text="text:N")
    return rects + text
