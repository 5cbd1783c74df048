"""Figures 2, 3 and 12: response times from the median to the slowest of ten thousand requests."""

from __future__ import annotations

from collections.abc import Mapping

from reclaim.papers.custom import Custom, Ran

from .orders import sets

EXPERIMENTS: Mapping[str, str] = {
    "tails": "32 outstanding",
    "orders-drive": "own pace, drive",
    "orders-drive-fast": "hundredfold pace, drive",
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
    found = {}
    for words, cells in sets(ran, EXPERIMENTS).items():
        for name in WORKLOADS:
            for scheme in cells.schemes if name in cells.workloads else ():
                points = {repeat: str(cells.row(name, scheme, repeat)["point"]) for repeat in cells.repeats}
                for label, share in SHARES.items():
                    figure = cells.figure(
                        lambda repeat, cells=cells, points=points, share=share: (
                            cells.percentile(points[repeat], share) / 1e6
                        )
                    )
                    found[f"{name}, {scheme}, {label}, {words}"] = Custom(figure)
    return found
