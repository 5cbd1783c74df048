"""Figures from what points recorded: latencies of reads and writes together, and how long collection takes.

Of collection, from the logs of its jobs, columns are added to the points of a sweep:

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
