"""The two ends of the load: an operation alone on the drive, and a channel that is never idle."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from reclaim.device import Value
from reclaim.errors import SimulationError
from reclaim.simulate import simulate
from reclaim.trace.trace import Operation, Trace
from reclaim.validation.checks import Check, ExpectedFigure, Heartbeat
from reclaim.validation.drives import drive, timing

PRESETS = ("gc-bypass", "channel-aware", "word-line-aware", "deferred-raid", "coupled-copyback")
ONFI: dict[str, Value] = {"channel.rate": "333 MT/s", "channel.command_cycle": "25ns"}
BLOCKS, PER_BLOCK = 8, 16
REQUESTS_PER_DIE = 200
EXACT = 0.0
BANDWIDTH = 0.005
REST_NS = 100_000_000
"""Longer than any operation, so that the drive is idle when the next comes."""


@dataclass(frozen=True)
class Channel:
    """A channel with more dies than it can serve."""

    label: str
    dies: int
    settings: dict[str, Value]
    programs: bool = False
    page_size: str = "4KiB"


SATURATED = (
    Channel("programs, 256 dies, 1000 MT/s", 256, {}, programs=True),
    Channel("programs, 256 dies, 333 MT/s", 256, ONFI, programs=True),
    Channel("reads of 16 KiB, 512 dies, 333 MT/s", 512, ONFI, page_size="16KiB"),
    Channel("reads, 64 dies, 1000 MT/s", 64, {}),
    Channel("reads, 64 dies, 333 MT/s", 64, ONFI),
)


def checks() -> list[Check]:
    """Rows of both ends; they need no level, because nothing in them is random."""
    return [_unloaded(preset) for preset in PRESETS] + [_saturated(channel) for channel in SATURATED]


def _unloaded(preset: str) -> Check:
    def run(_: int, heartbeat: Heartbeat) -> list[ExpectedFigure]:
        user_pages = BLOCKS * PER_BLOCK // 2
        device = drive(preset, blocks=BLOCKS, pages_per_block=PER_BLOCK, user_pages=user_pages)
        times = timing(device)

        def at_rest(index: int, op: Operation, page: int) -> tuple[int, Operation, int, int]:
            return (index * REST_NS, op, page * times.page_bytes, times.page_bytes)

        # Page 0 of the host lands on page 0 of a block, whose times are those of the first level.
        pair = Trace.from_records([at_rest(0, "write", 0), at_rest(1, "read", 0)])
        alone = simulate(device, pair, progress=heartbeat, warn=False)
        # Written over in order, the drive always has a block without valid pages, which is only erased.
        again = [at_rest(index, "write", index % user_pages) for index in range(BLOCKS * PER_BLOCK)]
        worn = simulate(
            device,
            Trace.from_records(again),
            record_gc=True,
            record_requests=True,
            progress=heartbeat,
            warn=False,
        )
        job = pl.DataFrame(worn.gc_log).row(0, named=True)
        requests = pl.DataFrame(worn.requests)
        # The job begins with the write that opens the last block but one; one has the die after the other.
        write = requests.filter(pl.col("arrival_ns") == job["start_ns"]).row(0, named=True)
        goes_first = job["end_ns"] < write["completion_ns"]
        erase = job["end_ns"] - (job["start_ns"] if goes_first else write["completion_ns"])
        return [
            ExpectedFigure(f"{preset}: read", alone.read.max_ns, times.read, EXACT, "ns"),
            ExpectedFigure(f"{preset}: program", alone.write.max_ns, times.program, EXACT, "ns"),
            ExpectedFigure(f"{preset}: erase", erase, times.erase, EXACT, "ns"),
        ]

    return Check("Alone on the drive", run)


def _saturated(channel: Channel) -> Check:
    def run(_: int, heartbeat: Heartbeat) -> list[ExpectedFigure]:
        # Every die has as many requests, in turn, and always several waiting. Nothing is collected: half of
        # the pages are spare, and fewer are programmed.
        pages = 4 * REQUESTS_PER_DIE if channel.programs else 256
        device = drive(
            dies=channel.dies,
            blocks=max(8, pages // 64),
            pages_per_block=64,
            user_pages=channel.dies * pages // 2,
            page_size=channel.page_size,
            settings=dict(channel.settings)
            | {"host.mode": "closed-loop", "host.queue_depth": 4 * channel.dies, "scheduler": "fcfs"},
        )
        times = timing(device)
        operation: Operation = "write" if channel.programs else "read"
        requests = [
            (0, operation, index % (channel.dies * pages // 2) * times.page_bytes, times.page_bytes)
            for index in range(REQUESTS_PER_DIE * channel.dies)
        ]
        result = simulate(
            device,
            Trace.from_records(requests),
            warmup="empty" if channel.programs else "filled",
            record_requests=True,
            progress=heartbeat,
            warn=False,
        )
        if result.to_dict()["gc"]["jobs"]:
            raise SimulationError("the experiment is not what its formula is about")
        # The middle half: whole turns of the dies, neither the first commands nor the last data.
        ends = pl.DataFrame(result.requests)["completion_ns"].sort()
        first, last = REQUESTS_PER_DIE // 4 * channel.dies, REQUESTS_PER_DIE // 4 * 3 * channel.dies
        moved = (last - first) * times.page_bytes * 1e9 / (ends[last] - ends[first])
        expected = times.program_bytes_per_s if channel.programs else times.read_bytes_per_s
        return [ExpectedFigure(channel.label, moved, expected, BANDWIDTH, "bytes/s")]

    return Check("Saturated channel", run)
