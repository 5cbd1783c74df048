"""How long collection takes, from the logs of its jobs: columns that are added to the points of a sweep.

| column | what it is |
|---|---|
| `gc_job_mean_ns` | mean time of a job from its start to the end of its erase, waiting included |
| `gc_job_written_back_mean_ns` | the same until the last of its pages is in flash, too |
| `gc_job_p99_ns` | 99th percentile of the time to the end of the erase |
| `gc_jobs_ns_per_host_page` | time of all jobs for each page that the host wrote |
"""

from __future__ import annotations

from pathlib import Path

import polars as pl

from reclaim import input_file, table_file
from reclaim.result.sets.tables import OF_POINTS

COLUMNS = ("gc_job_mean_ns", "gc_job_written_back_mean_ns", "gc_job_p99_ns", "gc_jobs_ns_per_host_page")
LOGS = "gc_logs.parquet"


def with_job_times(points: pl.DataFrame, folder: Path) -> pl.DataFrame:
    """Add the columns, if the sweep recorded what its jobs did.

    Args:
        points: of the sweep.
        folder: where the sweep is.
    """
    file = folder / LOGS
    if points.is_empty() or not input_file.is_there(file):
        return points
    took = _since_start("end_ns")
    times = (
        table_file.scan(file, OF_POINTS["gc_logs"])
        .group_by("point")
        .agg(
            took.mean().alias("gc_job_mean_ns"),
            _since_start("written_back_ns").mean().alias("gc_job_written_back_mean_ns"),
            took.quantile(0.99, "higher").alias("gc_job_p99_ns"),
            took.sum().alias("_all"),
        )
        .collect()
    )
    per_page = (pl.col("_all") / pl.col("flash_host_programs")).alias("gc_jobs_ns_per_host_page")
    written = pl.when(pl.col("flash_host_programs") > 0).then(per_page)
    return points.join(times, on="point", how="left").with_columns(written).drop("_all")


def _since_start(column: str) -> pl.Expr:
    """Time of each job from its start until then, ns."""
    return (pl.col(column).cast(pl.Int64) - pl.col("start_ns").cast(pl.Int64)).cast(pl.Float64)
