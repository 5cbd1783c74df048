"""Figure 16, whether free space comes in time, and wear."""

from __future__ import annotations

import statistics
from collections.abc import Callable

from reclaim.papers.custom import Custom

from . import cells as of
from .cells import BASELINE, BYPASS, OVERHEAD, VENICE, Cells
from .comparing import order, over, shown

OTHERS = (VENICE, "pssd", "smartnetssd")
"""Beside the baseline and GC bypass, in Figure 16."""
UNEVEN = 1.05
"""Times Venice's spread of erases up to which blocks count as worn no less evenly."""


def overhead(cells: Cells) -> dict[str, Custom]:
    """Figure 16, as time of jobs until their victims are erased and their pages are in flash again."""
    names = [name for name in cells.workloads if name in OVERHEAD]
    if not names or any(not cells.has(names[0], each) for each in OTHERS):
        return {}

    def beside(scheme: str) -> Callable[[str, int], float]:
        return lambda name, repeat: cells.ratio(of.job_time, name, scheme, BASELINE, repeat)

    def spread(scheme: str, repeat: int) -> float:
        values = [beside(scheme)(name, repeat) for name in names]
        return statistics.pstdev(values) / statistics.fmean(values)

    found = {
        "job time order": order(cells, of.job_time, BYPASS, OTHERS, names),
        "job time, venice": order(cells, of.job_time, VENICE, BYPASS, names),
        "job time, pssd": order(
            cells, of.job_time, "pssd", (VENICE, "smartnetssd", BYPASS), names, beside=max
        ),
    }
    for scheme, label in ((VENICE, "venice"), (BYPASS, "bypass")):
        one = beside(scheme)
        parts = cells.parts(one, names)
        for statistic, which in ((min, "least"), (max, "most")):
            found[f"job time, {label}, {which}"] = Custom(
                cells.figure(over(statistic, one, names)), parts=parts
            )
    if len(names) > 1:
        found["job time, evenness"] = Custom(
            cells.figure(lambda r: spread(BYPASS, r) / max(min(spread(each, r) for each in OTHERS), 1e-9))
        )
    return found


def safe(cells: Cells) -> dict[str, Custom]:
    """Free space in time, and wear."""

    def timely(here: Cells, repeat: int) -> bool:
        return all(here.row(name, BYPASS, repeat)["gc_stalled_writes"] == 0 for name in here.workloads)

    def worn(here: Cells, repeat: int) -> bool:
        return all(
            of.unevenness(here.row(name, BYPASS, repeat))
            <= UNEVEN * of.unevenness(here.row(name, VENICE, repeat))
            for name in here.workloads
        )

    return {
        "free space in time": shown(cells, timely, "no host write waits for a free page, in any workload"),
        "wear is even": shown(
            cells, worn, f"erases spread at most {UNEVEN} times as far as under Venice, in each workload"
        ),
    }
