"""What the paper prints and says about its runs, as figures: claims of `expected.toml` take them by name."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator

from reclaim.paper import latencies
from reclaim.paper.toolkit import (
    Brought,
    Figure,
    LevelRuns,
    OfWorkload,
    PaperFigure,
    Row,
    Shapes,
    exact,
    reduction,
)

from . import cells as of
from .cells import BASELINE, BYPASS, VENICE, BypassCells
from .course import Course
from .overheads import overhead, safe

BOTH = (BASELINE, VENICE)
EVERY = (*BOTH, BYPASS)
TAILED = "rsrch"
"""The workload whose tail the paper prints."""
DIFFERENT = 0.05
"""Share by which times of transfers may differ and still count as identical."""
HALF = 0.5
"""Of the latency: what is more than this dominates."""
Figures = Iterator[tuple[str, Figure | PaperFigure]]


def of_runs(runs: LevelRuns) -> Brought:
    """Every figure that the level has."""
    found = of_variations(runs)
    if cells := BypassCells.of(runs, "cells"):
        found |= dict(_courses(cells, Course.of(runs, "cells")))
    if cells := BypassCells.of(runs, "million"):
        found |= dict(_tails(cells))
    if cells := BypassCells.of(runs, "closed"):
        found |= dict(_bandwidth(cells))
    if cells := BypassCells.of(runs, "batches"):
        found |= dict(_batches(cells))
    if cells := BypassCells.of(runs, "separated"):
        found |= dict(_separated(cells))
    return found


def of_variations(runs: LevelRuns) -> dict[str, Figure | PaperFigure]:
    """What the cells show under any load or reading, without Figure 13."""
    if not (cells := BypassCells.of(runs, "cells")):
        return {}
    parts = (_latencies, _tails, _utilisation, overhead, safe)
    return {name: figure for part in parts for name, figure in part(cells)} | SHAPES.of(cells)


def _latencies(cells: BypassCells) -> Figures:
    """Figures 8 to 10, and Figure 14."""
    delay, waiting = latencies.mean, of.waiting
    yield "delay order", cells.order(cells.ratio(delay, BYPASS, BOTH))
    for base in BOTH:
        lower = reduction(cells.ratio(delay, BYPASS, base))
        yield f"delay beside {base}", cells.order(lower, statistic=max)
    longest = cells.ratio(waiting, BASELINE, (VENICE, BYPASS), beside=max)
    yield "waiting, baseline", cells.order(longest)
    yield "waiting, venice", cells.order(cells.ratio(waiting, VENICE, BASELINE))
    ratio = cells.ratio(of.waiting_for_collection, BYPASS, VENICE)
    yield "collection waits", cells.order(ratio, _collecting(cells))
    for op in latencies.CLASSES:
        mean = f"{op}_mean_ns"
        yield f"{op} order", cells.order(cells.ratio(mean, BYPASS, BOTH))
        lower = reduction(cells.ratio(mean, BYPASS, VENICE))
        yield f"{op} beside venice", cells.order(lower, statistic=max)
    if alibaba := [name for name in cells.workloads if name in of.ALIBABA]:
        yield "alibaba order", cells.order(cells.ratio(delay, BYPASS, BOTH), alibaba)
        yield "alibaba waiting", cells.order(cells.ratio(waiting, BYPASS, VENICE), alibaba)


def _collecting(cells: BypassCells) -> list[str]:
    """Workloads under which requests wait for collection at all."""

    def waits(name: str) -> bool:
        places = ((name, scheme, repeat) for scheme in BOTH for repeat in cells.repeats)
        return all(cells.value(of.waiting_for_collection, *place) > 0 for place in places)

    return [name for name in cells.workloads if waits(name)] or cells.workloads


def _tails(cells: BypassCells) -> Figures:
    """Figure 12: of the first million requests, where the level has them."""
    msr = [name for name in cells.workloads if name in of.MSR]
    if not msr:
        return
    yield "tail order", cells.order(cells.ratio(cells.tail, BYPASS, BOTH), msr)
    longest = cells.ratio(cells.tail, BASELINE, (VENICE, BYPASS), beside=max)
    yield "tail of baseline", cells.order(longest, msr)
    yield "tail of venice", cells.order(cells.ratio(cells.tail, VENICE, BASELINE), msr)
    for base in BOTH if TAILED in msr else ():
        yield f"tail beside {base}", cells.one(reduction(cells.ratio(cells.tail, BYPASS, base)), TAILED)


SHAPES: Shapes[BypassCells] = Shapes()
"""What the text says about waiting and times; in each workload that collects and each repeat."""


def _rows(cells: BypassCells, repeat: int) -> list[list[Row]]:
    """Points of the baseline, Venice and GC bypass, of each workload that collects."""
    return [[cells.row(name, each, repeat) for each in EVERY] for name in _collecting(cells)]


@SHAPES("transfer times are identical", f"transfer and array times differ by {DIFFERENT:.0%} at most")
def _identical(cells: BypassCells, repeat: int) -> bool:
    """Transfer and array time of a request differ by a twentieth at most."""
    times = [
        [latencies.time_of(row, "transfer") + latencies.time_of(row, "array") for row in rows]
        for rows in _rows(cells, repeat)
    ]
    return all(max(each) <= (1 + DIFFERENT) * min(each) for each in times)


@SHAPES("waiting dominates", f"waiting is more than {HALF:.0%} of the latency, under each scheme")
def _waiting_dominates(cells: BypassCells, repeat: int) -> bool:
    rows = (row for rows in _rows(cells, repeat) for row in rows)
    return all(of.waiting(row) > HALF * latencies.mean(row) for row in rows)


@SHAPES("waits of milliseconds", "the longest request waits a millisecond or more under the baseline")
def _milliseconds(cells: BypassCells, repeat: int) -> bool:
    longest = (max(row[f"{op}_max_ns"] for op in latencies.CLASSES) for row, *_ in _rows(cells, repeat))
    return all(each > 1e6 + of.PROGRAM_NS for each in longest)


@SHAPES("array dominates transfers", "flash arrays take longer than transfers under the baseline")
def _array_over_transfer(cells: BypassCells, repeat: int) -> bool:
    return all(
        latencies.time_of(row, "array") > latencies.time_of(row, "transfer")
        for row, *_ in _rows(cells, repeat)
    )


def _utilisation(cells: BypassCells) -> Figures:
    """Figure 15."""

    def spread(scheme: str, repeat: int) -> float:
        values = [cells.value("utilisation_die", name, scheme, repeat) for name in cells.workloads]
        return statistics.pstdev(values) / statistics.fmean(values)

    def evenness(repeat: int) -> float:
        least = min(spread(each, repeat) for each in BOTH)
        return spread(BYPASS, repeat) / least if least else 1.0

    yield "use order", cells.order(cells.ratio("utilisation_die", BYPASS, BOTH, beside=max))
    yield "use of venice", cells.order(cells.ratio("utilisation_die", VENICE, BASELINE))
    yield "use of baseline", cells.order(cells.ratio("utilisation_die", BASELINE, (VENICE, BYPASS)))
    if len(cells.workloads) > 1:
        yield "evenness", cells.figure(evenness)


def _courses(cells: BypassCells, course: Course) -> Figures:
    """Figure 13: the mean latency of each interval."""
    names = [name for name in cells.workloads if name in of.MSR]
    for key, compute in (("level", course.level), ("jitter", course.jitter), ("peak", course.peak)):
        if course and names:
            yield f"{key} over time", cells.order(_beside_least(compute), names)


def _beside_least(compute: Callable[[str, str, int], float]) -> OfWorkload:
    """A figure of GC bypass over the least of the others."""
    return lambda name, repeat: (
        compute(name, BYPASS, repeat) / min(compute(name, each, repeat) for each in BOTH)
    )


def _bandwidth(cells: BypassCells) -> Figures:
    """Figure 11."""
    yield "bandwidth order", cells.order(cells.ratio(of.bandwidth, BYPASS, BOTH, beside=max))
    yield "bandwidth of venice", cells.order(cells.ratio(of.bandwidth, VENICE, BASELINE))
    for base in BOTH:
        more = cells.ratio(of.bandwidth, BYPASS, base)
        yield f"bandwidth beside {base}", cells.order(more, statistic=max)


def _batches(cells: BypassCells) -> Figures:
    """Table 2: time of dies, the buffer, and the mean latency, beside one batch.

    Not the time of jobs, which has all write-back in it but that of the last batch.
    """
    (workload, *_) = cells.workloads
    schemes = {1: BYPASS, **{count: f"{count}-batches" for count in (2, 3, 4)}}
    for count, scheme in schemes.items():
        for what, metric in (("gc time", of.collection_time), ("latency", latencies.mean)):
            yield f"{what}, {count} batches", cells.one(cells.ratio(metric, scheme, BYPASS), workload)
        yield f"buffer, {count} batches", exact(-(-of.PAGES // count) / of.PAGES)
    split = [schemes[count] for count in (2, 3, 4)]
    yield (
        "splitting helps",
        cells.order(
            lambda scheme, repeat: cells.ratio(latencies.mean, scheme, BYPASS)(workload, repeat),
            split,
            statistics.fmean,
        ),
    )


def _separated(cells: BypassCells) -> Figures:
    """What of GC bypass saves scouts and time."""

    def scouts(row: Row) -> float:
        return float(row["interconnect_scouts_sent"]) / float(row["interconnect_transfers"])

    yield "scouts for each transfer", cells.order(cells.ratio(scouts, BYPASS, "hold = transfer"))
    ratio = cells.ratio(latencies.mean, BYPASS, "buffer and free destination")
    yield "waiting without preemption", cells.order(ratio)
