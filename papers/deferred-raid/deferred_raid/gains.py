"""Latencies of the cells of an experiment, and what a scheme gains over another."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence

import polars as pl

from reclaim.papers import cells, latencies
from reclaim.papers.custom import Ran
from reclaim.papers.measured import Figure

RAID5, DGC = "raid5", "dgc"
WORKLOADS = ("hm_0", "stg_0", "src2_0", "rsrch_0", "wdev_0")
GROUP = "redundancy.stripe_chips"
USUAL = 8
"""Chips of a parity group unless another number is given."""
SIZES = (4, 8, 16)
P99 = 0.99


class Cells(cells.Cells):
    """The points of an experiment, of parity groups of one or several sizes."""

    ORDER = WORKLOADS

    def row(self, workload: str, scheme: str, repeat: int, chips: int = USUAL) -> cells.Row:
        """One point."""
        chosen = self.points.filter(
            (pl.col("trace") == workload) & (pl.col("scheme") == scheme) & (pl.col("repeat") == repeat)
        )
        if GROUP in chosen.columns:
            chosen = chosen.filter(pl.col(GROUP).cast(pl.Int64) == chips)
        return chosen.row(0, named=True)

    def mean(self, row: dict[str, float], of: str) -> float:
        """Mean latency in ns, of reads, of writes or in total."""
        return latencies.mean(row) if of == "total" else row[f"{of}_mean_ns"]

    def p99(self, row: dict[str, float], of: str) -> float:
        """99th percentile in ns; in total, of both distributions together."""
        if of != "total":
            return row[f"{of}_p99_ns"]
        return self.percentile(str(row["point"]), P99)

    def part(self, row: dict[str, float], part: str) -> float:
        """Mean time of all requests in one part of their latency, ns."""
        return latencies.time_of(row, part)

    def ratio(self, kind: str, of: str, workload: str, repeat: int, chips: int = USUAL) -> float:
        """Latency of the paper's scheme over that of RAID-5; `kind` is `mean` or `p99`."""
        value = self.mean if kind == "mean" else self.p99
        ours, base = (self.row(workload, scheme, repeat, chips) for scheme in (DGC, RAID5))
        return value(ours, of) / value(base, of)

    def reduction(self, kind: str, of: str, workloads: Sequence[str], chips: int = USUAL) -> Figure:
        """By how many per cent it is less, the mean over workloads."""
        return self.figure(
            lambda repeat: statistics.fmean(
                100 * (1 - self.ratio(kind, of, name, repeat, chips)) for name in workloads
            )
        )

    def ratios(self, kind: str, of: str) -> tuple[tuple[str, Figure], ...]:
        """The ratio in each workload."""
        return tuple((name, self._ratio_figure(kind, of, name)) for name in WORKLOADS)

    def _ratio_figure(self, kind: str, of: str, name: str) -> Figure:
        return self.figure(lambda repeat: self.ratio(kind, of, name, repeat))

    def each(self, scheme: str, repeat: int, chips: int = USUAL) -> Iterator[tuple[str, dict[str, float]]]:
        """The points of all workloads."""
        for name in WORKLOADS:
            yield name, self.row(name, scheme, repeat, chips)


def of_sizes(ran: Ran) -> Cells | None:
    """The points of all parity groups, without distributions; none where the level does not run them all."""
    parts = [each for each in (ran.cells("cells"), ran.cells("groups")) if not each.is_empty()]
    if not parts:
        return None
    points = pl.concat(parts, how="diagonal_relaxed")
    if not set(SIZES) <= set(points[GROUP].cast(pl.Int64).to_list()):
        return None
    return Cells(points, pl.DataFrame())
