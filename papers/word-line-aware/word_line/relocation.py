"""What the logs of jobs say of victims in a drive: how many hold a valid page, and how their pages differ.

One plane and a host that is seldom in the way, so that a collection job takes what its reads, its programs
and its erase take. All else of relocation is in measures.toml. Every saving is paired: of one repeat, which
plays the same trace under both policies.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator

import polars as pl

from reclaim import table_file
from reclaim.paper.latencies import LOGS
from reclaim.paper.toolkit import Cells, Figure, LevelRuns, interval_of
from reclaim.result.sets.tables import OF_POINTS

VANILLA = "vanilla"
ERASE_NS = 60_000
LEVELS, SIZES = "levels", "levels-sizes"


def of_runs(runs: LevelRuns) -> dict[str, Figure]:
    """Every figure of victims that the experiments on relocation give; nothing without them."""
    return dict(_victims_with_pages(runs)) | dict(_spread_of_victims(runs))


def _victims_with_pages(runs: LevelRuns) -> Iterator[tuple[str, Figure]]:
    """By workload, the per cent of its victims that hold a valid page: only there can a weight differ."""
    append = Cells.of(runs, SIZES).where("placement", "append")
    shares = dict(_of_logs(runs, SIZES, 100 * (pl.col("valid_pages") > 0).mean()).iter_rows())
    for name in append.workloads:
        there = [shares.get(append.row(name, VANILLA, each)["point"]) for each in append.repeats]
        known = [each for each in there if each is not None]
        if known and len(known) == len(there):
            yield f"{name}: victims with valid pages", interval_of(known)


def _spread_of_victims(runs: LevelRuns) -> Iterator[tuple[str, Figure]]:
    """Standard deviation between victims of vanilla of the mean time of their valid pages, us, by placement.

    Where validity does not depend on the level, it is what chance makes of it.
    """
    took = pl.col("end_ns").cast(pl.Int64) - pl.col("start_ns").cast(pl.Int64) - ERASE_NS
    of_page = (took / pl.col("valid_pages")).filter(pl.col("valid_pages") > 0)
    of_point, points = _of_logs(runs, LEVELS, of_page.std()), runs.cells(LEVELS)
    if of_point.is_empty() or points.is_empty():
        return
    for placement, here in Cells(points.join(of_point, on="point", how="left")).by_value("placement"):
        spread = here.metric("of_victims", VANILLA)
        in_us = here.over(lambda times: statistics.fmean(times) / 1e3, spread)
        yield f"{placement}: spread of victims, us", in_us


def _of_logs(runs: LevelRuns, experiment: str, of_victims: pl.Expr) -> pl.DataFrame:
    """What is computed of the victims of every point; without rows where no jobs were recorded."""
    file = runs.sweeps / experiment / LOGS
    if not file.is_file():
        return pl.DataFrame(schema={"point": pl.String, "of_victims": pl.Float64})
    logs = table_file.scan(file, OF_POINTS["gc_logs"])
    return logs.group_by("point").agg(of_victims.alias("of_victims")).collect()
