"""The same comparison with more blocks in a plane: as many pages in smaller blocks, and a larger drive."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from reclaim.paper.toolkit import Figure, LevelRuns

from .acting import acted
from .orders import METRICS, beside, sets

EXPERIMENTS: Mapping[str, str] = {
    "sizes-fast": "hundredfold pace",
    "sizes-large": "own pace",
    "sizes-share": "hundredfold pace, same share, drive",
}
BYPASS, VENICE = "gc-bypass, urgent", "venice, urgent"
OURS_HOST, PLAIN = "gc-bypass, host", "venice, host"


def of_runs(runs: LevelRuns) -> Iterator[tuple[str, Figure]]:
    """GC bypass, and Venice with host I/O first, over Venice, and what there is to write back, by size."""
    for words, cells in sets(runs, EXPERIMENTS).items():
        for scheme in cells.schemes:
            who, size = scheme.rsplit(", ", 1)
            if who == BYPASS:
                # Of the workload that has most victims with a valid page.
                yield (
                    f"jobs with valid pages, {size} blocks, {words}",
                    cells.over(max, cells.metric(acted, scheme)),
                )
            pairs = {who: f"{VENICE}, {size}"} if who != VENICE else {}
            if who == OURS_HOST:
                pairs["host order"] = f"{PLAIN}, {size}"
            for name, other in pairs.items():
                for metric, label in METRICS.items():
                    yield f"{name}, {size} blocks, {label}, {words}", beside(cells, metric, scheme, other)
