"""Latencies of the cells of an experiment, and what the paper's scheme gains over RAID-5."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from typing import Self

import polars as pl

from reclaim.paper import latencies, toolkit
from reclaim.paper.toolkit import Figure, LevelRuns, Metric, OfWorkload, reduction

RAID5, DGC = "raid5", "dgc"
WORKLOADS = ("hm_0", "stg_0", "src2_0", "rsrch_0", "wdev_0")
GROUP = "redundancy.stripe_chips"
USUAL = 8
"""Chips of a parity group unless another number is given."""
SIZES = (4, 8, 16)
P99 = 0.99


class RaidCells(toolkit.Cells):
    """The points of an experiment, of parity groups of one or several sizes."""

    ORDER = WORKLOADS

    @property
    def is_whole(self) -> bool:
        """Whether all workloads of the paper ran."""
        return self.has_workloads(*WORKLOADS) and bool(self.repeats)

    def of_size(self, chips: int) -> Self:
        """The points of parity groups of so many chips; all where the experiment has one size of them."""
        if GROUP not in self.points.columns or self.points[GROUP].null_count() == self.points.height:
            return self
        return self.having(pl.col(GROUP).cast(pl.Int64) == chips)

    def latency(self, kind: str, of: str) -> Metric:
        """`mean` or `p99` in ns of reads, of writes or in total, of both distributions together."""
        if of != "total":
            return f"{of}_{kind}_ns"
        return latencies.mean if kind == "mean" else lambda row: self.percentile(row, P99)

    def beside_raid5(self, kind: str, of: str) -> OfWorkload:
        """Latency of the paper's scheme over that of RAID-5."""
        return self.ratio(self.latency(kind, of), DGC, RAID5)

    def reduction(self, kind: str, of: str, workloads: Sequence[str] = ()) -> Figure:
        """By how many per cent it is less, the mean over workloads."""
        return self.mean(reduction(self.beside_raid5(kind, of)), workloads)


def taken(*parts: str) -> Callable[[toolkit.Row], float]:
    """Share of the mean response time that requests spend in some parts of their latency."""
    return lambda row: sum(latencies.time_of(row, each) for each in parts) / latencies.mean(row)


def redirected(row: toolkit.Row) -> float:
    """Of a hundred pages of the host and of parity, those that went to another chip."""
    pages = row["flash_host_programs"] + row["flash_parity_programs"]
    return float(100 * (row["gc_deferral_redirects"] or 0) / pages)


def cells_of(runs: LevelRuns) -> RaidCells | None:
    """The cells of the paper, of parity groups of the usual size; none where not all workloads ran."""
    cells = RaidCells.of(runs, "cells").of_size(USUAL)
    return cells if cells.is_whole else None


def of_sizes(runs: LevelRuns) -> dict[int, RaidCells] | None:
    """The points of all parity groups by their size; none where the level does not run them all."""
    parts = [each for each in (runs.cells("cells"), runs.cells("groups")) if not each.is_empty()]
    if not parts:
        return None
    every = RaidCells(pl.concat(parts, how="diagonal_relaxed"))
    found = {size: every.of_size(size) for size in SIZES}
    return found if all(found.values()) else None


def rank_correlation(left: Sequence[float], right: Sequence[float]) -> float:
    """Correlation of ranks; 0 where all of one side are the same, and nothing follows from anything."""
    if min(len(set(left)), len(set(right))) == 1:
        return 0.0
    ranks = ([float(sorted(side).index(value)) for value in side] for side in (left, right))
    return statistics.correlation(*ranks)
