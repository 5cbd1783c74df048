"""Percentiles of reads and writes together, from the distributions of points."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from reclaim import input_file, table_file
from reclaim.result.sets.tables import OF_POINTS

CLASSES = ("read", "write")


def distributions_of(sweep: Path, points: pl.DataFrame) -> pl.DataFrame:
    """Distributions of the latencies of some points of an experiment, under whichever load or reading.

    Args:
        sweep: folder of the experiment; those under another load or reading are beside it, with longer names.
        points: whose.
    """
    wanted, found = points.select("point").unique(), []
    others = (each for each in sorted(sweep.parent.iterdir()) if each.name.startswith(f"{sweep.name}-"))
    for folder in (sweep, *others) if sweep.parent.is_dir() else ():
        file = folder / "histograms.parquet"
        if input_file.is_there(file):
            found.append(table_file.read(file, OF_POINTS["histograms"]).join(wanted, on="point", how="semi"))
            wanted = wanted.join(found[-1], on="point", how="anti")
        if wanted.is_empty():
            break
    return pl.concat(found).unique(maintain_order=True) if found else pl.DataFrame()


def percentiles(distributions: pl.DataFrame, share: float) -> dict[str, float]:
    """The latency that a share of the requests does not exceed, ns, by point: the end of its bucket."""
    if distributions.is_empty():
        return {}
    reached = pl.col("count").cum_sum().over("point") >= share * pl.col("count").sum().over("point")
    ends = (
        distributions.sort("point", "upper_ns")
        .filter(reached)
        .group_by("point")
        .agg(pl.col("upper_ns").min())
    )
    return {point: float(end) for point, end in ends.iter_rows()}
