"""What the paper says about its runs beyond ratios: claims of `expected.toml` take these figures by name."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator, Sequence

from reclaim.paper.latencies import CLASSES
from reclaim.paper.toolkit import Brought, Cells, Figure, LevelRuns, PaperFigure, Row, Shapes, exact

from .cells import BASELINE, BOTH, BYPASS, MSR, OVERHEAD, PAGES, PROGRAM_NS, VENICE
from .course import Course

DIFFERENT = 0.05
"""Share by which times of transfers may differ and still count as identical."""
HALF = 0.5
"""Of the latency: what is more than this dominates."""
UNEVEN = 1.05
"""Times Venice's spread of erases up to which blocks count as worn no less evenly."""
Figures = Iterator[tuple[str, Figure | PaperFigure]]


def of_runs(runs: LevelRuns) -> Brought:
    """Every figure that the level has."""
    found = of_variations(runs)
    if cells := Cells.of(runs, "cells"):
        found |= dict(_courses(cells, Course.of(runs, "cells")))
    if batches := Cells.of(runs, "batches"):
        found |= dict(_batches(batches))
    return found


def of_variations(runs: LevelRuns) -> dict[str, Figure | PaperFigure]:
    """What the cells show under any load or reading, without Figure 13."""
    cells = Cells.of(runs, "cells")
    return {**dict(_of_cells(cells)), **SHAPES.of(cells)} if cells else {}


def _of_cells(cells: Cells) -> Figures:
    yield "collection waits", cells.order(cells.ratio("latency_gc_ns", BYPASS, VENICE), _collecting(cells))
    if len(cells.workloads) > 1:
        yield "evenness", _evenness(cells, "utilisation_die", BOTH, cells.workloads)
    names = [name for name in cells.workloads if name in OVERHEAD]
    others = (VENICE, "pssd", "smartnetssd")
    if len(names) > 1 and cells.has_all(*others):
        yield "job time, evenness", _evenness(cells, "jobs_ns", others, names, beside=BASELINE)


def _evenness(
    cells: Cells, metric: str, others: Sequence[str], names: Sequence[str], beside: str = ""
) -> Figure:
    """How a figure varies over workloads under GC bypass, beside the other under which it varies least."""

    def spread(scheme: str, repeat: int) -> float:
        of = cells.ratio(metric, scheme, beside) if beside else cells.metric(metric, scheme)
        values = [of(name, repeat) for name in names]
        return statistics.pstdev(values) / statistics.fmean(values)

    def evenness(repeat: int) -> float:
        least = min(spread(each, repeat) for each in others)
        return spread(BYPASS, repeat) / least if least else 1.0

    return cells.figure(evenness)


def _collecting(cells: Cells) -> list[str]:
    """Workloads under which requests wait for collection at all."""
    waited = cells.values("latency_gc_ns")
    waiting = [
        name
        for name in cells.workloads
        if all(waited[name, scheme, repeat] > 0 for scheme in BOTH for repeat in cells.repeats)
    ]
    return waiting or cells.workloads


SHAPES: Shapes[Cells] = Shapes()
"""What the text says about waiting and times; in each workload that collects and each repeat."""


def _rows(cells: Cells, repeat: int) -> list[list[Row]]:
    """Points of the baseline, Venice and GC bypass, of each workload that collects."""
    return [[cells.row(name, each, repeat) for each in (*BOTH, BYPASS)] for name in _collecting(cells)]


@SHAPES("transfer times are identical", f"transfer and array times differ by {DIFFERENT:.0%} at most")
def _identical(cells: Cells, repeat: int) -> bool:
    """Transfer and array time of a request differ by a twentieth at most."""
    times = [
        [row["latency_transfer_ns"] + row["latency_array_ns"] for row in rows]
        for rows in _rows(cells, repeat)
    ]
    return all(max(each) <= (1 + DIFFERENT) * min(each) for each in times)


@SHAPES("waiting dominates", f"waiting is more than {HALF:.0%} of the latency, under each scheme")
def _waiting_dominates(cells: Cells, repeat: int) -> bool:
    rows = (row for rows in _rows(cells, repeat) for row in rows)
    return all(row["waiting_ns"] > HALF * row["latency_ns"] for row in rows)


@SHAPES("waits of milliseconds", "the longest request waits a millisecond or more under the baseline")
def _milliseconds(cells: Cells, repeat: int) -> bool:
    longest = (max(row[f"{op}_max_ns"] for op in CLASSES) for row, *_ in _rows(cells, repeat))
    return all(each > 1e6 + PROGRAM_NS for each in longest)


@SHAPES("array dominates transfers", "flash arrays take longer than transfers under the baseline")
def _array_over_transfer(cells: Cells, repeat: int) -> bool:
    return all(row["latency_array_ns"] > row["latency_transfer_ns"] for row, *_ in _rows(cells, repeat))


@SHAPES("free space in time", "no host write waits for a free page, in any workload")
def _in_time(cells: Cells, repeat: int) -> bool:
    return all(cells.value("gc_stalled_writes", name, BYPASS, repeat) == 0 for name in cells.workloads)


@SHAPES("wear is even", f"erases spread at most {UNEVEN} times as far as under Venice, in each workload")
def _even(cells: Cells, repeat: int) -> bool:
    ratio = cells.ratio("unevenness", BYPASS, VENICE)
    return all(ratio(name, repeat) <= UNEVEN for name in cells.workloads)


def _courses(cells: Cells, course: Course) -> Figures:
    """Figure 13: the mean latency of each interval, over the least of the others."""
    names = [name for name in cells.workloads if name in MSR]

    def beside_least(compute: Callable[[str, str, int], float], name: str, repeat: int) -> float:
        return compute(name, BYPASS, repeat) / min(compute(name, each, repeat) for each in BOTH)

    for key, of in (("level", course.level), ("jitter", course.jitter), ("peak", course.peak)):
        if course and names:
            yield f"{key} over time", cells.order(lambda *at, of=of: beside_least(of, *at), names)


def _batches(cells: Cells) -> Figures:
    """Table 2: the buffer, and the mean latency of more batches beside one."""
    (workload, *_) = cells.workloads
    for count in range(1, 5):
        yield f"buffer, {count} batches", exact(-(-PAGES // count) / PAGES)
    split = [f"{count}-batches" for count in (2, 3, 4)]
    yield (
        "splitting helps",
        cells.order(
            lambda scheme, repeat: cells.ratio("latency_ns", scheme, BYPASS)(workload, repeat),
            split,
            statistics.fmean,
        ),
    )
