"""Figures past the paper: tails, mechanisms under load, other collectors, networks, lost chips."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from dataclasses import dataclass

import altair as alt
import polars as pl

from reclaim.charts import PALETTE, AnyChart, Records, chart_of
from reclaim.papers.custom import Drawing, Ran

from .gains import DGC, RAID5

METRICS = {
    "read_mean_ns": "mean read",
    "read_p99_9_ns": "p99.9 of reads",
    "write_mean_ns": "mean write",
    "write_p99_9_ns": "p99.9 of writes",
    "write_p99_99_ns": "p99.99 of writes",
}
WIDTH, ROW = 130, 34
BaselineOf = Callable[[str], str]
"""The scheme that a scheme is compared with."""


@dataclass(frozen=True)
class Shown:
    """An experiment, how its figure is called, and what is compared in it."""

    experiment: str
    title: str
    caption: str
    baseline_of: BaselineOf


def _raid5(_: str) -> str:
    return RAID5


def _same_collector(scheme: str) -> str:
    return scheme.replace(DGC, RAID5, 1)


def _healthy(scheme: str) -> str:
    return f"{scheme.partition(',')[0]}, healthy"


FIGURES = (
    Shown(
        "cells",
        "Tails of response times beside RAID-5",
        "Medians over the repeats of the ratio to RAID-5, which is 1: less is faster. Times of the trace.",
        _raid5,
    ),
    Shown(
        "busy",
        "DGC in parts where chips have work to do",
        "Beside RAID-5, which is 1. Arrival times are such that the host's own pages alone use the dies for "
        "a tenth of the time.",
        _raid5,
    ),
    Shown(
        "others",
        "Deferred collection with other victims, and with a limit of channels that collect",
        "DGC beside RAID-5 with the same victims and limit. First-in-first-out at the times of the trace, "
        "the others as in the figure before. Where there is no bar, the ratio is next to 0.",
        _same_collector,
    ),
    Shown(
        "networks",
        "Deferred collection on eight channels of eight chips",
        "DGC beside RAID-5 on the same network: a bus for each channel, or a mesh of all chips.",
        _same_collector,
    ),
    Shown(
        "rebuild",
        "A lost chip",
        "Beside the same scheme with all chips: one chip that cannot be read, and one that is rebuilt on an "
        "erased chip meanwhile.",
        _healthy,
    ),
)


def beyond(ran: Ran) -> list[Drawing]:
    """All that the level has data for."""
    there = ((each, ran.cells(each.experiment)) for each in FIGURES)
    return [
        Drawing(each.title, each.caption, _ratios(points, each.baseline_of))
        for each, points in there
        if not points.is_empty()
    ]


def ratio(points: pl.DataFrame, trace: str, scheme: str, baseline: str, metric: str) -> float:
    """Median over the repeats of a metric beside that of another scheme in the same repeat."""

    def by_repeat(name: str) -> dict[int, float]:
        chosen = points.filter((pl.col("trace") == trace) & (pl.col("scheme") == name))
        return dict(zip(chosen["repeat"].to_list(), chosen[metric].to_list(), strict=True))

    ours, base = by_repeat(scheme), by_repeat(baseline)
    return statistics.median(ours[repeat] / base[repeat] for repeat in ours if base.get(repeat))


def _ratios(points: pl.DataFrame, baseline_of: BaselineOf) -> AnyChart:
    """A panel for each metric, a bar for each scheme and workload."""
    traces = points["trace"].unique(maintain_order=True).to_list()
    there = points["scheme"].unique(maintain_order=True).to_list()
    schemes = [name for name in there if baseline_of(name) != name and baseline_of(name) in there]
    panels: list[AnyChart] = []
    for metric, title in METRICS.items():
        rows: Records = [
            {
                "scheme": scheme,
                "workload": trace,
                "ratio": ratio(points, trace, scheme, baseline_of(scheme), metric),
            }
            for scheme in schemes
            for trace in traces
        ]
        # Each has its names: a report breaks the row of panels where the page ends.
        axis = alt.Axis(labelLimit=260)
        bars = (
            chart_of(rows, title=title)
            .mark_bar()
            .encode(
                y=alt.Y("scheme:N", sort=schemes, title=None, axis=axis),
                yOffset=alt.YOffset("workload:N", sort=traces),
                x=alt.X("ratio:Q", title="ratio", axis=alt.Axis(tickCount=3)),
                color=alt.Color(
                    "workload:N", sort=traces, title=None, scale=alt.Scale(domain=traces, range=PALETTE)
                ),
                tooltip=["scheme:N", "workload:N", alt.Tooltip("ratio:Q", format=".3f")],
            )
        )
        one = chart_of([{"ratio": 1.0}]).mark_rule(strokeDash=[4, 3], color="#444").encode(x="ratio:Q")
        panels.append((bars + one).properties(width=WIDTH, height=max(ROW * len(schemes), 60)))
    return alt.hconcat(*panels)
