"""Figures 4 and 8 to 11 of the paper, of our runs; and DGC in parts."""

from __future__ import annotations

import statistics
from collections.abc import Callable

import altair as alt
import polars as pl

from reclaim.charts import PALETTE, AnyChart, Records, chart_of
from reclaim.papers.custom import Drawing, Ran

from .beyond import beyond
from .gains import DGC, RAID5, SIZES, USUAL, WORKLOADS, Cells, of_sizes

WIDTH, HEIGHT = 120, 180
PARTS = {"array": "chip: array", "transfer": "chip: channel", "queue": "waiting", "gc": "collection"}
LOOKUP_NS = 1000.0
"""Of each request, in the queue's part: the setting of drive.toml."""
SEPARATED = "separated"


def drawings(ran: Ran) -> list[Drawing]:
    """All that the level has data for."""
    points = ran.cells("cells")
    if points.is_empty() or not set(WORKLOADS) <= set(points["trace"].to_list()):
        return []
    cells = Cells.of(points, ran.sweeps / "cells")
    found = [_breakdown(cells), _latencies(cells, "mean", "8"), _latencies(cells, "p99", "9"), _counts(cells)]
    sizes = of_sizes(ran)
    if sizes is not None:
        found.append(_sizes(sizes))
    other = ran.cells(SEPARATED)
    if not other.is_empty():
        found.append(_separated(other))
    return found + beyond(ran)


def _medians(cells: Cells, compute: Callable[[str, int], float]) -> dict[str, float]:
    """By workload: the median over the repeats of what is computed of each."""
    return {name: statistics.median(compute(name, repeat) for repeat in cells.repeats) for name in WORKLOADS}


def _breakdown(cells: Cells) -> Drawing:
    def part_of(part: str) -> dict[str, float]:
        return _medians(cells, lambda name, repeat: cells.part(cells.row(name, RAID5, repeat), part))

    rows: Records = [{"workload": name, "part": "lookup", "us": LOOKUP_NS / 1000} for name in WORKLOADS]
    for part, label in PARTS.items():
        less = LOOKUP_NS if part == "queue" else 0.0
        for name, value in part_of(part).items():
            rows.append({"workload": name, "part": label, "us": (value - less) / 1000})
    chart = (
        chart_of(rows)
        .mark_bar()
        .encode(
            x=alt.X("workload:N", sort=list(WORKLOADS), title=None),
            y=alt.Y("us:Q", title="mean response time, us"),
            color=alt.Color("part:N", scale=alt.Scale(range=list(PALETTE)), title=None),
            order=alt.Order("part:N"),
        )
        .properties(width=420, height=HEIGHT)
    )
    return Drawing(
        "Figure 4: what response times are made of, under RAID-5",
        "Of the part that ended last of each request. The lookup, a microsecond, is taken out of waiting.",
        chart,
    )


def _latencies(cells: Cells, kind: str, number: str) -> Drawing:
    def ratios(of: str) -> dict[str, float]:
        return _medians(cells, lambda name, repeat: cells.ratio(kind, of, name, repeat))

    rows: Records = [
        {"of": of, "workload": name, "ratio": value}
        for of in ("total", "write", "read")
        for name, value in ratios(of).items()
    ]
    return Drawing(
        f"Figure {number}: {'mean' if kind == 'mean' else '99th percentile'} response times beside RAID-5",
        "RAID-5 is 1: less is faster. Parity groups of eight chips.",
        _bars(rows, "ratio", "RAID-5 + DGC / RAID-5", "of"),
    )


def _counts(cells: Cells) -> Drawing:
    """What DGC does, and how busy the drive is."""

    def counted(scheme: str, metric: str) -> dict[str, float]:
        return _medians(cells, lambda name, repeat: cells.row(name, scheme, repeat)[metric])

    used = counted(RAID5, "utilisation_die")
    values = {
        "jobs, RAID-5": counted(RAID5, "gc_jobs"),
        "jobs, DGC": counted(DGC, "gc_jobs"),
        "deferred jobs": counted(DGC, "gc_deferral_deferred_jobs"),
        "redirected pages": counted(DGC, "gc_deferral_redirects"),
    }
    rows: Records = [
        {"of": what, "workload": f"{name}, dies used {100 * used[name]:.2g} %", "count": count}
        for what, counts in values.items()
        for name, count in counts.items()
    ]
    return Drawing(
        "Collections and redirections, and how much the dies are used",
        "Deferred jobs are the right-hand axis of the paper's Figure 8, which it does not print.",
        _bars(rows, "count", "number", "of"),
    )


def _bars(rows: Records, value: str, title: str, of: str) -> AnyChart:
    """A panel of bars for each of what `of` tells apart, on the same scale."""
    most = max(row[value] for row in rows)
    panels: list[AnyChart] = []
    for what in dict.fromkeys(row[of] for row in rows):
        first = not panels
        panels.append(
            chart_of([row for row in rows if row[of] == what], title=what)
            .mark_bar()
            .encode(
                x=alt.X("workload:N", sort=None, title=None),
                y=alt.Y(f"{value}:Q", title=title if first else None, scale=alt.Scale(domain=[0, most])),
                color=alt.Color("workload:N", sort=None, legend=None, scale=alt.Scale(range=list(PALETTE))),
            )
            .properties(width=WIDTH, height=HEIGHT)
        )
    return alt.hconcat(*panels)


def _sizes(cells: Cells) -> Drawing:
    def means(chips: int) -> dict[str, float]:
        return _medians(cells, lambda name, repeat: cells.mean(cells.row(name, DGC, repeat, chips), "total"))

    def gains(chips: int) -> dict[str, float]:
        return _medians(
            cells, lambda name, repeat: 100 * (1 - cells.ratio("mean", "total", name, repeat, chips))
        )

    panels: list[AnyChart] = []
    for title, of_size, scale in (
        ("mean response time, us", means, 1000.0),
        ("gain over RAID-5, %", gains, 1.0),
    ):
        rows: Records = [
            {"workload": name, "chips": str(chips), "value": value / scale}
            for chips in SIZES
            for name, value in of_size(chips).items()
        ]
        colour = alt.Color(
            "workload:N", sort=list(WORKLOADS), title=None, scale=alt.Scale(range=list(PALETTE))
        )
        panels.append(
            chart_of(rows)
            .mark_line(point=True)
            .encode(
                x=alt.X("chips:N", sort=[str(each) for each in SIZES], title="chips of a parity group"),
                y=alt.Y("value:Q", title=title),
                color=colour,
            )
            .properties(width=260, height=HEIGHT)
        )
    return Drawing(
        "Figures 10 and 11: other parity groups",
        f"Mean response time under DGC, and what it gains; {USUAL} chips is the usual group.",
        alt.hconcat(*panels),
    )


def _separated(points: pl.DataFrame) -> Drawing:
    rows: Records = []
    for (trace, scheme), part in points.group_by(["trace", "scheme"], maintain_order=True):
        if scheme == RAID5:
            continue
        ratios = []
        for repeat in sorted(part["repeat"].to_list()):
            means = [
                Cells(points, pl.DataFrame()).mean(
                    points.filter(
                        (pl.col("trace") == trace) & (pl.col("scheme") == each) & (pl.col("repeat") == repeat)
                    ).row(0, named=True),
                    "total",
                )
                for each in (scheme, RAID5)
            ]
            ratios.append(means[0] / means[1])
        rows.append({"of": trace, "workload": scheme, "ratio": statistics.median(ratios)})
    return Drawing(
        "DGC in parts",
        "Mean response time beside RAID-5, which is 1: redirection alone, idle collection alone, both; "
        "reading around chips that collect; redirection of whatever finds its chip busy.",
        _bars(rows, "ratio", "over RAID-5", "of"),
    )
