"""GC bypass in parts, the networks under three loads, and what goes past the paper."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt
import polars as pl

from reclaim.charts import PALETTE, AnyChart, Records, chart_of
from reclaim.papers import latencies
from reclaim.papers.custom import Drawing, Ran
from reclaim.papers.measured import interval_of

from .cells import BASELINE, BYPASS, PAGES, VENICE, Cells, valid_pages

DESTINATIONS = {
    BASELINE: "baseline",
    "home": "back to their plane",
    "free": "to the least-worn idle plane",
    BYPASS: "to the least-worn idle chip",
    "by-space": "… planes of the chip by space",
}
"""Schemes of the experiment, and how they are called in the chart."""
LOADS = {"own": "recorded pace", "60%": "dies used 60 %", "closed": "32 requests outstanding"}


def further(ran: Ran) -> list[Drawing]:
    """All of it that the level has data for."""
    found = []
    for name, title in (
        ("separated", "GC bypass in parts, and other readings"),
        ("past", "Past the paper"),
        ("recordings", "Our recordings, which trim"),
    ):
        points = ran.cells(name)
        if not points.is_empty():
            found.append(_separated(Cells.of(points, ran.sweeps / name), title))
    points = ran.cells("destinations")
    if not points.is_empty():
        found.append(_destinations(Cells.of(points, ran.sweeps / "destinations")))
    points = ran.cells("network-loads")
    if not points.is_empty():
        found.append(_loads(points))
    return found


def _destinations(cells: Cells) -> Drawing:
    """Valid pages of a victim under each destination of what is written back."""
    rows: Records = [
        {"workload": name, "scheme": title, "pages": cells.median(valid_pages, name, scheme)}
        for name in cells.workloads
        for scheme, title in DESTINATIONS.items()
    ]
    axis = alt.X("pages:Q", title=f"valid pages of a victim, of {PAGES}", axis=alt.Axis(tickCount=5))
    return Drawing(
        "Where pages are written back, and how full victims are",
        "The mean over all victims; medians of the repeats. Under the baseline and with the first "
        "destination every page stays in its plane.",
        _dots(rows, "", list(DESTINATIONS.values()), axis, 420),
    )


def _loads(points: pl.DataFrame) -> Drawing:
    """Means of reads of each network over the bus's, a panel for each load rule."""
    schemes = [str(each) for each in points["scheme"].unique(maintain_order=True).to_list()]
    panels = []
    for rule, title in LOADS.items():
        here = points.filter(pl.col("load_rule") == rule)
        rows: Records = []
        for (trace, scheme), cell in here.group_by("trace", "scheme", maintain_order=True):
            bus = here.filter((pl.col("trace") == trace) & (pl.col("scheme") == "baseline"))
            pairs = cell.join(bus, on="repeat", suffix="_of_bus")
            ratios = (pairs["read_mean_ns"] / pairs["read_mean_ns_of_bus"]).to_list()
            rows.append({"workload": trace, "scheme": scheme, "ratio": interval_of(ratios).value})
        axis = alt.X(
            "ratio:Q",
            title="mean of reads over the bus's",
            scale=alt.Scale(zero=False),
            axis=alt.Axis(tickCount=3),
        )
        panels.append(_dots(rows, title, schemes, axis, 200))
    return Drawing(
        "The networks under three loads",
        "The bus is 1: less is faster. Medians of the repeats; axes do not begin at 0.",
        alt.hconcat(*panels),
    )


def _dots(rows: Records, title: str, schemes: Sequence[str], x: alt.X, width: int) -> AnyChart:
    """A row for each scheme, a dot for each workload."""
    return (
        chart_of(rows, title=title)
        .mark_point(filled=True, size=45)
        .encode(
            x=x,
            y=alt.Y("scheme:N", sort=list(schemes), title=None),
            color=alt.Color("workload:N", title=None, scale=alt.Scale(range=list(PALETTE))),
        )
        .properties(width=width, height=18 * len(schemes))
    )


def _separated(cells: Cells, title: str) -> Drawing:
    """Each scheme's mean and tail over Venice's."""
    panels = []
    for what, metric in (("mean", latencies.mean), ("99.99th percentile", cells.tail)):
        rows: Records = [
            {
                "workload": name,
                "scheme": scheme,
                "ratio": cells.median(metric, name, scheme, VENICE),
            }
            for name in cells.workloads
            for scheme in cells.schemes
        ]
        axis = alt.X(
            "ratio:Q", title="ratio to Venice", scale=alt.Scale(type="log"), axis=alt.Axis(tickCount=4)
        )
        panels.append(_dots(rows, what, cells.schemes, axis, 280))
    return Drawing(title, "Venice is 1: less is faster. Medians of the repeats.", alt.hconcat(*panels))
