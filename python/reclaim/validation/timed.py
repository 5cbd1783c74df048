"""Write amplification in the timed engine: several planes, the host writing on while blocks are collected."""

from __future__ import annotations

from collections.abc import Callable

from reclaim.simulate import simulate
from reclaim.trace.generate.uniform import uniform_trace
from reclaim.validation.checks import Check, ExpectedFigure, Heartbeat, Level
from reclaim.validation.closed_forms import amplification as oracle
from reclaim.validation.drives import drive

PLANES, BLOCKS, PAGES_PER_BLOCK = 4, 1024, 64
PAGE = 4096
TOLERANCE = 0.01
FORMULAS: dict[str, Callable[[float], float]] = {
    "greedy": lambda spare: oracle.greedy(spare, PAGES_PER_BLOCK),
    "fifo": oracle.fifo,
}


def checks(level: Level) -> list[Check]:
    """Rows of the closed loops."""
    return [
        _loop(level, victim, percent, depth)
        for victim in FORMULAS
        for percent in (10, 20)
        for depth in (1, 64)
    ]


def _loop(level: Level, victim: str, percent: int, depth: int) -> Check:
    def run(seed: int, heartbeat: Heartbeat) -> list[ExpectedFigure]:
        user_pages = PLANES * BLOCKS * PAGES_PER_BLOCK * (100 - percent) // 100
        device = drive(
            dies=PLANES,
            blocks=BLOCKS,
            pages_per_block=PAGES_PER_BLOCK,
            user_pages=user_pages,
            settings={"gc.victim": victim, "host.mode": "closed-loop", "host.queue_depth": depth},
        )
        trace = uniform_trace(
            footprint_bytes=user_pages * PAGE, count=2 * user_pages, write_fraction=1, seed=seed
        )
        result = simulate(device, trace, warmup="overwrite:10", seed=seed, progress=heartbeat, warn=False)
        # Collection is never deferred, so both ends of the load are the same.
        effective = device.facts()["light_load"]["effective_spare_factor"]
        return [
            ExpectedFigure(
                f"Sf = {percent / 100:.2f}, {victim}, queue depth {depth}",
                result.write_amplification or 0,
                FORMULAS[victim](effective),
                TOLERANCE,
                "ratio",
                {"spare_factor": percent / 100, "effective_spare_factor": effective},
            )
        ]

    return Check("Uniform writes with time, four planes", run, level.seeds)
