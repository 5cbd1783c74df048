"""The paper's gain: the best conventional latency over that of the adaptive scheme."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import polars as pl

from reclaim.papers.measured import Figure, interval_of

ADAPTIVE = "adaptive"
FROM_THE_START, GATED_ALL, GATED_HALF = "conv-0-allch", "conv-0.7-allch", "conv-0.7-halfch"
CONVENTIONAL = (FROM_THE_START, GATED_ALL, GATED_HALF)
SCHEMES = (*CONVENTIONAL, ADAPTIVE)
WORKLOADS = ("cassandra", "dbench", "mysql", "sqlite", "mongodb", "rocksdb", "varmail")
READ = ("cassandra", "mongodb", "rocksdb")
"""Workloads of which the paper prints read latencies."""
METRICS = {
    "read_mean_ns": "mean read",
    "write_mean_ns": "mean write",
    "read_max_ns": "maximum read",
    "write_max_ns": "maximum write",
}
OUTLIERS = (("read_mean_ns", "cassandra"), ("read_max_ns", "rocksdb"))
"""Metric and workload of the two gains that the paper leaves out."""
Cell = tuple[str, str]
"""Metric and workload."""


def printed_cells() -> list[Cell]:
    """The 20 cells of Table 6: read latencies of three workloads, write latencies of all."""
    reads = [(metric, name) for metric in ("read_mean_ns", "read_max_ns") for name in READ]
    return reads + [(metric, name) for metric in ("write_mean_ns", "write_max_ns") for name in WORKLOADS]


@dataclass(frozen=True)
class Gains:
    """Latencies of the cells of an experiment, by repeat."""

    points: pl.DataFrame

    @property
    def repeats(self) -> list[int]:
        """Numbers of the repeats."""
        return sorted(self.points["repeat"].unique().to_list())

    def value(self, metric: str, workload: str, scheme: str, repeat: int) -> float:
        """One figure of one point."""
        chosen = (pl.col("trace") == workload) & (pl.col("scheme") == scheme) & (pl.col("repeat") == repeat)
        return float(self.points.filter(chosen)[metric].item())

    def gain(
        self, cell: Cell, repeat: int, scheme: str = ADAPTIVE, over: Sequence[str] = CONVENTIONAL
    ) -> float:
        """The best of `over` by the scheme."""
        metric, workload = cell
        best = min(self.value(metric, workload, each, repeat) for each in over)
        return best / self.value(metric, workload, scheme, repeat)

    def figure(self, compute: Callable[[int], float]) -> Figure:
        """Its median over repeats, with the interval."""
        return interval_of([compute(repeat) for repeat in self.repeats])

    def parts(
        self, cells: Iterable[Cell], scheme: str = ADAPTIVE, over: Sequence[str] = CONVENTIONAL
    ) -> tuple[tuple[str, Figure], ...]:
        """The gain of each cell."""

        def one(cell: Cell) -> Figure:
            return self.figure(lambda repeat: self.gain(cell, repeat, scheme, over))

        return tuple((f"{METRICS[cell[0]]}, {cell[1]}", one(cell)) for cell in cells)

    def mean(
        self, cells: Sequence[Cell], scheme: str = ADAPTIVE, over: Sequence[str] = CONVENTIONAL
    ) -> Figure:
        """The geometric mean of the gains of some cells."""
        return self.figure(
            lambda repeat: statistics.geometric_mean(self.gain(each, repeat, scheme, over) for each in cells)
        )
