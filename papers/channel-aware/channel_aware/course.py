"""What a timeline shows: how many channels collect, how evenly, and what waits meanwhile."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise

import polars as pl

from reclaim.paper.toolkit import Timelines

CHANNELS = 8
PAGES = 8 * 4 * 64 * 128
"""Of the small drive."""
THETA1, THETA2, GMAX = Fraction(1, 2), Fraction(17, 20), 4
BINS = 256
"""Parts of a run over which unevenness is told: shorter ones hold a single erase or none."""


class Course(Timelines):
    """Timelines of an experiment on the small drive."""

    def most_channels(self, workload: str, scheme: str, repeat: int) -> int:
        """Most channels that collect at the end of an interval while requests wait."""
        run = self.run(workload, scheme, repeat).filter(pl.col("outstanding_requests") > 0)
        return int(run["gc_channels"].max() or 0)  # type: ignore[arg-type]

    def usage(self, run: pl.DataFrame) -> pl.Series:
        """Share of the pages that are in use."""
        return run["used_pages"] / PAGES

    def unevenness(self, workload: str, scheme: str, repeat: int) -> float:
        """Coefficient of variation of the erases in equal parts of the run, from the first erase on."""
        erases = self._binned(self.run(workload, scheme, repeat), "erases", pl.Expr.sum)
        first = next((at for at, count in enumerate(erases) if count), len(erases))
        return _variation(erases[first:])

    def swing(self, workload: str, scheme: str, repeat: int) -> float:
        """Largest rise of the free blocks from one part of the run to the next, as a share of the first."""
        free = self._binned(self.run(workload, scheme, repeat), "free_blocks", pl.Expr.last)
        return max((after - before for before, after in pairwise(free)), default=0) / free[0]

    def queue_deviation(self, workload: str, scheme: str, repeat: int) -> float:
        """Standard deviation of the requests outstanding."""
        waiting: list[int] = self.run(workload, scheme, repeat)["outstanding_requests"].to_list()
        return float(statistics.pstdev(waiting))

    def mean_of(self, column: str, workload: str, scheme: str, repeat: int) -> float:
        """Mean over the intervals."""
        return statistics.fmean(self.run(workload, scheme, repeat)[column].to_list())

    def share_collecting(self, workload: str, scheme: str, repeat: int) -> float:
        """Share of the intervals at whose end any channel collects."""
        run = self.run(workload, scheme, repeat)
        return float((run["gc_channels"] > 0).sum()) / run.height

    def latency_with(self, run: pl.DataFrame, chosen: pl.Expr) -> float | None:
        """Mean latency, ns, of the requests completed in some of the intervals."""
        there = run.filter(chosen)
        count = int(there["completed_requests"].sum())
        return float(there["latency_sum_ns"].sum()) / count if count else None

    def _binned(self, run: pl.DataFrame, column: str, statistic: Callable[[pl.Expr], pl.Expr]) -> list[int]:
        size = max(1, run.height // BINS)
        parts = run.with_row_index("at").group_by(pl.col("at") // size, maintain_order=True)
        return [int(each) for each in parts.agg(statistic(pl.col(column)))[column].to_list()]


def _variation(values: list[int]) -> float:
    mean = statistics.fmean(values) if values else 0.0
    return statistics.pstdev(values) / mean if mean else 0.0


def limit(used: int, pages: int) -> int:
    """G(t), rounded up."""
    share = Fraction(used, pages)
    if share < THETA1:
        return 0
    return min(GMAX, math.ceil(GMAX * (share - THETA1) / (THETA2 - THETA1)))
