"""What the paper says in words, as figures: claims of `expected.toml` take them by name."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence

import polars as pl

from reclaim.papers.custom import Custom, Ran, told
from reclaim.papers.measured import Figure, interval_of
from reclaim.papers.paper import load_paper

from . import shapes
from .course import Course
from .gains import (
    ADAPTIVE,
    CONVENTIONAL,
    FROM_THE_START,
    GATED_ALL,
    GATED_HALF,
    KEY,
    METRICS,
    OUTLIERS,
    READ,
    SCHEMES,
    WORKLOADS,
    Cell,
    Gains,
    printed_cells,
)

PAGES = 8 * 4 * 64 * 128
"""Of the small drive."""
NOT_HERE = "this level does not run all workloads"
VARIANTS = ("theta-040-075", "theta-060-095", "gmax-2", "gmax-6")
JOURNALS = ("cassandra", "dbench", "rocksdb", "varmail")
"""More than six tenths of what they access is a journal, by Table 3."""
SAME = 0.05
"""Latencies that are nearer to each other than this count as the same."""
IDLE = "fewer than half of the jobs are emergencies, which alone do not wait for an idle channel"


def of_runs(ran: Ran) -> dict[str, Custom]:
    """Every figure; those that the level does not have say so."""
    points = ran.cells("cells")
    complete = not points.is_empty() and set(WORKLOADS) <= set(points["trace"].to_list())
    named = {claim.figure for claim in load_paper(KEY).expected.claims if claim.figure}
    found: dict[str, Custom] = {name: Custom(None, reason=NOT_HERE) for name in sorted(named)}
    if not complete:
        return found
    gains = Gains(points)
    found |= _gains(gains)
    found |= _other_cells(gains, ran)
    timelines = ran.timelines("cells")
    if not timelines.is_empty():
        course = Course.of(points, timelines, PAGES)
        found |= {name: shapes.judged(course, name) for name in shapes.SHAPES}
        found |= _ratios(course)
    return found


def _of(cells: Sequence[str], metrics: Sequence[str] = tuple(METRICS)) -> list[Cell]:
    """Cells of some workloads, of those that the paper prints."""
    return [cell for cell in printed_cells() if cell[1] in cells and cell[0] in metrics]


def _gains(gains: Gains) -> dict[str, Custom]:
    every = printed_cells()
    few = [cell for cell in every if cell not in OUTLIERS]
    maxima = [cell for cell in every if "max" in cell[0]]

    def statistic(cells: Sequence[Cell], of: Callable[[list[float]], float]) -> Custom:
        return Custom(gains.figure(lambda repeat: of([gains.gain(cell, repeat) for cell in cells])))

    def all_of(cells: Sequence[Cell], over: Sequence[str] = CONVENTIONAL) -> Custom:
        return Custom(gains.mean(cells, over=over), parts=gains.each(cells, over=over))

    def between(one: str, other: str, repeat: int) -> float:
        """How far the latencies of two schemes are apart, as a mean factor."""
        factors = [gains.gain(cell, repeat, one, [other]) for cell in every]
        return statistics.geometric_mean(max(each, 1 / each) for each in factors)

    others = [name for name in WORKLOADS if name not in JOURNALS]
    return {
        "mean-gain": statistic(every, statistics.fmean),
        "mean-gain-without-outliers": statistic(few, statistics.fmean),
        "deviation-of-gains": statistic(few, statistics.stdev),
        "gain": Custom(gains.mean(every)),
        "every-gain": all_of(every),
        "gains-of-maxima": all_of(maxima),
        "gains-cassandra": all_of(_of(["cassandra"])),
        "gains-cassandra-rocksdb": all_of(_of(["cassandra", "rocksdb"])),
        "gains-rocksdb": all_of(_of(["rocksdb"])),
        "gains-mongodb": all_of(_of(["mongodb"])),
        "mean-gains-mongodb": all_of(_of(["mongodb"], ["read_mean_ns", "write_mean_ns"])),
        "write-gain-mongodb": all_of(_of(["mongodb"], ["write_mean_ns"])),
        "maxima-mongodb-over-gated": all_of(_of(["mongodb"], ["read_max_ns", "write_max_ns"]), [GATED_ALL]),
        "cassandra-over-conv-0": all_of(_of(["cassandra"]), [FROM_THE_START]),
        "gain-over-gate": Custom(gains.mean(every, over=[GATED_ALL])),
        "gain-over-gates": Custom(gains.mean(every, over=[GATED_ALL, GATED_HALF])),
        "gated-reads-mongodb": Custom(
            gains.mean([("read_mean_ns", "mongodb")], scheme=GATED_ALL, over=[FROM_THE_START])
        ),
        "journals": especially(gains, _of(JOURNALS), _of(others)),
        "tails": Custom(
            gains.figure(
                lambda repeat: statistics.geometric_mean(_tail(gains, each, repeat) for each in WORKLOADS)
            ),
            parts=tuple((each, _tail_figure(gains, each)) for each in WORKLOADS),
        ),
        "early-collection-costs": _in_all(
            gains,
            lambda repeat: (
                statistics.fmean(
                    gains.value("gc_write_amplification", name, FROM_THE_START, repeat)
                    > gains.value("gc_write_amplification", name, ADAPTIVE, repeat)
                    for name in WORKLOADS
                )
                > 0.5
            ),
            "write amplification is higher from the start on in more than half of the workloads",
        ),
        "how-many-matters": _in_all(
            gains,
            lambda repeat: between(GATED_HALF, GATED_ALL, repeat) > 1 + SAME,
            f"latencies with half and all channels are more than {SAME:.0%} apart, mean factor",
        ),
        "collection-delays-host": _in_all(
            gains,
            lambda repeat: all(
                gains.value("read_breakdown_gc_ns", name, each, repeat) > 0
                for name in READ
                for each in SCHEMES
            ),
            "reads wait for collection in every workload, under every scheme",
        ),
        "conv-0-collects-most": _in_all(
            gains,
            lambda repeat: all(
                gains.value("gc_jobs", "cassandra", FROM_THE_START, repeat)
                >= gains.value("gc_jobs", "cassandra", each, repeat)
                for each in SCHEMES
            ),
            "no scheme has more jobs",
        ),
        "starts-when-idle": _in_all(gains, lambda r: _starts_when_idle(gains, WORKLOADS, r), IDLE),
        "starts-when-idle-cassandra": _in_all(
            gains, lambda r: _starts_when_idle(gains, ["cassandra"], r), IDLE
        ),
    }


def especially(gains: Gains, cells: Sequence[Cell], others: Sequence[Cell]) -> Custom:
    """An especially large gain: it must be a gain, and larger than that of other cells."""
    gain = gains.mean(cells)
    beside = gains.figure(lambda repeat: _mean_gain(gains, cells, repeat) / _mean_gain(gains, others, repeat))
    return Custom(beside, parts=(("gain", gain), ("beside the others", beside)))


def _mean_gain(gains: Gains, cells: Sequence[Cell], repeat: int) -> float:
    return statistics.geometric_mean(gains.gain(cell, repeat) for cell in cells)


def _tail(gains: Gains, workload: str, repeat: int) -> float:
    """The gain of the write latency of one request in 1,000."""
    return gains.gain(("write_p99_9_ns", workload), repeat)


def _tail_figure(gains: Gains, workload: str) -> Figure:
    return gains.figure(lambda repeat: _tail(gains, workload, repeat))


def _starts_when_idle(gains: Gains, workloads: Sequence[str], repeat: int) -> bool:
    """Whether most jobs of the adaptive scheme begin on an idle channel: all that are no emergencies do."""
    jobs = sum(gains.value("gc_jobs", name, ADAPTIVE, repeat) for name in workloads)
    starts = "gc_concurrency_emergency_starts"
    urgent = sum(gains.value(starts, name, ADAPTIVE, repeat) for name in workloads)
    return urgent < jobs / 2


def _in_all(gains: Gains, holds: Callable[[int], bool], rule: str) -> Custom:
    """Whether every repeat shows it."""
    return told(all(holds(repeat) for repeat in gains.repeats), len(gains.repeats), rule)


def _other_cells(gains: Gains, ran: Ran) -> dict[str, Custom]:
    """Figures beside other parameters and other pages."""
    found: dict[str, Custom] = {}
    other = ran.cells("sensitivity")
    if not other.is_empty():
        found["default-beside-others"] = _default_beside_others(
            gains, Gains(pl.concat([gains.points, other]))
        )
    pages = ran.cells("pages-8k")
    if pages.is_empty():
        return found
    large = Gains(pages)
    every = printed_cells()

    def away(which: Gains, repeat: int) -> float:
        """How far the gains are from 1, as a mean factor."""
        factors = [which.gain(cell, repeat) for cell in every]
        return statistics.geometric_mean(max(each, 1 / each) for each in factors)

    def jobs(which: Gains, repeat: int) -> float:
        return sum(
            which.value("gc_jobs", name, each, repeat) / which.value("write_bytes", name, each, repeat)
            for name in WORKLOADS
            for each in SCHEMES
        )

    rocksdb = _of(["rocksdb"])
    found |= {
        "every-gain-8k": Custom(large.mean(every), parts=large.each(every)),
        "gains-mongodb-8k": Custom(large.mean(_of(["mongodb"])), parts=large.each(_of(["mongodb"]))),
        "write-gain-rocksdb-8k": Custom(large.mean(_of(["rocksdb"], ["write_mean_ns"]))),
        "rocksdb-8k-by-4k": Custom(
            gains.figure(
                lambda repeat: _mean_gain(large, rocksdb, repeat) / _mean_gain(gains, rocksdb, repeat)
            )
        ),
        "collections-8k-by-4k": Custom(
            gains.figure(lambda repeat: jobs(large, repeat) / jobs(gains, repeat))
        ),
        "gap-8k-by-4k": Custom(
            gains.figure(lambda repeat: (away(large, repeat) - 1) / (away(gains, repeat) - 1))
        ),
        "pages-shift-gains": _in_all(
            gains,
            lambda repeat: any(
                abs(large.gain(cell, repeat) / gains.gain(cell, repeat) - 1) > SAME for cell in every
            ),
            f"some gain differs by more than {SAME:.0%}",
        ),
    }
    return found


def _default_beside_others(gains: Gains, both: Gains) -> Custom:
    """Latencies of other parameters over those of the default: above 1 where the default is better."""
    every = printed_cells()
    parts = tuple((each, both.mean(every, scheme=ADAPTIVE, over=[each])) for each in VARIANTS)
    return Custom(
        interval_of(
            [
                statistics.geometric_mean(_over(both, each, repeat) for each in VARIANTS)
                for repeat in gains.repeats
            ]
        ),
        parts=parts,
    )


def _over(both: Gains, variant: str, repeat: int) -> float:
    return statistics.geometric_mean(both.gain(cell, repeat, ADAPTIVE, [variant]) for cell in printed_cells())


def _ratios(course: Course) -> dict[str, Custom]:
    """Orders that rest on timelines."""

    def over(compute: Callable[[str, int], float], workloads: Sequence[str]) -> Custom:
        """Of each workload, and their mean."""
        parts = tuple(
            (name, interval_of([compute(name, repeat) for repeat in course.repeats])) for name in workloads
        )
        whole = interval_of(
            [statistics.fmean(compute(name, repeat) for name in workloads) for repeat in course.repeats]
        )
        return Custom(whole, parts=parts)

    def queue(name: str, repeat: int) -> float:
        before = course.queue_deviation(name, FROM_THE_START, repeat)
        return course.queue_deviation(name, ADAPTIVE, repeat) / before

    def free(name: str, repeat: int) -> float:
        """Channels that do not collect."""
        mean = [course.mean("gc_channels", name, each, repeat) for each in (ADAPTIVE, FROM_THE_START)]
        return (8 - mean[0]) / (8 - mean[1])

    def waits(name: str, repeat: int) -> float:
        column = "outstanding_requests"
        ours = course.mean(column, name, ADAPTIVE, repeat)
        return course.mean(column, name, GATED_ALL, repeat) / ours

    def relocated(name: str, repeat: int) -> float:
        sums = [int(course.run(name, each, repeat)["gc_programs"].sum()) for each in (GATED_ALL, ADAPTIVE)]
        return (sums[0] + 1) / (sums[1] + 1)

    def slowest_decline(name: str, repeat: int) -> float:
        others = (GATED_ALL, GATED_HALF, ADAPTIVE)
        most = max(course.mean("free_blocks", name, each, repeat) for each in others)
        return course.mean("free_blocks", name, FROM_THE_START, repeat) / most

    def one(name: str, compute: Callable[[str, int], float]) -> Custom:
        found: Figure = interval_of([compute(name, repeat) for repeat in course.repeats])
        return Custom(found)

    return {
        "queue-deviation": over(queue, WORKLOADS),
        "queue-deviation-cassandra": one("cassandra", queue),
        "free-channels": over(free, WORKLOADS),
        "free-channels-cassandra": one("cassandra", free),
        "waiting-mongodb": one("mongodb", waits),
        "relocated-mongodb": one("mongodb", relocated),
        "slowest-decline": one("cassandra", slowest_decline),
    }
