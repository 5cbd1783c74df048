"""Shapes that the paper sees in its figures: whether ours show them, in every repeat."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping

import polars as pl

from reclaim.papers.custom import Custom, told

from .course import CHANNELS, GMAX, THETA1, THETA2, Course, limit
from .gains import ADAPTIVE, CONVENTIONAL, FROM_THE_START, GATED_ALL, GATED_HALF

Holds = Callable[[Course, int], bool | None]
"""Whether one repeat shows it; None where it cannot."""
GATE = 0.7
ERASED = 0.01
"""How far below a threshold usage may be at the end of an interval in which jobs began, and ended."""
MANY = 5
"""More than half of the channels."""
RESTS = 0.1
IN_ALL = "in every repeat"


def judged(course: Course, name: str) -> Custom:
    """Whether all repeats show the shape of a name."""
    holds = SHAPES[name]
    found = [holds(course, repeat) for repeat in course.repeats]
    if any(each is None for each in found):
        return Custom(None, reason="our runs do not come to where it could be seen")
    return told(all(found), len(found), RULES.get(name, IN_ALL))


def _all_channels(course: Course, repeat: int) -> bool:
    """Under a conventional scheme all channels collect at once while requests wait, in some workload."""
    return any(
        course.most_channels(name, each, repeat) == CHANNELS
        for name in course.workloads
        for each in CONVENTIONAL
    )


def _follows_usage(course: Course, repeat: int) -> bool:
    """The channels that may collect are G(t) of the usage, whatever the workload."""
    for name in course.workloads:
        run = course.run(name, ADAPTIVE, repeat).select("used_pages", "allowed_channels")
        if any(limit(used, course.pages) != allowed for used, allowed in run.iter_rows()):
            return False
    return True


def _none_below_theta1(course: Course, repeat: int) -> bool:
    """No job begins in an interval before usage has come to theta1."""
    for name in course.workloads:
        run = course.run(name, ADAPTIVE, repeat)
        reached = (course.usage(run) >= float(THETA1) - ERASED).to_list()
        before = run.head(reached.index(True)) if True in reached else run
        if int(before["jobs_begun"].sum()):
            return False
    return True


def _full_above_theta2(course: Course, repeat: int) -> bool | None:
    found = False
    for name in course.workloads:
        run = course.run(name, ADAPTIVE, repeat)
        above = run.filter(course.usage(run) >= float(THETA2))
        found = found or above.height > 0
        if (above["allowed_channels"] != GMAX).any():
            return False
    return True if found else None


def _half_stays_free(course: Course, repeat: int) -> bool:
    return all(
        bool((course.run(name, ADAPTIVE, repeat)["gc_channels"] <= CHANNELS - GMAX).all())
        for name in course.workloads
    )


def _no_jumps(course: Course, repeat: int) -> bool:
    """From one interval to the next G(t) changes by one channel at most."""
    for name in course.workloads:
        steps = (
            course.run(name, ADAPTIVE, repeat)["allowed_channels"].cast(pl.Int64).diff().drop_nulls().abs()
        )
        if (steps > 1).any():
            return False
    return True


def _slower_with_many(course: Course, repeat: int, scheme: str, names: list[str]) -> bool | None:
    """Requests take longer while more than half of the channels collect than while none does."""
    found = []
    for name in names:
        run = course.run(name, scheme, repeat)
        many = course.latency_with(run, pl.col("gc_channels") >= MANY)
        none = course.latency_with(run, pl.col("gc_channels") == 0)
        if many is not None and none is not None:
            found.append(many > none)
    return statistics.fmean(found) > 0.5 if found else None


def _evenness(course: Course, repeat: int, name: str, others: tuple[str, ...]) -> bool:
    ours = course.unevenness(name, ADAPTIVE, repeat)
    return all(ours < course.unevenness(name, each, repeat) for each in others)


def _most_evenly(course: Course, repeat: int) -> bool:
    found = [_evenness(course, repeat, name, CONVENTIONAL) for name in course.workloads]
    return statistics.fmean(found) > 0.5


def _swings_less(course: Course, repeat: int) -> bool:
    ours = course.swing("cassandra", ADAPTIVE, repeat)
    return all(ours < course.swing("cassandra", each, repeat) for each in (GATED_ALL, GATED_HALF))


def _bursts(course: Course, repeat: int) -> bool:
    """Requests completed per interval vary by more than their mean."""
    done: list[int] = course.run("cassandra", ADAPTIVE, repeat)["completed_requests"].to_list()
    return statistics.pstdev(done) > statistics.fmean(done)


def _continuous(course: Course, repeat: int) -> bool:
    done = course.run("mongodb", ADAPTIVE, repeat)["completed_requests"]
    return float((done == 0).mean() or 0.0) < RESTS  # type: ignore[arg-type]


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


def _starts_at_thresholds(course: Course, repeat: int) -> bool:
    """Of the three schemes that wait for a usage, none begins before it is reached."""
    waiting = ((ADAPTIVE, float(THETA1)), (GATED_ALL, GATE), (GATED_HALF, GATE))
    return all(
        _begins_from(course, scheme, "cassandra", repeat, least) is not False for scheme, least in waiting
    )


def _gated_above_70(course: Course, repeat: int) -> bool | None:
    return _begins_from(course, GATED_ALL, "mongodb", repeat, GATE)


def _longer(course: Course, repeat: int) -> bool:
    ours = course.share_collecting("mongodb", ADAPTIVE, repeat)
    return ours > course.share_collecting("mongodb", GATED_ALL, repeat)


SHAPES: Mapping[str, Holds] = {
    "all-channels-collect": _all_channels,
    "limit-follows-usage": _follows_usage,
    "none-below-theta1": _none_below_theta1,
    "full-above-theta2": _full_above_theta2,
    "half-stays-free": _half_stays_free,
    "no-jumps": _no_jumps,
    "slower-with-many": lambda course, repeat: _slower_with_many(
        course, repeat, FROM_THE_START, course.workloads
    ),
    "slower-with-many-mongodb": lambda course, repeat: _slower_with_many(
        course, repeat, GATED_ALL, ["mongodb"]
    ),
    "more-even": _most_evenly,
    "more-even-cassandra": lambda course, repeat: _evenness(course, repeat, "cassandra", (FROM_THE_START,)),
    "more-even-cassandra-than-all": lambda course, repeat: _evenness(
        course, repeat, "cassandra", CONVENTIONAL
    ),
    "swings-less": _swings_less,
    "bursts-cassandra": _bursts,
    "continuous-mongodb": _continuous,
    "waiting-coincides": _coincide,
    "starts-at-thresholds": _starts_at_thresholds,
    "gated-above-70": _gated_above_70,
    "collects-longer-mongodb": _longer,
    "drawn": lambda course, repeat: course.run("cassandra", ADAPTIVE, repeat).height > 0,
}
"""Name to whether one repeat shows it."""

_MANY = f"requests take longer while {MANY} channels or more collect than while none does"
RULES: Mapping[str, str] = {
    "none-below-theta1": f"no job begins before usage has come within {ERASED:.0%} of theta1",
    "slower-with-many": f"{_MANY}, in more than half of the workloads",
    "slower-with-many-mongodb": _MANY,
    "more-even": "collection is less uneven than under every other scheme in more than half of the workloads",
    "bursts-cassandra": "requests completed in an interval vary by more than their mean",
    "continuous-mongodb": f"in fewer than {RESTS:.0%} of the intervals nothing completes",
    "waiting-coincides": "outstanding requests and collecting channels correlate by more than 0",
    "starts-at-thresholds": f"no job begins before usage has come within {ERASED:.0%} of the threshold",
    "gated-above-70": f"no job begins before usage has come within {ERASED:.0%} of the gate",
}
"""When a shape counts as there, in every repeat, where a threshold decides."""
