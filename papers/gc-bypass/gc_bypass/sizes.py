"""The same comparison with more blocks in a plane: as many pages in smaller blocks, and a larger drive."""

from __future__ import annotations

from collections.abc import Mapping

from reclaim.papers.custom import Custom, Ran
from reclaim.papers.measured import Figure

from .acting import acted
from .cells import Cells
from .orders import METRICS, beside, sets

EXPERIMENTS: Mapping[str, str] = {
    "sizes-fast": "hundredfold pace",
    "sizes-large": "own pace",
    "sizes-share": "hundredfold pace, same share, drive",
}
BYPASS, VENICE = "gc-bypass, urgent", "venice, urgent"
OURS_HOST, PLAIN = "gc-bypass, host", "venice, host"


def of_runs(ran: Ran) -> dict[str, Custom]:
    """GC bypass, and Venice with host I/O first, over Venice, and what there is to write back, by size."""
    found = {}
    for experiment, words in EXPERIMENTS.items():
        for cells in sets(ran, {experiment: words}).values():
            for scheme in cells.schemes:
                who, size = scheme.rsplit(", ", 1)
                if who == BYPASS:
                    found[f"jobs with valid pages, {size} blocks, {words}"] = Custom(_most(cells, scheme))
                pairs = {who: f"{VENICE}, {size}"} if who != VENICE else {}
                if who == OURS_HOST:
                    pairs["host order"] = f"{PLAIN}, {size}"
                for name, other in pairs.items():
                    for metric, label in METRICS.items():
                        figure = beside(cells, metric, scheme, other, cells.workloads)
                        found[f"{name}, {size} blocks, {label}, {words}"] = Custom(figure)
    return found


def _most(cells: Cells, scheme: str) -> Figure:
    """Share of victims with a valid page, of the workload that has most."""
    return cells.figure(
        lambda repeat: max(acted(cells.row(name, scheme, repeat)) for name in cells.workloads)
    )
