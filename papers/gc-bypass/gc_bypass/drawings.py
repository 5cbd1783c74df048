"""Figures 8 to 16 and Table 2 of our runs, workload by workload."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import altair as alt
import polars as pl

from reclaim.charts import PALETTE, AnyChart, Records, chart_of
from reclaim.paper.toolkit import Cells, Drawing, LevelRuns, OfWorkload

from . import cells as of
from .cells import BASELINE, BYPASS, SCHEMES, VENICE
from .course import Course

TAIL = "all_p99_99_ns"
MEANS = {
    "Figure 8: mean response time": "latency_ns",
    "Figure 9: mean response time of reads": "read_mean_ns",
    "Figure 10: mean response time of writes": "write_mean_ns",
}
WIDTH, HEIGHT = 150, 170
ACROSS = 4
"""Panels beside each other."""
SHORTEST_NS = 1000
"""Drawn instead of less: what a buffer answers takes no time, which a logarithmic axis cannot show."""
CURVE = 200
"""Points of a curve of a distribution."""


def drawings(runs: LevelRuns) -> list[Drawing]:
    """All that the level has data for."""
    found: list[Drawing] = []
    if cells := Cells.of(runs, "cells"):
        found += _of_cells(cells)
        if course := Course.of(runs, "cells"):
            found.append(_course(cells, course))
        found += [_use(cells), _overhead(cells)]
    if cells := Cells.of(runs, "closed"):
        text = "32 requests outstanding; bytes read and written a second: more is faster."
        found.append(_beside(cells, "bandwidth", "Figure 11: bandwidth", text))
        found.append(_write_back(cells, Course.of(runs, "closed")))
    if cells := Cells.of(runs, "million"):
        text = "The first million requests; less is faster."
        found.append(_beside(cells, TAIL, "Figure 12 of a million requests", text))
    if cells := Cells.of(runs, "batches"):
        found.append(_batches(cells))
    return found


def _median(cells: Cells, of: OfWorkload, name: str) -> float:
    """The median over repeats."""
    return cells.one(of, name).value


def _rows(
    value: str, names: Sequence[str], schemes: Sequence[str], compute: Callable[[str, str], float]
) -> Records:
    """What is computed of each workload and scheme."""
    return [
        {"workload": name, "scheme": scheme, value: compute(name, scheme)}
        for name in names
        for scheme in schemes
    ]


def _bars(rows: Records, value: str, title: str, schemes: Sequence[str]) -> AnyChart:
    """A group of bars for each workload."""
    order = list(dict.fromkeys(row["workload"] for row in rows))
    colour = alt.Color("scheme:N", sort=list(schemes), title=None, scale=alt.Scale(range=list(PALETTE)))
    return (
        chart_of(rows)
        .mark_bar()
        .encode(
            x=alt.X("workload:N", sort=order, title=None),
            xOffset=alt.XOffset("scheme:N", sort=list(schemes)),
            y=alt.Y(f"{value}:Q", title=title),
            color=colour,
        )
        .properties(width=56 * len(order) + 60, height=HEIGHT)
    )


def _beside(
    cells: Cells,
    metric: str,
    title: str,
    caption: str = "Less is faster.",
    names: Sequence[str] = (),
    schemes: Sequence[str] = SCHEMES[1:],
) -> Drawing:
    """A figure of each scheme over the baseline's."""
    names = names or cells.workloads
    there = [scheme for scheme in schemes if scheme in cells.schemes]
    rows = _rows(
        "ratio",
        names,
        there,
        lambda name, scheme: _median(cells, cells.ratio(metric, scheme, BASELINE), name),
    )
    return Drawing(
        title, f"The baseline is 1. {caption}".strip(), _bars(rows, "ratio", "ratio to the baseline", schemes)
    )


def _of_cells(cells: Cells) -> list[Drawing]:
    msr = [name for name in cells.workloads if name in of.MSR]
    alibaba = [name for name in cells.workloads if name in of.ALIBABA]
    found = [_beside(cells, metric, title) for title, metric in MEANS.items()]
    if msr:
        found += [_curves(cells, msr), _beside(cells, TAIL, "Figure 12: 99.99th percentile", names=msr)]
    if alibaba:
        found.append(_beside(cells, "latency_ns", "Figure 14: Alibaba", names=alibaba))
    return found


def _panels(panels: Sequence[AnyChart]) -> AnyChart:
    rows = [alt.hconcat(*panels[at : at + ACROSS]) for at in range(0, len(panels), ACROSS)]
    return alt.vconcat(*rows)


def _curves(cells: Cells, names: Sequence[str]) -> Drawing:
    panels = []
    for name in names:
        rows: Records = []
        for scheme in SCHEMES:
            point = str(cells.row(name, scheme, cells.repeats[0])["point"])
            here = cells.histograms.filter(pl.col("point") == point).sort("upper_ns")
            above = 1 - (here["count"].cum_sum() - here["count"]) / here["count"].sum()
            step = max(1, here.height // CURVE)
            rows += [
                {"scheme": scheme, "ms": max(upper, SHORTEST_NS) / 1e6, "share": share}
                for at, (upper, share) in enumerate(zip(here["upper_ns"], above, strict=True))
                if at % step == 0 or at == here.height - 1
            ]
        panels.append(_lines(rows, name, "ms:Q", "response time, ms", "share:Q", "share that takes longer"))
    return Drawing(
        "Figure 12: distribution of response times",
        "Share of the requests that take so long or longer, of the first repeat: what lies below 0.0001 is "
        "the tail of the 99.99th percentile.",
        _panels(panels),
    )


def _lines(rows: Records, name: str, x: str, x_title: str, y: str, y_title: str) -> AnyChart:
    both = alt.Scale(type="log")
    over_time = x.startswith("s:")
    return (
        chart_of(rows, title=name)
        .mark_line(strokeWidth=1.3, interpolate="linear" if over_time else "step-before")
        .encode(
            x=alt.X(x, title=x_title, scale=alt.Scale() if over_time else both, axis=alt.Axis(tickCount=4)),
            y=alt.Y(y, title=y_title, scale=both, axis=alt.Axis(tickCount=4)),
            color=alt.Color("scheme:N", sort=list(SCHEMES), title=None, scale=alt.Scale(range=list(PALETTE))),
        )
        .properties(width=WIDTH, height=HEIGHT)
    )


def _course(cells: Cells, course: Course) -> Drawing:
    panels = []
    for name in [each for each in cells.workloads if each in of.MSR]:
        rows: Records = [
            {"scheme": scheme, "s": at, "ms": mean}
            for scheme in (BASELINE, VENICE, BYPASS)
            for at, mean in course.means(name, scheme, cells.repeats[0])
        ]
        panels.append(_lines(rows, name, "s:Q", "time, s", "ms:Q", "mean, ms"))
    return Drawing(
        "Figure 13: response time over time",
        "Mean of the requests completed in each of 64 equal parts of the first repeat.",
        _panels(panels),
    )


def _use(cells: Cells) -> Drawing:
    rows = _rows(
        "used",
        cells.workloads,
        SCHEMES,
        lambda name, scheme: 100 * _median(cells, cells.metric("utilisation_die", scheme), name),
    )
    return Drawing(
        "Figure 15: chip utilisation",
        "Share of the time in which dies work, the mean over all, for the host and for collection.",
        _bars(rows, "used", "dies used, %", SCHEMES),
    )


def _overhead(cells: Cells) -> Drawing:
    names = [name for name in of.OVERHEAD if name in cells.workloads]
    schemes = ("pssd", VENICE, "smartnetssd", BYPASS)
    die = _beside(cells, "collection_ns", "", "", names, schemes).chart.properties(title="time of dies")
    job = _beside(cells, "jobs_ns", "", "", names, schemes).chart.properties(
        title="begin of a job to the last write-back"
    )
    return Drawing(
        "Figure 16: overhead of collection",
        "The baseline is 1. Time of dies: all reads, programs and erases of collection. The other: time "
        "of all jobs from the begin until the victim is erased and its pages are in flash again.",
        alt.vconcat(die, job),
    )


def _write_back(cells: Cells, course: Course) -> Drawing:
    schemes = (VENICE, BYPASS)

    def rate(name: str, scheme: str) -> float:
        def one(repeat: int) -> float:
            until = cells.value("simulated_ns", name, scheme, repeat)
            return course.relocation_rate(name, scheme, repeat, until)

        return cells.figure(one).value

    rows = _rows("rate", cells.workloads, schemes, rate)
    rule = (
        chart_of([{"rate": of.BOUND_PAGES_PER_S}, {"rate": 2 * of.BOUND_PAGES_PER_S}])
        .mark_rule(strokeDash=[4, 3], color="#57606a")
        .encode(y="rate:Q")
    )
    return Drawing(
        "Pages relocated in a second, and what a held circuit allows",
        f"32 requests outstanding, up to the last completion. The lines are {of.BOUND_PAGES_PER_S:,.0f} and "
        f"{2 * of.BOUND_PAGES_PER_S:,.0f} pages a second: two dies of the chip at a page in 750 us each, "
        "or at two with both planes together, which nobody does here.",
        _bars(rows, "rate", "pages a second", schemes) + rule,
    )


def _batches(cells: Cells) -> Drawing:
    (workload, *_) = cells.workloads
    labels = {scheme: "1-batch" if scheme == BYPASS else scheme for scheme in cells.schemes}
    times = {"time of dies for collection": "collection_ns", "mean latency": "latency_ns"}
    rows: Records = [
        {
            "workload": what,
            "scheme": label,
            "ratio": _median(cells, cells.ratio(metric, scheme, BYPASS), workload),
        }
        for scheme, label in labels.items()
        for what, metric in times.items()
        if scheme != BASELINE
    ]
    valid = _median(cells, cells.metric("gc_valid_pages_per_victim", BYPASS), workload)
    return Drawing(
        "Table 2: a victim in batches",
        f"One batch is 1. Victims hold {valid:.0f} valid pages of {of.PAGES}, the mean over all.",
        _bars(rows, "ratio", "over one batch", list(dict.fromkeys(row["scheme"] for row in rows))),
    )
