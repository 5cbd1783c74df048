"""One die as a server: Poisson arrivals against M/D/1, M/G/1 and Cobham.

A die is busy from a command until the last data has left it, and with one die nothing else uses the channel,
so an operation's time in service is its unloaded latency. Programs must never wait for collection: the drive
has as many spare pages as the trace has programs, so nothing is ever collected (checked in every run). Reads
must not be answered from the write buffer: the host sees a million pages, of which a few at most are on their
way to flash.
"""

from __future__ import annotations

from reclaim.errors import SimulationError
from reclaim.simulate import simulate
from reclaim.trace.generate.uniform import uniform_trace
from reclaim.validation.checks import Check, ExpectedFigure, Heartbeat, Level
from reclaim.validation.closed_forms import queueing as oracle
from reclaim.validation.closed_forms.queueing import Class
from reclaim.validation.drives import drive, timing

PAGE = 4096
READS = {0.2: 250_000, 0.5: 500_000, 0.8: 1_500_000, 0.9: 4_000_000}
"""Load, and requests of a run: the busier, the longer until waits average out."""
MIXES = {0.3: 1_000_000, 0.6: 1_500_000, 0.8: 3_000_000}
PROGRAMS = 0.3
USER_PAGES = 1 << 20
MEAN = 0.01
P99 = 0.03


def checks(level: Level) -> list[Check]:
    """Rows of the queueing table."""
    reads = [_reads(level, load, count) for load, count in READS.items()]
    mixes = [
        _mix(level, scheduler, load, count)
        for scheduler in ("fcfs", "read-first")
        for load, count in MIXES.items()
    ]
    return reads + mixes


def _reads(level: Level, load: float, count: int) -> Check:
    def run(seed: int, heartbeat: Heartbeat) -> list[ExpectedFigure]:
        device = drive(blocks=128, pages_per_block=256, user_pages=16_384)
        service = timing(device).read
        gap = round(service / load)
        trace = uniform_trace(
            footprint_bytes=16_384 * PAGE,
            count=count,
            write_fraction=0,
            mean_interarrival_ns=gap,
            seed=seed,
        )
        result = simulate(device, trace, warmup="filled", progress=heartbeat, warn=False)
        # The gap is whole nanoseconds, so the load is not quite the round one.
        exact = service / gap
        response = oracle.md1_response(service=service, load=exact)
        tail = oracle.md1_wait_percentile(99, service=service, load=exact)
        waited = (result.read.latency.percentile(99) or 0) - service
        return [
            ExpectedFigure(f"load {load}: mean latency", result.read.mean_ns, response, MEAN, "ns"),
            ExpectedFigure(f"load {load}: 99th percentile of the wait", waited, tail, P99, "ns"),
        ]

    return Check("One die, reads (M/D/1)", run, level.queueing_runs)


def _mix(level: Level, scheduler: str, load: float, count: int) -> Check:
    def run(seed: int, heartbeat: Heartbeat) -> list[ExpectedFigure]:
        pages = 4096
        blocks = round(USER_PAGES + count * PROGRAMS * 1.02) // pages + 8
        device = drive(
            blocks=blocks, pages_per_block=pages, user_pages=USER_PAGES, settings={"scheduler": scheduler}
        )
        times = timing(device)
        gap = round(((1 - PROGRAMS) * times.read + PROGRAMS * times.program) / load)
        trace = uniform_trace(
            footprint_bytes=USER_PAGES * PAGE,
            count=count,
            write_fraction=PROGRAMS,
            mean_interarrival_ns=gap,
            seed=seed,
        )
        result = simulate(device, trace, warmup="filled", progress=heartbeat, warn=False)
        counted = result.to_dict()
        if counted["gc"]["jobs"] or counted["flash"]["buffer_hits"] > count / 100_000:
            raise SimulationError("the experiment is not what its formula is about")
        classes = [Class((1 - PROGRAMS) / gap, times.read), Class(PROGRAMS / gap, times.program)]
        one = oracle.mg1_wait(classes)
        reads, programs = (one, one) if scheduler == "fcfs" else oracle.cobham_waits(classes)
        waits = (result.read.mean_ns - times.read, result.write.mean_ns - times.program)
        return [
            ExpectedFigure(f"load {load}: mean wait of reads", waits[0], reads, MEAN, "ns"),
            ExpectedFigure(f"load {load}: mean wait of programs", waits[1], programs, MEAN, "ns"),
        ]

    kind = "first come, first served (M/G/1)" if scheduler == "fcfs" else "reads first (Cobham)"
    return Check(f"One die, 70 % reads and 30 % programs, {kind}", run, level.queueing_runs)
