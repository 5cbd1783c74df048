"""The paper's gain: the best conventional latency over that of the adaptive scheme."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from reclaim.paper.toolkit import Cells, Figure, OfWorkload

FOLDER = Path(__file__).parents[1]
ADAPTIVE = "adaptive"
FROM_THE_START, GATED_ALL, GATED_HALF = "conv-0-allch", "conv-0.7-allch", "conv-0.7-halfch"
CONVENTIONAL = (FROM_THE_START, GATED_ALL, GATED_HALF)
SCHEMES = (*CONVENTIONAL, ADAPTIVE)
WORKLOADS = ("cassandra", "dbench", "mysql", "sqlite", "mongodb", "rocksdb", "varmail")
READ = ("cassandra", "mongodb", "rocksdb")
"""Workloads of which the paper prints read latencies."""
Cell = tuple[str, str]
"""Metric and workload."""
PRINTED: list[Cell] = [(metric, name) for metric in ("read_mean_ns", "read_max_ns") for name in READ]
PRINTED += [(metric, name) for metric in ("write_mean_ns", "write_max_ns") for name in WORKLOADS]
"""The 20 cells of Table 6: read latencies of three workloads, write latencies of all."""


def printed_cells(workloads: Sequence[str]) -> list[Cell]:
    """Cells of Table 6 of some workloads."""
    return [cell for cell in PRINTED if cell[1] in workloads]


class Gains(Cells):
    """Latencies of the cells of an experiment, by repeat."""

    def gain(self, scheme: str = ADAPTIVE, over: Sequence[str] = CONVENTIONAL) -> OfWorkload:
        """The best of `over` by the scheme, in a cell."""
        return lambda cell, repeat: 1 / self.ratio(cell[0], scheme, over)(cell[1], repeat)

    def gain_of(self, cells: Sequence[Cell]) -> Figure:
        """The geometric mean of the gains of some cells."""
        return self.geometric(self.gain(), cells)
