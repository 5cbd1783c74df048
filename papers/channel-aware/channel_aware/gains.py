"""The paper's gain: the best conventional latency over that of the adaptive scheme."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

from reclaim.paper.toolkit import Cells, Figure, OfWorkload, PaperFigure

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
PRINTED: list[Cell] = [(metric, name) for metric in ("read_mean_ns", "read_max_ns") for name in READ]
PRINTED += [(metric, name) for metric in ("write_mean_ns", "write_max_ns") for name in WORKLOADS]
"""The 20 cells of Table 6: read latencies of three workloads, write latencies of all."""
SCHEME = f"{ADAPTIVE}, idle"
LEAST = 0.5
"""Where fewer of the jobs than this take a listed block on an idle channel, a workload is set apart."""


def printed_cells(workloads: Sequence[str], metrics: Sequence[str] = tuple(METRICS)) -> list[Cell]:
    """Cells of Table 6 of some workloads and metrics."""
    return [cell for cell in PRINTED if cell[1] in workloads and cell[0] in metrics]


class Gains(Cells):
    """Latencies of the cells of an experiment, by repeat."""

    ORDER = WORKLOADS

    def gain(self, scheme: str = ADAPTIVE, over: Sequence[str] = CONVENTIONAL) -> OfWorkload:
        """The best of `over` by the scheme, in a cell."""

        def gain(cell: Cell, repeat: int) -> float:
            best = min(self.value(*cell, each, repeat) for each in over)
            return best / self.value(*cell, scheme, repeat)

        return gain

    def gains(
        self, cells: Sequence[Cell], over: Sequence[str] = CONVENTIONAL, scheme: str = ADAPTIVE
    ) -> PaperFigure:
        """The geometric mean of the gains of some cells, and the gain of each."""
        return self.order(self.gain(scheme, over), cells, label=lambda cell: f"{METRICS[cell[0]]}, {cell[1]}")

    def gain_of(
        self, cells: Sequence[Cell], over: Sequence[str] = CONVENTIONAL, scheme: str = ADAPTIVE
    ) -> Figure:
        """The geometric mean alone."""
        return self.geometric(self.gain(scheme, over), cells)

    def listed_share(self, scheme: str = SCHEME) -> OfWorkload:
        """Share of the jobs that can have taken a listed block on an idle channel, at most.

        All others begin because a plane has no more than one free block: on a block that greedy choice takes,
        and where a write waits for a page of the plane, on a channel that is not idle.
        """

        def share(workload: str, repeat: int) -> float:
            jobs, listed, urgent = (
                self.value(each, workload, scheme, repeat)
                for each in ("gc_jobs", "gc_trigger_blocks_listed", "gc_concurrency_emergency_starts")
            )
            return min(listed, jobs - urgent) / jobs if jobs else 0.0

        return share

    def acts(self, workload: str, scheme: str = SCHEME) -> bool:
        """Whether the scheme, not a shortage of space, starts most jobs; yes where nothing was counted."""
        if "gc_jobs" not in self.points.columns or not self.has_all(scheme):
            return True
        share = self.listed_share(scheme)
        return statistics.median(share(workload, each) for each in self.repeats) >= LEAST
