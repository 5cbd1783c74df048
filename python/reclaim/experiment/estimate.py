"""How many points, how long, how much memory and disk an experiment takes, before anything runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from reclaim.device import Device
from reclaim.experiment.point import Point
from reclaim.experiment.task import cores, memory_of, shares_of, waiting_of
from reclaim.policy.marks import KINDS
from reclaim.units import duration, written

TIMED_SECONDS = 0.5e-6
"""A page operation of a run with time: about 2,000 instructions (docs/performance.md)."""
UNTIMED_SECONDS = 0.1e-6
"""A page written without time, 270 instructions, and what it misses in the caches."""
ANSWER_SECONDS = 25e-6
"""A question to a policy in Python, with its answer; one is answered at a time, on however many cores."""
POINT_SECONDS = 0.05
"""What a point costs beside its simulation: tables, files."""
MOVED = 3.0
"""Pages programmed for a page that the host writes, where collection runs."""
STEADY_WRITES = 4.0
"""Capacities that `steady` and `workload` write until write amplification is flat, in the usual case."""
POINT_BYTES = 60_000
"""Results, configuration and histograms of a point."""
TIMELINE_BYTES = 60_000
"""2,048 intervals, packed."""
GC_ROW_BYTES = 30
REQUEST_ROW_BYTES = 25


@dataclass(frozen=True)
class Estimate:
    """What an experiment takes, roughly."""

    points: int
    """Runs: points that are the same run under the same name count once."""
    seconds: float
    """On all cores of this computer."""
    processor_seconds: float
    """Of one core, all runs together: the same on every computer."""
    memory_bytes: int
    """Of the runs at the same time: the largest, one a core."""
    largest_bytes: int
    """Of the largest run."""
    disk_bytes: int

    def lines(self) -> list[str]:
        """Say in a line each how long it takes, how much memory, and how much disk."""
        largest = written(self.largest_bytes, "bytes")
        return [
            f"time: about {duration(self.seconds)} on {cores()} cores; more for an overloaded drive",
            f"memory: {written(self.memory_bytes, 'bytes')}, the largest run {largest}, without traces",
            f"disk: about {written(self.disk_bytes, 'bytes')}",
        ]


@dataclass(frozen=True)
class Cost:
    """What one point takes."""

    seconds: float
    python_seconds: float
    """Of them, those of policies in Python."""
    memory_bytes: int
    disk_bytes: int


def _answers(config: Mapping[str, Any], programmed: float, host_writes: float) -> float:
    """Questions to policies in Python, of a run that programs so many pages, so many of them for the host."""
    jobs = programmed / int(config["geometry"]["pages_per_block"])
    asked = 0.0
    for key in KINDS:
        section, kind = key.split(".")
        if config[section][kind]["kind"] == "python":
            asked += host_writes if key == "ftl.allocation" else jobs
    return asked


def _warm_up_pages(config: Mapping[str, Any], facts: Mapping[str, Any], trace_pages: float) -> float:
    """Pages programmed by the warm-up."""
    capacity = float(facts["logical_pages"])
    warmup = config["warmup"]
    match warmup["kind"]:
        case "empty":
            return 0.0
        case "filled":
            return capacity
        case "overwrite":
            return capacity * (1 + MOVED * float(warmup["overwrites"]))
        case "replay":
            return capacity + MOVED * trace_pages * int(warmup["replays"])
    return capacity * (1 + MOVED * STEADY_WRITES)


def cost_of(point: Point, drive: Device, summary: Mapping[str, Any], facts: Mapping[str, Any]) -> Cost:
    """Estimate one point from the length of its trace and the size of its drive."""
    config = drive.config
    page = int(facts["raw_bytes"]) / int(facts["physical_pages"])
    requests = int(summary["requests"])
    kept, _ = shares_of(config, requests)
    reads = kept * max(summary["read_bytes"] / page, summary["reads"])
    writes = kept * max(summary["write_bytes"] / page, summary["writes"])
    timed = reads + writes * MOVED
    seconds = POINT_SECONDS + timed * TIMED_SECONDS
    warm_up = _warm_up_pages(config, facts, writes)
    seconds += UNTIMED_SECONDS * warm_up
    python = ANSWER_SECONDS * _answers(config, writes * MOVED + warm_up, writes + warm_up / MOVED)
    disk = POINT_BYTES
    if point.record.timeline:
        disk += TIMELINE_BYTES
    if point.record.gc:
        block = int(facts["physical_pages"]) // (
            int(facts["planes"]) * config["geometry"]["blocks_per_plane"]
        )
        disk += int(GC_ROW_BYTES * writes * MOVED / block)
    if point.record.requests:
        disk += int(REQUEST_ROW_BYTES * kept * requests)
    waiting, _ = waiting_of(drive, point.opened) if point.opened is not None else (0, 0)
    return Cost(seconds + python, python, memory_of(drive, point.record, requests) + waiting, disk)


def estimate(points: Sequence[Point], summaries: Mapping[int, Mapping[str, Any]]) -> Estimate:
    """Estimate a whole experiment.

    Args:
        points: its points; those that are refused cost nothing.
        summaries: what is known of each trace, by its `id()`.
    """
    costs: dict[str, Cost] = {}
    for point in points:
        if point.drive is None or point.opened is None or point.id in costs:
            continue
        costs[point.id] = cost_of(point, point.drive, summaries[id(point.opened)], point.drive.facts())
    workers = max(1, min(cores(), len(costs)))
    sizes = sorted((each.memory_bytes for each in costs.values()), reverse=True)
    python = sum(each.python_seconds for each in costs.values())
    whole = sum(each.seconds for each in costs.values())
    longest = max((each.seconds for each in costs.values()), default=0.0)
    return Estimate(
        points=len(costs),
        seconds=max(longest, python, whole / workers),
        processor_seconds=whole,
        memory_bytes=sum(sizes[:workers]),
        largest_bytes=sizes[0] if sizes else 0,
        disk_bytes=2 * sum(each.disk_bytes for each in costs.values()),
    )
