"""The same comparison with more blocks in a plane: as many pages in smaller blocks, and a larger drive."""

from __future__ import annotations

from collections.abc import Mapping

from reclaim.papers.custom import Custom, Ran

from .acting import acted
from .orders import METRICS, beside, sets

EXPERIMENTS: Mapping[str, str] = {
    "sizes": "own pace",
    "sizes-fast": "hundredfold pace",
    "sizes-large": "own pace",
}
BYPASS, VENICE, PLAIN = "gc-bypass, urgent", "venice, urgent", "venice, host"


def of_runs(ran: Ran) -> dict[str, Custom]:
    """GC bypass, and Venice with host I/O first, over Venice, and what there is to write back, by size."""
    found = {}
    for experiment, words in EXPERIMENTS.items():
        for cells in sets(ran, {experiment: words}).values():
            for scheme in cells.schemes:
                who, size = scheme.rsplit(", ", 1)
                base = f"{VENICE}, {size}"
                if who == BYPASS:
                    share = cells.figure(
                        lambda repeat, cells=cells, scheme=scheme: max(
                            acted(cells.row(name, scheme, repeat)) for name in cells.workloads
                        )
                    )
                    found[f"jobs with valid pages, {size} blocks, {words}"] = Custom(share)
                if who != VENICE:
                    for metric, label in METRICS.items():
                        figure = beside(cells, metric, scheme, base, cells.workloads)
                        found[f"{who}, {size} blocks, {label}, {words}"] = Custom(figure)
    return found
