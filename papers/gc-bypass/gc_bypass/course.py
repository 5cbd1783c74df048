"""Response time over time (Figure 13), from timelines."""

from __future__ import annotations

import statistics
from dataclasses import dataclass, field

import polars as pl

from reclaim.paper.toolkit import Timelines

PARTS = 64
"""Equal parts of a run, of each of which the mean latency is taken."""


@dataclass(frozen=True)
class Course(Timelines):
    """Timelines of an experiment."""

    _means: dict[tuple[str, str, int], list[tuple[float, float]]] = field(default_factory=dict, compare=False)

    def means(self, workload: str, scheme: str, repeat: int) -> list[tuple[float, float]]:
        """When each part of the run begins, s, and the mean latency, ms; without empty parts."""
        key = (workload, scheme, repeat)
        if key not in self._means:
            self._means[key] = _means(self.run(*key))
        return self._means[key]

    def level(self, workload: str, scheme: str, repeat: int) -> float:
        """Median of the means of all parts, ms."""
        return statistics.median(mean for _, mean in self.means(workload, scheme, repeat))

    def jitter(self, workload: str, scheme: str, repeat: int) -> float:
        """Standard deviation of these means, ms."""
        return statistics.pstdev(mean for _, mean in self.means(workload, scheme, repeat))

    def peak(self, workload: str, scheme: str, repeat: int) -> float:
        """Largest of these means, ms."""
        return max(mean for _, mean in self.means(workload, scheme, repeat))

    def relocation_rate(self, workload: str, scheme: str, repeat: int, until_ns: float) -> float:
        """Pages that collection programmed in a second, up to an instant: the end of the last request."""
        run = self.run(workload, scheme, repeat)
        pages = run.filter(pl.col("start_ns") < until_ns)["gc_programs"].sum()
        return float(pages) * 1e9 / until_ns


def _means(run: pl.DataFrame) -> list[tuple[float, float]]:
    if run.is_empty():
        return []
    end = float(run["start_ns"][-1] + run["length_ns"][-1])
    part = (pl.col("start_ns").cast(pl.Float64) * PARTS / end).floor().alias("part")
    parts = run.group_by(part, maintain_order=True).agg(
        pl.col("start_ns").min(),
        pl.col("completed_requests").sum().alias("count"),
        pl.col("latency_sum_ns").sum().alias("sum"),
    )
    rows = parts.filter(pl.col("count") > 0).iter_rows(named=True)
    return [(row["start_ns"] / 1e9, row["sum"] / row["count"] / 1e6) for row in rows]
