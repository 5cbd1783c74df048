"""Which workloads the scheme controls: those of which it, and not a shortage of space, starts most jobs."""

from __future__ import annotations

import statistics

from .gains import ADAPTIVE, Gains

SCHEME = f"{ADAPTIVE}, idle"
LEAST = 0.5
"""Where fewer of the jobs than this take a listed block on an idle channel, a workload is set apart."""


def listed_share(gains: Gains, workload: str, repeat: int, scheme: str = SCHEME) -> float:
    """Share of the jobs that can have taken a listed block on an idle channel, at most.

    All others begin because a plane has no more than one free block: on a block that greedy choice takes, and
    where a write waits for a page of the plane, on a channel that is not idle.
    """
    jobs, listed, urgent = (
        gains.value(each, workload, scheme, repeat)
        for each in ("gc_jobs", "gc_trigger_blocks_listed", "gc_concurrency_emergency_starts")
    )
    return min(listed, jobs - urgent) / jobs if jobs else 0.0


def acts(gains: Gains, workload: str, scheme: str = SCHEME) -> bool:
    """Whether the scheme controls a workload; yes where nothing was counted."""
    if "gc_jobs" not in gains.points.columns or not gains.has_all(scheme):
        return True
    return statistics.median(listed_share(gains, workload, each, scheme) for each in gains.repeats) >= LEAST
