"""Figures 2, 3 and 12: response times from the median to the slowest of ten thousand requests."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from reclaim.paper.toolkit import Figure, LevelRuns, OfWorkload

from .cells import BypassCells
from .orders import sets

EXPERIMENTS: Mapping[str, str] = {
    "tails": "32 outstanding",
    "orders-drive": "own pace, drive",
}
WORKLOADS = ("hm_1", "rsrch")
"""Of Figures 2 and 3, and the one whose 99.99th percentile the paper prints."""
SHARES: Mapping[str, float] = {"p50": 0.5, "p90": 0.9, "p99": 0.99, "p99.9": 0.999, "p99.99": 0.9999}


def of_runs(runs: LevelRuns) -> Iterator[tuple[str, Figure]]:
    """Percentiles of reads and writes together, ms, by scheme."""
    for words, cells in sets(runs, EXPERIMENTS).items():
        for name in (each for each in WORKLOADS if each in cells.workloads):
            for scheme in cells.schemes:
                for label, share in SHARES.items():
                    yield f"{name}, {scheme}, {label}, {words}", cells.one(_tail(cells, scheme, share), name)


def _tail(cells: BypassCells, scheme: str, share: float) -> OfWorkload:
    return lambda name, repeat: cells.percentile(cells.row(name, scheme, repeat), share) / 1e6
