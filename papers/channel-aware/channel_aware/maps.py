"""Gains as heat maps: by percentile, under other loads and readings, and over parameters and loads."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import Any

import altair as alt
import polars as pl

from reclaim.charts import AnyChart, Records, chart_of
from reclaim.papers.custom import Drawing

from .gains import ADAPTIVE, CONVENTIONAL, FROM_THE_START, READ, WORKLOADS

CLOSE = 0.02
"""Gains nearer to 1 than this are ties."""
DARK = 0.35
"""Gains farther from 1 than this are drawn dark."""
STATISTICS = {"mean": "mean", "p99": "p99", "p99_9": "p99.9", "p99_99": "p99.99", "max": "maximum"}
OWN_TIMES = "own times, default readings"


def summaries(cells: pl.DataFrame) -> list[Drawing]:
    """By percentile and workload, and by whatever else was varied."""
    plain = cells.filter((pl.col("vary") == "") & (pl.col("load") == "own"))
    found = [
        Drawing(
            "Gains by percentile",
            "Best conventional scheme over adaptive, median of the repeats; above 1 adaptive wins. Read "
            "latencies of the workloads of which the paper prints them.",
            _heat(_by_percentile(plain)),
        )
    ]
    groups = cells.select("load", "vary").unique(maintain_order=True).rows()
    if len(groups) < 2:
        return found
    for over, word in ((CONVENTIONAL, "the best conventional scheme"), ((FROM_THE_START,), FROM_THE_START)):
        records = [record for load, vary in groups for record in _summary(cells, load, vary, over)]
        found.append(
            Drawing(
                f"Gains over {word}, whatever else is varied",
                "Geometric mean over workloads, median of the repeats; above 1 adaptive wins.",
                _heat(records),
            )
        )
    return found


def _by_percentile(cells: pl.DataFrame) -> Records:
    records = []
    for kind, names in (("read", READ), ("write", WORKLOADS)):
        for key, word in STATISTICS.items():
            for name in names:
                gain = _gain(cells, f"{kind}_{key}_ns", [name], CONVENTIONAL, ADAPTIVE)
                if gain is not None:
                    records.append(_record(name, f"{word} {kind}", gain))
    return records


def _summary(cells: pl.DataFrame, load: str, vary: str, over: Sequence[str]) -> Records:
    here = cells.filter((pl.col("load") == load) & (pl.col("vary") == vary))
    label = vary or (OWN_TIMES if load == "own" else f"load {load}")
    records = []
    for kind, names in (("read", READ), ("write", WORKLOADS)):
        for key in ("mean", "p99_9", "max"):
            gain = _gain(here, f"{kind}_{key}_ns", names, over, ADAPTIVE)
            if gain is not None:
                records.append(_record(f"{STATISTICS[key]} {kind}", label, gain))
    return records


def maps(cells: pl.DataFrame) -> list[Drawing]:
    """Mean write and read gain of each set of parameters under each load."""
    loads = cells["load_scale"].unique(maintain_order=True).to_list()
    schemes = cells["scheme"].unique(maintain_order=True).to_list()
    found = []
    for metric, word, names in (
        ("write_mean_ns", "mean write latency", WORKLOADS),
        ("read_mean_ns", "mean read latency", READ),
    ):
        records = [
            _record(load, each, gain)
            for load in loads
            for each in schemes
            if each not in CONVENTIONAL
            and (gain := _gain(cells.filter(pl.col("load_scale") == load), metric, names, CONVENTIONAL, each))
        ]
        if records:
            found.append(
                Drawing(
                    f"Gain of adaptive by thresholds, maximum and load: {word}",
                    "Best conventional scheme over adaptive with theta1 and theta2 (in %) and Gmax as named, "
                    "geometric mean over workloads; all of them wait for idle channels. Across: how "
                    "fast, 1 as recorded.",
                    _heat(records),
                )
            )
    return found


def _gain(
    cells: pl.DataFrame, metric: str, names: Sequence[str], over: Sequence[str], scheme: str
) -> float | None:
    """The median over repeats of the mean over workloads; of those that have all schemes."""
    if metric not in cells.columns:
        return None
    found = []
    for repeat in sorted(cells["repeat"].unique().to_list()):
        here = cells.filter(pl.col("repeat") == repeat)
        gains = []
        for name in names:
            values = dict(here.filter(pl.col("trace") == name).select("scheme", metric).iter_rows())
            if all(values.get(each) for each in (scheme, *over)):
                gains.append(min(values[each] for each in over) / values[scheme])
        if gains:
            found.append(statistics.geometric_mean(gains))
    return statistics.median(found) if found else None


def _record(column: str, row: str, gain: float) -> dict[str, Any]:
    verdict = "ties" if abs(gain - 1) <= CLOSE else "wins" if gain > 1 else "loses"
    return {"column": column, "row": row, "gain": gain, "text": f"{gain:.2f}", "verdict": verdict}


def _heat(records: Records) -> AnyChart:
    rows = list(dict.fromkeys(each["row"] for each in records))
    columns = list(dict.fromkeys(each["column"] for each in records))
    base = chart_of(records, width=620, height=22 * len(rows)).encode(
        x=alt.X("column:N", sort=columns, title=None, axis=alt.Axis(labelAngle=0)),
        y=alt.Y("row:N", sort=rows, title=None, axis=alt.Axis(labelLimit=260)),
    )
    scale = alt.Scale(scheme="redblue", domain=[0.5, 1.5], domainMid=1, clamp=True)
    tips = ["row:N", "column:N", alt.Tooltip("gain:Q", format=".3f"), "verdict:N"]
    rects = base.mark_rect().encode(color=alt.Color("gain:Q", scale=scale, title="gain"), tooltip=tips)
    # Dark cells are those far from 1.
    dark = f"datum.gain < {1 - DARK} || datum.gain > {1 + DARK}"
    colour = alt.condition(dark, alt.value("#ffffff"), alt.value("#111111"))
    return rects + base.mark_text(fontSize=11).encode(text="text:N", color=colour)
