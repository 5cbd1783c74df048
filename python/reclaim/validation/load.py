"""Write amplification depends on the load: why, and what is known of it before a run.

The host goes before collection until a plane is urgent. So free blocks stand at `start` while there is little
to do, and run down to `hard` under load; blocks that are not kept erased hold garbage, victims hold less, and
write amplification falls. The rows evaluate the formula at the spare factor in play, which leaves out:

- of all pages, erased ones, in free blocks and in open ones;
- blocks under collection, from which nothing more is gained by waiting;
- of the data, pages that are in the write buffer, whose old copies are garbage already.

Drives on which `start` is `hard` are the counter-check: nothing is deferred, so nothing depends on the load.
"""

from __future__ import annotations

import polars as pl

from reclaim.device import Device, Value
from reclaim.result.result import Result
from reclaim.simulate import simulate
from reclaim.trace.generate.uniform import uniform_trace
from reclaim.validation.checks import Check, ExpectedFigure, Heartbeat, Level
from reclaim.validation.closed_forms import amplification as oracle
from reclaim.validation.drives import drive

PLANES, BLOCKS, PAGES_PER_BLOCK = 8, 128, 64
PAGES = PLANES * BLOCKS * PAGES_PER_BLOCK
PAGE = 4096
SPARE = 0.15
USER_PAGES = round(PAGES * (1 - SPARE))
TOLERANCE = 0.01
ENDS_TOLERANCE = 0.02
PAUSE_NS = 100_000_000
"""Mean time between writes under light load; the collection of a block takes half of it."""
SATURATED = 128
"""A queue depth at which writes wait in every plane: sixteen."""
Settings = dict[str, Value]
DEFERRED: Settings = {"gc.trigger.start": "6 blocks", "gc.trigger.hard": "1 block"}
SWEEPS: tuple[tuple[str, Settings, tuple[int, ...]], ...] = (
    ("start 6, hard 1", {}, (1, 2, 4, 16, 128)),
    ("start 6, hard 3", {"gc.trigger.hard": "3 blocks"}, (128,)),
    ("start 6, hard 6", {"gc.trigger.hard": "6 blocks"}, (1, 128)),
    ("start 1, hard 1", {"gc.trigger.start": "1 block"}, (1, 128)),
    ("start 6, hard 1, a write buffer of 16 pages", {"controller.write_buffer": "64KiB"}, (4096,)),
)
"""Settings, and at which queue depths."""
ENDS: tuple[tuple[str, Settings], ...] = (
    ("greedy", {}),
    ("fifo", {"gc.victim": "fifo"}),
    ("stop 8", {"gc.trigger.stop": "8 blocks"}),
    ("one open block", {"ftl.gc_frontier": "shared"}),
    ("fcfs", {"scheduler": "fcfs"}),
)
"""Drives whose two ends are compared with what `reclaim device check` says of them."""


def checks(level: Level) -> list[Check]:
    """Rows of the sweeps and of both ends."""
    sweeps = [_sweep(level, name, settings, depth) for name, settings, depths in SWEEPS for depth in depths]
    return sweeps + [_ends(level, name, settings) for name, settings in ENDS]


def device_of(settings: Settings) -> Device:
    """The drive of these experiments."""
    return drive(
        dies=PLANES,
        blocks=BLOCKS,
        pages_per_block=PAGES_PER_BLOCK,
        user_pages=USER_PAGES,
        settings=DEFERRED | settings,
    )


def measure(level: Level, settings: Settings, depth: int | None, seed: int, heartbeat: Heartbeat) -> Result:
    """Overwrite the drive with so many writes at once, or with pauses between, and measure the second half.

    The warm-up has no time, so it leaves what light load would. It takes some capacities until the garbage is
    spread over the blocks as the load has it.
    """
    host: Settings = {"host.mode": "open-loop"}
    if depth is not None:
        host = {"host.mode": "closed-loop", "host.queue_depth": depth}
    trace = uniform_trace(
        footprint_bytes=USER_PAGES * PAGE,
        count=round(2 * level.capacities * USER_PAGES),
        write_fraction=1,
        mean_interarrival_ns=PAUSE_NS if depth is None else 0,
        seed=seed,
    )
    return simulate(
        device_of(settings | host),
        trace,
        warmup="overwrite:6",
        measure_after="50%",
        seed=seed,
        record_gc=True,
        progress=heartbeat,
        warn=False,
    )


def spare_factor_in_play(result: Result) -> float:
    """Share of the pages in play that hold no data."""
    found = result.to_dict()
    jobs = pl.DataFrame(result.gc_log)
    share = (jobs["end_ns"] - jobs["start_ns"]) / found["simulated_ns"]
    # Valid pages of a victim become fewer from the first move to the last.
    collected, moving = share.sum(), (share * jobs["valid_pages"]).sum() / 2
    erased = found["gc"]["mean_erased_blocks_per_plane"] * PLANES
    buffered = min(found["drift"]["outstanding"]["mean"], found["buffer"]["capacity_pages"])
    data = USER_PAGES - buffered - moving
    return float(1 - data / (PAGES - (erased + collected) * PAGES_PER_BLOCK))


def _sweep(level: Level, name: str, settings: Settings, depth: int) -> Check:
    def run(seed: int, heartbeat: Heartbeat) -> list[ExpectedFigure]:
        result = measure(level, settings, depth, seed, heartbeat)
        effective = spare_factor_in_play(result)
        return [
            ExpectedFigure(
                f"{name}: queue depth {depth}",
                result.write_amplification or 0,
                oracle.greedy(effective, PAGES_PER_BLOCK),
                TOLERANCE,
                "ratio",
                {
                    "spare_factor": SPARE,
                    "erased_blocks_per_plane": result.to_dict()["gc"]["mean_erased_blocks_per_plane"],
                    "effective_spare_factor": effective,
                },
            )
        ]

    return Check("Write amplification by load", run, level.seeds)


def _ends(level: Level, name: str, settings: Settings) -> Check:
    def run(seed: int, heartbeat: Heartbeat) -> list[ExpectedFigure]:
        facts = device_of(settings).facts()
        points = []
        for end, depth in (("light_load", None), ("heavy_load", SATURATED)):
            result = measure(level, settings, depth, seed, heartbeat)
            said = facts[end]
            points.append(
                ExpectedFigure(
                    f"{name}, {end.replace('_', ' ')}",
                    result.write_amplification or 0,
                    said["write_amplification"],
                    ENDS_TOLERANCE,
                    "ratio",
                    {
                        "spare_factor": SPARE,
                        "erased_blocks_per_plane": said["erased_blocks_per_plane"],
                        "effective_spare_factor": said["effective_spare_factor"],
                    },
                )
            )
        return points

    return Check("Both ends of the load, as `reclaim device check` says", run, level.seeds, "said before")
