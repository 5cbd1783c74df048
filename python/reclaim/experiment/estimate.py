"""How many points, how long, how much memory and disk an experiment takes, before anything runs."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from reclaim.device import Device
from reclaim.experiment.point import MANY, Point
from reclaim.experiment.task import cores, is_worth_keeping, memory_of, shares_of, start_of, waiting_of
from reclaim.policy.marks import KINDS
from reclaim.units import duration, written

TIMED_SECONDS = 0.3e-6
"""A page operation of a run with time: about 2,000 instructions (docs/performance.md)."""
BUSES = ("bus", "serialized-channel", "ideal", "pssd", "pnssd")
NETWORK_TIMES = 4
"""So many times as long one takes on any other network (docs/networks.md has what each costs)."""
UNTIMED_SECONDS = 0.1e-6
"""A page written without time, 270 instructions, and what it misses in the caches."""
MOVED_SECONDS = 0.025e-6
"""A page that collection relocates without time, many at once."""
POINT_SECONDS = 0.003
"""What a point costs beside what it simulates: its drive is set up, results and tables are written."""
POINT_PYTHON_SECONDS = 0.002
"""Of it, what one core does of all points: `benches/growth.py` prints it."""
SKEW = 0.5
"""Of what uniform overwrites would relocate, what those of a trace do: some pages are written more often."""
MOST_MOVED = 20.0
"""Pages programmed for a page that the host writes, at most: a drive without spare pages is refused."""
STEADY_ROUNDS = 4.0
"""Rounds of `steady` and `workload` until write amplification is flat, in the usual case."""
SCORE_SECONDS = 2.7e-9
"""A name, number or operator of a score, for each block that is looked at."""
WITHOUT_COST = ("seed", "trace.rotate")
"""Settings that change nothing of what a run takes, as far as it can be told."""
POINT_BYTES = 60_000
"""Results, configuration and histograms of a point."""
PACKED_BYTES = 10_000
"""The same where many points share a file, and tables of them."""
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
class PointCost:
    """What one point takes."""

    seconds: float
    python_seconds: float
    """Of them, those in Python: no two points have these at a time."""
    warm_up_seconds: float
    """Of them, those of a warm-up that others may share; 0 where none is shared."""
    memory_bytes: int
    disk_bytes: int


def _pages_per_block(config: Mapping[str, Any], facts: Mapping[str, Any]) -> int:
    blocks = int(facts["planes"]) * int(config["geometry"]["blocks_per_plane"])
    return int(facts["physical_pages"]) // blocks


def _python_seconds(
    config: Mapping[str, Any], facts: Mapping[str, Any], programmed: float, host_writes: float
) -> float:
    """What policies in Python take, of a run that programs so many pages, so many of them for the host.

    One is asked at a time, on however many cores.
    """
    geometry, pages_per_block = config["geometry"], _pages_per_block(config, facts)
    levels = ("SLC", "MLC", "TLC", "QLC").index(config["flash"]["cell"]) + 1
    of_drive = (facts["dies"], facts["planes"], geometry["blocks_per_plane"], pages_per_block)
    dimensions = (geometry["channels"], *of_drive, facts["logical_pages"], levels)
    seconds = 0.0
    for key in KINDS:
        section, kind = key.split(".")
        policy = config[section][kind]
        if policy["kind"] == "python":
            # Arrays are imported when there is a policy to show them to.
            from reclaim.policy.adapters import seconds_of_answer

            params = json.dumps(policy.get("params", {}))
            if key in QUESTIONS:
                asked = QUESTIONS[key] * programmed / pages_per_block
            else:
                asked = programmed if policy.get("relocated_open_blocks", 1) > 1 else host_writes
            seconds += asked * seconds_of_answer(key, policy["function"], policy["code"], params, dimensions)
    return seconds


QUESTIONS = {"gc.victim": 1, "gc.trigger": 3, "gc.concurrency": 2}
"""How often policies are asked for a block that is collected: when it is opened, full and erased, say.
Others are asked about every page that the host writes, or that is programmed at all."""


def _amplification(facts: Mapping[str, Any], pages: float) -> float:
    """Pages programmed for each that the host writes, of uniform overwrites of so many pages.

    Of greedy collection: where a share `u` of a victim's pages is valid, (u - 1) / ln u of all pages are.
    """
    logical = float(facts["logical_pages"])
    spare = logical / (1 - float(facts["light_load"]["effective_spare_factor"])) - logical
    pages = min(max(pages, 1.0), logical)
    used = pages / (pages + max(spare, 1.0))
    low, high = 0.0, 1 - 1 / MOST_MOVED
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if (middle - 1) / math.log(middle) < used else (low, middle)
    return 1 / (1 - low)


def _of_trace(facts: Mapping[str, Any], pages: float) -> float:
    return 1 + SKEW * (_amplification(facts, pages) - 1)


def _warm_up_pages(
    config: Mapping[str, Any], facts: Mapping[str, Any], trace_pages: float, footprint: float
) -> tuple[float, float]:
    """Pages programmed by the warm-up, and those of them that the host writes."""
    capacity = float(facts["logical_pages"])
    warmup = config["warmup"]
    match warmup["kind"]:
        case "empty":
            return 0.0, 0.0
        case "filled":
            return capacity, capacity
        case "overwrite":
            written, moved = capacity * float(warmup["overwrites"]), _amplification(facts, capacity)
        case "replay":
            written, moved = trace_pages * int(warmup["replays"]), _of_trace(facts, footprint)
        case "workload":
            # Whole plays, until a capacity is written.
            of_round = trace_pages * math.ceil(capacity / trace_pages) if trace_pages else 0.0
            written, moved = of_round * STEADY_ROUNDS, _of_trace(facts, footprint)
        case _:
            written, moved = capacity * STEADY_ROUNDS, _amplification(facts, capacity)
    return capacity + moved * written, capacity + written


def cost_of(point: Point, drive: Device, summary: Mapping[str, Any], facts: Mapping[str, Any]) -> PointCost:
    """Estimate one point from the length of its trace and the size of its drive."""
    config = drive.config
    page = int(facts["raw_bytes"]) / int(facts["physical_pages"])
    requests = int(summary["requests"])
    kept, _ = shares_of(config, requests)
    reads = kept * max(summary["read_bytes"] / page, summary["reads"])
    writes = kept * max(summary["write_bytes"] / page, summary["writes"])
    footprint = summary["write_footprint_bytes"] / page
    warm_up, of_host = _warm_up_pages(config, facts, writes, footprint)
    # What is free at the start is written before anything is collected.
    free = float(facts["gc_starts_after_pages"] or 0)
    relocated = max(0.0, writes - free) * (_of_trace(facts, footprint) - 1)
    warm_up_seconds = UNTIMED_SECONDS * of_host + MOVED_SECONDS * (warm_up - of_host)
    timed = TIMED_SECONDS * (1 if config["interconnect"]["kind"] in BUSES else NETWORK_TIMES)
    write_seconds = timed * (writes + relocated)
    without = UNTIMED_SECONDS * writes + MOVED_SECONDS * relocated
    if config["measure"].get("untimed"):
        reads, write_seconds = 0, without
    elif (windows := config["measure"].get("windows")) and windows.get("until") == "worn":
        # Twice: once to learn how often. Blocks that bear more are erased more often.
        bears = max(row["erases"] for row in config["flash"]["endurance"]["failures"])
        plays = bears * int(facts["physical_pages"]) / max(1.0, writes + relocated)
        reads *= windows["count"]
        write_seconds = windows["count"] * write_seconds + 2 * plays * without
    elif windows:
        lead_in = windows["count"] * windows["lead_in"] / (kept * requests)
        share = min(1.0, float(windows["share"].rstrip("%")) / 100 + lead_in)
        reads, write_seconds = share * reads, share * write_seconds + without
    if config["gc"]["victim"]["kind"] == "score":
        terms = len(re.findall(r"[\w.]+|[-+*/]", config["gc"]["victim"]["score"]))
        of_victim = SCORE_SECONDS * terms * config["geometry"]["blocks_per_plane"]
        of_page = of_victim / _pages_per_block(config, facts)
        warm_up_seconds += of_page * warm_up
        write_seconds += of_page * (writes + relocated)
    seconds = POINT_SECONDS + warm_up_seconds + reads * timed + write_seconds
    python = _python_seconds(config, facts, warm_up + writes + relocated, of_host + writes)
    disk = POINT_BYTES
    if point.record.timeline:
        disk += TIMELINE_BYTES
    if point.record.gc:
        disk += int(GC_ROW_BYTES * (writes + relocated) / _pages_per_block(config, facts))
    if point.record.requests:
        disk += int(REQUEST_ROW_BYTES * kept * requests)
    waiting, _ = waiting_of(drive, point.opened) if point.opened is not None else (0, 0)
    shared = warm_up_seconds if is_worth_keeping(drive) and not drive.forgetful() else 0.0
    memory = memory_of(drive, point.record, requests) + waiting
    return PointCost(seconds + python, POINT_PYTHON_SECONDS + python, shared, memory, disk)


def estimate(points: Sequence[Point], summaries: Mapping[int, Mapping[str, Any]]) -> Estimate:
    """Estimate a whole experiment.

    Args:
        points: its points; those that are refused cost nothing.
        summaries: what is known of each trace, by its `id()`.
    """
    costs: dict[str, PointCost] = {}
    known: dict[tuple[object, ...], PointCost] = {}
    again: dict[tuple[str, int], list[float]] = {}
    for point in points:
        if point.drive is None or point.opened is None or point.id in costs:
            continue
        alike = (id(point.opened), *point.made_but(WITHOUT_COST))
        if alike not in known:
            known[alike] = cost_of(point, point.drive, summaries[id(point.opened)], point.drive.facts())
        cost = costs[point.id] = known[alike]
        if cost.warm_up_seconds:
            again.setdefault(start_of(point.drive, point.opened), []).append(cost.warm_up_seconds)
    workers = max(1, min(cores(), len(costs)))
    sizes = sorted((each.memory_bytes for each in costs.values()), reverse=True)
    python = sum(each.python_seconds for each in costs.values())
    # The first of those that share a warm-up makes it.
    whole = sum(each.seconds for each in costs.values()) - sum(sum(shared[1:]) for shared in again.values())
    share_files = len(costs) >= MANY and all(each.record.packs for each in points)
    disk = PACKED_BYTES * len(costs) if share_files else 2 * sum(each.disk_bytes for each in costs.values())
    longest = max((each.seconds for each in costs.values()), default=0.0)
    return Estimate(
        points=len(costs),
        seconds=max(longest, python, whole / workers),
        processor_seconds=whole,
        memory_bytes=sum(sizes[:workers]),
        largest_bytes=sizes[0] if sizes else 0,
        disk_bytes=disk,
    )
