"""Curves of Figures 3 to 6 as CSV files, from the sweep of figures.toml.

cd papers/channel-aware && python -m channel_aware.figures SWEEP
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from .gains import ADAPTIVE, FROM_THE_START, GATED_ALL

PARTS = 56
"""Of a run, each a point of a curve."""
WAITING = pl.col("outstanding_requests").mean()
COLLECTING = pl.col("gc_channels").mean()
EMPTY = pl.col("free_blocks").last()
DONE = 1e9 * pl.col("completed_requests").sum() / pl.col("length_ns").sum()


@dataclass(frozen=True)
class Curves:
    """What a figure shows: of each series a workload and a scheme."""

    of: pl.Expr
    series: Mapping[str, tuple[str, str]]


FIGURES: Mapping[str, Curves] = {
    "figure-3": Curves(DONE, {"Cassandra": ("cassandra", ADAPTIVE), "MongoDB": ("mongodb", ADAPTIVE)}),
    "figure-4": Curves(
        WAITING,
        {
            "before the host": ("cassandra", f"{FROM_THE_START}, first"),
            "all wait": ("cassandra", FROM_THE_START),
            "G(t)": ("cassandra", ADAPTIVE),
        },
    ),
    "figure-5": Curves(COLLECTING, {"plain gate": ("mongodb", GATED_ALL), "G(t)": ("mongodb", ADAPTIVE)}),
    "figure-6": Curves(
        EMPTY,
        {
            "gate, drains": ("cassandra", f"{GATED_ALL}, first, drained"),
            "gate, waits": ("cassandra", GATED_ALL),
            "G(t)": ("cassandra", ADAPTIVE),
        },
    ),
}


def rows(timelines: pl.DataFrame, curves: Curves) -> list[tuple[str, float, float]]:
    """Series, seconds and value of each point of a figure."""
    found = []
    for name, (workload, scheme) in curves.series.items():
        run = timelines.filter(pl.col("trace") == workload, pl.col("scheme") == scheme).sort("start_ns")
        size = max(1, -(-run.height // PARTS))
        parts = run.with_row_index("at").group_by(pl.col("at") // size, maintain_order=True)
        of_parts = parts.agg(pl.col("start_ns").first(), curves.of.alias("value"))
        found += [(name, start / 1e9, value) for _, start, value in of_parts.iter_rows()]
    return found


def main() -> None:
    """Write a file for each figure."""
    sweep = Path(sys.argv[1])
    points = pl.read_parquet(sweep / "points.parquet").select("point", "trace", "scheme")
    timelines = pl.read_parquet(sweep / "timelines.parquet").join(points, on="point")
    for name, curves in FIGURES.items():
        with Path(f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
            table = csv.writer(file, lineterminator="\n")
            table.writerow(("series", "x", "y"))
            table.writerows((each, f"{x:.2f}", f"{y:.4g}") for each, x, y in rows(timelines, curves))


if __name__ == "__main__":
    main()
