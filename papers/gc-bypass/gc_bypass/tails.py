"""Figures 2, 3 and 12: response times from the median to the slowest of ten thousand requests."""

from __future__ import annotations

from collections.abc import Mapping

from reclaim.papers.custom import Custom, Ran
from reclaim.papers.measured import Figure

from .cells import Cells
from .orders import sets

EXPERIMENTS: Mapping[str, str] = {
    "tails": "32 outstanding",
    "orders-drive": "own pace, drive",
}
WORKLOADS = ("hm_1", "rsrch")
"""Of Figures 2 and 3, and the one whose 99.99th percentile the paper prints."""
SHARES: Mapping[str, float] = {
    "p50": 0.5,
    "p90": 0.9,
    "p99": 0.99,
    "p99.9": 0.999,
    "p99.99": 0.9999,
}


def of_runs(ran: Ran) -> dict[str, Custom]:
    """Percentiles of reads and writes together, ms, by scheme."""
    return {
        f"{name}, {scheme}, {label}, {words}": Custom(_percentile(cells, name, scheme, share))
        for words, cells in sets(ran, EXPERIMENTS).items()
        for name in WORKLOADS
        if name in cells.workloads
        for scheme in cells.schemes
        for label, share in SHARES.items()
    }


def _percentile(cells: Cells, name: str, scheme: str, share: float) -> Figure:
    def one(repeat: int) -> float:
        return cells.percentile(str(cells.row(name, scheme, repeat)["point"]), share) / 1e6

    return cells.figure(one)
