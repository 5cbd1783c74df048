"""Latencies of reads and writes together, from a point of an experiment and its distributions."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl

from reclaim import input_file, table_file
from reclaim.results.sets.tables import OF_POINTS

CLASSES = ("read", "write")
Row = Mapping[str, Any]
"""A point: its figures by column."""


def mean(row: Row) -> float:
    """Mean latency, ns."""
    return _over_requests(
        row, sum(row[f"{each}_count"] * (row[f"{each}_mean_ns"] or 0.0) for each in CLASSES)
    )


def time_of(row: Row, *parts: str) -> float:
    """Mean time that requests spend in some parts of their latency, such as `queue` and `gc`, ns."""
    times = (
        row[f"{each}_count"] * (row[f"{each}_breakdown_{part}_ns"] or 0.0)
        for each in CLASSES
        for part in parts
    )
    return _over_requests(row, sum(times))


def _over_requests(row: Row, total: float) -> float:
    return float(total / sum(row[f"{each}_count"] for each in CLASSES))


def distributions_of(sweep: Path) -> pl.DataFrame:
    """Distributions of the latencies of a sweep's points; without rows if it has none."""
    file = sweep / "histograms.parquet"
    return table_file.read(file, OF_POINTS["histograms"]) if input_file.is_there(file) else pl.DataFrame()


def distributions_under(sweeps: Path, experiment: str, points: pl.DataFrame) -> pl.DataFrame:
    """Those of some points of an experiment, under whichever load or reading they ran."""
    wanted = points.select("point").unique()
    folders = sorted(each for each in sweeps.iterdir() if each.name.startswith(experiment))
    tables = [distributions_of(each) for each in folders if input_file.is_there(each / "histograms.parquet")]
    found = [table.join(wanted, on="point", how="semi") for table in tables]
    return pl.concat(found).unique(maintain_order=True) if found else pl.DataFrame()


def percentile(distributions: pl.DataFrame, point: str, share: float) -> float:
    """The latency that a share of a point's requests does not exceed, ns: the end of its bucket."""
    here = distributions.filter(pl.col("point") == point).sort("upper_ns")
    reached = here["count"].cum_sum()
    return float(here.filter(reached >= share * reached[-1])["upper_ns"][0])
