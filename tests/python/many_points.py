"""A set of many points, made of one of few by giving its points other names."""

from __future__ import annotations

import shutil
from pathlib import Path

import polars as pl


def spread(folder: Path, target: Path, *, traces: int, schemes: int) -> Path:
    """Copy a set so that it has as many traces and schemes, the first repeats alone; points share folders."""
    points = pl.read_parquet(folder / "points.parquet").filter(pl.col("repeat") == 0)
    histograms = pl.read_parquet(folder / "histograms.parquet")
    known_traces = points["trace"].unique(maintain_order=True).to_list()
    known_schemes = points["scheme"].unique(maintain_order=True).to_list()
    rows, buckets = [], []
    (target / "points").mkdir(parents=True)
    for trace in range(traces):
        for scheme in range(schemes):
            of_both = (pl.col("trace") == known_traces[trace % len(known_traces)]) & (
                pl.col("scheme") == known_schemes[scheme % len(known_schemes)]
            )
            for row in points.filter(of_both).iter_rows(named=True):
                point = f"{len(rows):016x}"
                rows.append(
                    row | {"point": point, "trace": f"workload {trace}", "scheme": f"scheme {scheme}"}
                )
                of_point = histograms.filter(pl.col("point") == row["point"])
                buckets.append(of_point.with_columns(pl.lit(point).alias("point")))
                shutil.copytree(folder / "points" / row["point"], target / "points" / point)
    pl.DataFrame(rows, schema=points.schema).write_parquet(target / "points.parquet")
    pl.concat(buckets).write_parquet(target / "histograms.parquet")
    return target
