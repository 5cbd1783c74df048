"""Figure 16, whether free space comes in time, and wear."""

from __future__ import annotations

import statistics
from collections.abc import Iterator

from reclaim.paper.toolkit import Figure, PaperFigure

from . import cells as of
from .cells import BASELINE, BYPASS, OVERHEAD, VENICE, BypassCells

OTHERS = (VENICE, "pssd", "smartnetssd")
"""Beside the baseline and GC bypass, in Figure 16."""
UNEVEN = 1.05
"""Times Venice's spread of erases up to which blocks count as worn no less evenly."""


def overhead(cells: BypassCells) -> Iterator[tuple[str, Figure | PaperFigure]]:
    """Figure 16, as time of jobs until their victims are erased and their pages are in flash again."""
    names = [name for name in cells.workloads if name in OVERHEAD]
    if not names or any(not cells.has(names[0], each) for each in OTHERS):
        return
    beside = {each: cells.ratio(of.job_time, each, BASELINE) for each in (*OTHERS, BYPASS)}

    def spread(scheme: str, repeat: int) -> float:
        values = [beside[scheme](name, repeat) for name in names]
        return statistics.pstdev(values) / statistics.fmean(values)

    longest = cells.ratio(of.job_time, "pssd", (VENICE, "smartnetssd", BYPASS), beside=max)
    yield "job time order", cells.order(cells.ratio(of.job_time, BYPASS, OTHERS), names)
    yield "job time, venice", cells.order(cells.ratio(of.job_time, VENICE, BYPASS), names)
    yield "job time, pssd", cells.order(longest, names)
    for scheme, label in ((VENICE, "venice"), (BYPASS, "bypass")):
        for statistic, which in ((min, "least"), (max, "most")):
            yield f"job time, {label}, {which}", cells.order(beside[scheme], names, statistic)
    if len(names) > 1:
        yield (
            "job time, evenness",
            cells.figure(lambda r: spread(BYPASS, r) / max(min(spread(each, r) for each in OTHERS), 1e-9)),
        )


def safe(cells: BypassCells) -> Iterator[tuple[str, PaperFigure]]:
    """Free space in time, and wear."""
    stalled, uneven = (cells.metric(of.stalled, BYPASS), cells.metric(of.unevenness, BYPASS))
    beside = cells.metric(of.unevenness, VENICE)
    yield (
        "free space in time",
        cells.shape(
            lambda repeat: all(stalled(name, repeat) == 0 for name in cells.workloads),
            "no host write waits for a free page, in any workload",
        ),
    )
    yield (
        "wear is even",
        cells.shape(
            lambda r: all(uneven(name, r) <= UNEVEN * beside(name, r) for name in cells.workloads),
            f"erases spread at most {UNEVEN} times as far as under Venice, in each workload",
        ),
    )
