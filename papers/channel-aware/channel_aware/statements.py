"""What the paper says in words, as figures: claims of `expected.toml` take them by name."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator, Sequence

import polars as pl

from reclaim.paper.toolkit import Brought, Figure, LevelRuns, OfWorkload, PaperFigure, geometric_mean

from .course import Course
from .gains import (
    ADAPTIVE,
    FROM_THE_START,
    GATED_ALL,
    GATED_HALF,
    PRINTED,
    READ,
    SCHEMES,
    WORKLOADS,
    Cell,
    Gains,
    printed_cells,
)
from .shapes import SHAPES

VARIANTS = ("theta-040-075", "theta-060-095", "gmax-2", "gmax-6")
JOURNALS = ("cassandra", "dbench", "rocksdb", "varmail")
"""More than six tenths of what they access is a journal, by Table 3."""
SAME = 0.05
"""Latencies that are nearer to each other than this count as the same."""
IDLE = "fewer than half of the jobs are emergencies, which alone do not wait for an idle channel"


def of_runs(runs: LevelRuns) -> Brought:
    """Every figure that the level has."""
    gains = Gains.of(runs, "cells")
    if not gains.has_workloads(*WORKLOADS):
        return {}
    found = dict(_statements(gains)) | dict(_other_cells(gains, runs))
    if course := Course.of(runs, "cells"):
        found |= SHAPES.of(course) | dict(_ratios(course))
    return found


def _statements(gains: Gains) -> Iterator[tuple[str, PaperFigure]]:
    """What the text says of all workloads."""

    def more_is_written(repeat: int) -> bool:
        written = gains.ratio("gc_write_amplification", FROM_THE_START, ADAPTIVE)
        return statistics.fmean(written(each, repeat) > 1 for each in WORKLOADS) > 0.5

    rule = "write amplification is higher from the start on in more than half of the workloads"
    yield "early-collection-costs", gains.shape(more_is_written, rule)
    apart = gains.gain(GATED_HALF, [GATED_ALL])
    rule = f"latencies with half and all channels are more than {SAME:.0%} apart, mean factor"
    yield "how-many-matters", gains.shape(lambda repeat: _away(apart, repeat) > 1 + SAME, rule)

    def delayed(repeat: int) -> bool:
        metric = "read_breakdown_gc_ns"
        return all(gains.value(metric, name, each, repeat) > 0 for name in READ for each in SCHEMES)

    rule = "reads wait for collection in every workload, under every scheme"
    yield "collection-delays-host", gains.shape(delayed, rule)

    def most_jobs(repeat: int) -> bool:
        jobs = {each: gains.value("gc_jobs", "cassandra", each, repeat) for each in SCHEMES}
        return jobs[FROM_THE_START] == max(jobs.values())

    yield "conv-0-collects-most", gains.shape(most_jobs, "no scheme has more jobs")
    others = [name for name in WORKLOADS if name not in JOURNALS]
    yield "journals", especially(gains, printed_cells(JOURNALS), printed_cells(others))
    for name, workloads in {"": WORKLOADS, "-cassandra": ("cassandra",)}.items():
        yield f"starts-when-idle{name}", gains.shape(_starts_when_idle(gains, workloads), IDLE)


def _away(gain: OfWorkload, repeat: int) -> float:
    """How far the printed gains are from 1, as a mean factor."""
    factors = [gain(cell, repeat) for cell in PRINTED]
    return geometric_mean(max(each, 1 / each) for each in factors)


def especially(gains: Gains, cells: Sequence[Cell], others: Sequence[Cell]) -> PaperFigure:
    """An especially large gain: it must be a gain, and larger than that of other cells."""
    beside = _over(gains, cells, gains, others)
    return PaperFigure(beside, parts=(("gain", gains.gain_of(cells)), ("beside the others", beside)))


def _over(gains: Gains, cells: Sequence[Cell], other: Gains, others: Sequence[Cell]) -> Figure:
    """The mean gain of some cells over that of others."""
    ours, theirs = gains.gain(), other.gain()
    return gains.figure(
        lambda repeat: (
            geometric_mean(ours(cell, repeat) for cell in cells)
            / geometric_mean(theirs(cell, repeat) for cell in others)
        )
    )


def _starts_when_idle(gains: Gains, workloads: Sequence[str]) -> Callable[[int], bool]:
    """Whether most jobs of the adaptive scheme begin on an idle channel: all that are no emergencies do."""

    def idle(repeat: int) -> bool:
        jobs, urgent = (
            sum(gains.value(metric, name, ADAPTIVE, repeat) for name in workloads)
            for metric in ("gc_jobs", "gc_concurrency_emergency_starts")
        )
        return urgent < jobs / 2

    return idle


def _other_cells(gains: Gains, runs: LevelRuns) -> Iterator[tuple[str, Figure | PaperFigure]]:
    """Figures beside other parameters and other pages."""
    if other := Gains.of(runs, "sensitivity"):
        both = Gains(pl.concat([gains.points, other.points]))
        yield "default-beside-others", both.order(lambda each, r: _beside_other(both, each, r), VARIANTS)
    if not (large := Gains.of(runs, "pages-8k")):
        return

    def jobs(which: Gains, repeat: int) -> float:
        return sum(
            which.value("gc_jobs", name, each, repeat) / which.value("write_bytes", name, each, repeat)
            for name in WORKLOADS
            for each in SCHEMES
        )

    rocksdb = printed_cells(["rocksdb"])
    yield "rocksdb-8k-by-4k", _over(large, rocksdb, gains, rocksdb)
    yield "collections-8k-by-4k", gains.figure(lambda repeat: jobs(large, repeat) / jobs(gains, repeat))
    theirs, ours = large.gain(), gains.gain()
    yield (
        "gap-8k-by-4k",
        gains.figure(lambda repeat: (_away(theirs, repeat) - 1) / (_away(ours, repeat) - 1)),
    )
    yield (
        "pages-shift-gains",
        gains.shape(
            lambda r: any(abs(theirs(cell, r) / ours(cell, r) - 1) > SAME for cell in PRINTED),
            f"some gain differs by more than {SAME:.0%}",
        ),
    )


def _beside_other(both: Gains, variant: str, repeat: int) -> float:
    """Latencies of other parameters over those of the default: above 1 where the default is better."""
    gain = both.gain(ADAPTIVE, [variant])
    return geometric_mean(gain(cell, repeat) for cell in PRINTED)


def _ratios(course: Course) -> Iterator[tuple[str, Figure | PaperFigure]]:
    """Orders that rest on timelines."""

    def queue(name: str, repeat: int) -> float:
        before = course.queue_deviation(name, FROM_THE_START, repeat)
        return course.queue_deviation(name, ADAPTIVE, repeat) / before

    def free(name: str, repeat: int) -> float:
        """Channels that do not collect."""
        mean = [course.mean_of("gc_channels", name, each, repeat) for each in (ADAPTIVE, FROM_THE_START)]
        return (8 - mean[0]) / (8 - mean[1])

    def waits(name: str, repeat: int) -> float:
        column = "outstanding_requests"
        ours = course.mean_of(column, name, ADAPTIVE, repeat)
        return course.mean_of(column, name, GATED_ALL, repeat) / ours

    def relocated(name: str, repeat: int) -> float:
        sums = [int(course.run(name, each, repeat)["gc_programs"].sum()) for each in (GATED_ALL, ADAPTIVE)]
        return (sums[0] + 1) / (sums[1] + 1)

    def slowest_decline(name: str, repeat: int) -> float:
        others = (GATED_ALL, GATED_HALF, ADAPTIVE)
        most = max(course.mean_of("free_blocks", name, each, repeat) for each in others)
        return course.mean_of("free_blocks", name, FROM_THE_START, repeat) / most

    yield "queue-deviation", course.order(queue, WORKLOADS, statistics.fmean)
    yield "queue-deviation-cassandra", course.one(queue, "cassandra")
    yield "free-channels", course.order(free, WORKLOADS, statistics.fmean)
    yield "free-channels-cassandra", course.one(free, "cassandra")
    yield "waiting-mongodb", course.one(waits, "mongodb")
    yield "relocated-mongodb", course.one(relocated, "mongodb")
    yield "slowest-decline", course.one(slowest_decline, "cassandra")
