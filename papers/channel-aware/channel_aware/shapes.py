"""Shapes that the paper sees in its figures: whether ours show them, in every repeat."""

from __future__ import annotations

import statistics

import polars as pl

from reclaim.paper.toolkit import Shapes

from .course import CHANNELS, GMAX, PAGES, THETA1, THETA2, Course, limit
from .gains import ADAPTIVE, CONVENTIONAL, FROM_THE_START, GATED_ALL, GATED_HALF

GATE = 0.7
ERASED = 0.01
"""How far below a threshold usage may be at the end of an interval in which jobs began, and ended."""
MANY = 5
"""More than half of the channels."""
RESTS = 0.1
SHAPES: Shapes[Course] = Shapes()


@SHAPES("all-channels-collect")
def _all_channels(course: Course, repeat: int) -> bool:
    """Under a conventional scheme all channels collect at once while requests wait, in some workload."""
    return any(
        course.most_channels(name, each, repeat) == CHANNELS
        for name in course.workloads
        for each in CONVENTIONAL
    )


@SHAPES("limit-follows-usage")
def _follows_usage(course: Course, repeat: int) -> bool:
    """The channels that may collect are G(t) of the usage, whatever the workload."""
    for name in course.workloads:
        run = course.run(name, ADAPTIVE, repeat).select("used_pages", "allowed_channels")
        if any(limit(used, PAGES) != allowed for used, allowed in run.iter_rows()):
            return False
    return True


@SHAPES("none-below-theta1", f"no job begins before usage has come within {ERASED:.0%} of theta1")
def _none_below_theta1(course: Course, repeat: int) -> bool:
    """No job begins in an interval before usage has come to theta1."""
    for name in course.workloads:
        run = course.run(name, ADAPTIVE, repeat)
        reached = (course.usage(run) >= float(THETA1) - ERASED).to_list()
        before = run.head(reached.index(True)) if True in reached else run
        if int(before["jobs_begun"].sum()):
            return False
    return True


@SHAPES("full-above-theta2")
def _full_above_theta2(course: Course, repeat: int) -> bool | None:
    found = False
    for name in course.workloads:
        run = course.run(name, ADAPTIVE, repeat)
        above = run.filter(course.usage(run) >= float(THETA2))
        found = found or above.height > 0
        if (above["allowed_channels"] != GMAX).any():
            return False
    return True if found else None


@SHAPES("half-stays-free")
def _half_stays_free(course: Course, repeat: int) -> bool:
    return all(
        bool((course.run(name, ADAPTIVE, repeat)["gc_channels"] <= CHANNELS - GMAX).all())
        for name in course.workloads
    )


@SHAPES("no-jumps")
def _no_jumps(course: Course, repeat: int) -> bool:
    """From one interval to the next G(t) changes by one channel at most."""
    for name in course.workloads:
        steps = (
            course.run(name, ADAPTIVE, repeat)["allowed_channels"].cast(pl.Int64).diff().drop_nulls().abs()
        )
        if (steps > 1).any():
            return False
    return True


MANY_RULE = f"requests take longer while {MANY} channels or more collect than while none does"


@SHAPES("slower-with-many", f"{MANY_RULE}, in more than half of the workloads")
def _slower_with_many(course: Course, repeat: int) -> bool | None:
    return _slower(course, repeat, FROM_THE_START, course.workloads)


@SHAPES("slower-with-many-mongodb", MANY_RULE)
def _slower_under_mongodb(course: Course, repeat: int) -> bool | None:
    return _slower(course, repeat, GATED_ALL, ["mongodb"])


def _slower(course: Course, repeat: int, scheme: str, names: list[str]) -> bool | None:
    """Requests take longer while more than half of the channels collect than while none does."""
    found = []
    for name in names:
        run = course.run(name, scheme, repeat)
        many = course.latency_with(run, pl.col("gc_channels") >= MANY)
        none = course.latency_with(run, pl.col("gc_channels") == 0)
        if many is not None and none is not None:
            found.append(many > none)
    return statistics.fmean(found) > 0.5 if found else None


@SHAPES("more-even-cassandra")
def _more_even(course: Course, repeat: int) -> bool:
    return _evenness(course, repeat, "cassandra", (FROM_THE_START,))


@SHAPES("more-even-cassandra-than-all")
def _more_even_than_all(course: Course, repeat: int) -> bool:
    return _evenness(course, repeat, "cassandra", CONVENTIONAL)


@SHAPES("drawn")
def _drawn(course: Course, repeat: int) -> bool:
    return course.run("cassandra", ADAPTIVE, repeat).height > 0


def _evenness(course: Course, repeat: int, name: str, others: tuple[str, ...]) -> bool:
    ours = course.unevenness(name, ADAPTIVE, repeat)
    return all(ours < course.unevenness(name, each, repeat) for each in others)


EVEN = "collection is less uneven than under every other scheme in more than half of the workloads"


@SHAPES("more-even", EVEN)
def _most_evenly(course: Course, repeat: int) -> bool:
    found = [_evenness(course, repeat, name, CONVENTIONAL) for name in course.workloads]
    return statistics.fmean(found) > 0.5


@SHAPES("swings-less")
def _swings_less(course: Course, repeat: int) -> bool:
    ours = course.swing("cassandra", ADAPTIVE, repeat)
    return all(ours < course.swing("cassandra", each, repeat) for each in (GATED_ALL, GATED_HALF))


@SHAPES("bursts-cassandra", "requests completed in an interval vary by more than their mean")
def _bursts(course: Course, repeat: int) -> bool:
    """Requests completed per interval vary by more than their mean."""
    done: list[int] = course.run("cassandra", ADAPTIVE, repeat)["completed_requests"].to_list()
    return statistics.pstdev(done) > statistics.fmean(done)


@SHAPES("continuous-mongodb", f"in fewer than {RESTS:.0%} of the intervals nothing completes")
def _continuous(course: Course, repeat: int) -> bool:
    done = course.run("mongodb", ADAPTIVE, repeat)["completed_requests"]
    return float((done == 0).mean() or 0.0) < RESTS  # type: ignore[arg-type]


@SHAPES("waiting-coincides", "outstanding requests and collecting channels correlate by more than 0")
def _coincide(course: Course, repeat: int) -> bool:
    """More requests wait while more channels collect."""
    run = course.run("cassandra", FROM_THE_START, repeat)
    found = run.select(pl.corr("outstanding_requests", "gc_channels")).item()
    return found is not None and float(found) > 0


def _begins_from(course: Course, scheme: str, workload: str, repeat: int, least: float) -> bool | None:
    """Whether the first job begins once so much is in use, not before; None where none begins."""
    run = course.run(workload, scheme, repeat)
    begun = run.filter(pl.col("jobs_begun") > 0)
    if not begun.height:
        return None
    reached = run.filter(course.usage(run) >= least - ERASED)
    return reached.height > 0 and int(reached["start_ns"][0]) <= int(begun["start_ns"][0])


@SHAPES("starts-at-thresholds", f"no job begins before usage has come within {ERASED:.0%} of the threshold")
def _starts_at_thresholds(course: Course, repeat: int) -> bool:
    """Of the three schemes that wait for a usage, none begins before it is reached."""
    waiting = ((ADAPTIVE, float(THETA1)), (GATED_ALL, GATE), (GATED_HALF, GATE))
    return all(
        _begins_from(course, scheme, "cassandra", repeat, least) is not False for scheme, least in waiting
    )


@SHAPES("gated-above-70", f"no job begins before usage has come within {ERASED:.0%} of the gate")
def _gated_above_70(course: Course, repeat: int) -> bool | None:
    return _begins_from(course, GATED_ALL, "mongodb", repeat, GATE)


@SHAPES("collects-longer-mongodb")
def _longer(course: Course, repeat: int) -> bool:
    ours = course.share_collecting("mongodb", ADAPTIVE, repeat)
    return ours > course.share_collecting("mongodb", GATED_ALL, repeat)
