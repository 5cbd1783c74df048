"""The paper's gain: the best conventional latency over that of the adaptive scheme."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence

from reclaim.papers import cells
from reclaim.papers.measured import Figure

KEY = "channel-aware"
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


class Gains(cells.Cells):
    """Latencies of the cells of an experiment, by repeat."""

    ORDER = WORKLOADS

    def gain(
        self, cell: Cell, repeat: int, scheme: str = ADAPTIVE, over: Sequence[str] = CONVENTIONAL
    ) -> float:
        """The best of `over` by the scheme."""
        metric, workload = cell
        best = min(self.value(metric, workload, each, repeat) for each in over)
        return best / self.value(metric, workload, scheme, repeat)

    def each(
        self, of: Iterable[Cell], scheme: str = ADAPTIVE, over: Sequence[str] = CONVENTIONAL
    ) -> tuple[tuple[str, Figure], ...]:
        """The gain of each cell."""

        def one(cell: Cell) -> Figure:
            return self.figure(lambda repeat: self.gain(cell, repeat, scheme, over))

        return tuple((f"{METRICS[cell[0]]}, {cell[1]}", one(cell)) for cell in of)

    def mean(self, of: Sequence[Cell], scheme: str = ADAPTIVE, over: Sequence[str] = CONVENTIONAL) -> Figure:
        """The geometric mean of the gains of some cells."""
        return self.figure(
            lambda repeat: statistics.geometric_mean(self.gain(each, repeat, scheme, over) for each in of)
        )
