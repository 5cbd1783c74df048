"""One run with all that it takes, so that it can be given to a thread or to another machine."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reclaim import _core
from reclaim.device import Device
from reclaim.errors import InputError, ReclaimError
from reclaim.experiment.parts import Record
from reclaim.experiment.point import Point
from reclaim.result.result import Result
from reclaim.simulate import RUNNING, simulate
from reclaim.trace.trace import Trace

REQUEST_ROW_BYTES = 96
"""What a recorded request takes in memory while a run lasts, its table included."""
WAITING_BYTES = 108
"""What a request takes that waits, as crates/sim/src/demand.rs has it."""
OVERHEAD_BYTES = 8 << 20
"""What every run takes beside its drive: histograms, tables on their way into files."""


@dataclass(frozen=True)
class Task:
    """A point to be run."""

    id: str
    label: str
    drive: Device
    trace: Trace
    record: Record
    state: str
    """Name of the state in which its warm-up leaves the drive; empty if none is shared."""
    memory_bytes: int
    """What it is expected to take."""
    alone: bool = False
    """Whether it is run in a process of its own: it may take more memory than there is."""


def cores() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0))


def memory_of(drive: Device, record: Record, requests: int) -> int:
    """Give what a run takes in memory, in bytes."""
    run, audit = drive._core.memory_bytes()
    found = run + OVERHEAD_BYTES + (audit if record.audit else 0)
    return found + (requests * REQUEST_ROW_BYTES if record.requests else 0)


def waiting_of(drive: Device, trace: Trace) -> tuple[int, int]:
    """Give what requests take while they wait, in bytes: at least, and if none is answered."""
    config = drive.config
    if config["host"]["mode"] != "open-loop":
        return 0, 0
    requests = int(trace.summary()["requests"])
    kept, time = shares_of(config, requests)
    return drive._core.backlog_bytes(trace._core, kept, time), int(requests * kept * WAITING_BYTES)


def shares_of(config: Mapping[str, Any], requests: int) -> tuple[float, float]:
    """Give the shares of a trace's requests and of its time that are played, over all rounds."""
    trace = config["trace"]
    kept = _share(str(trace["sample"])) if trace.get("sample") else 1.0
    time = 1.0
    if trace.get("max_requests") and requests:
        most = int(trace["max_requests"]) / requests
        time = min(1.0, most / kept)
        kept = min(kept, most)
    rounds = int(trace.get("repeat", 1))
    return kept * rounds, time * rounds


def _share(text: str) -> float:
    """Read a share as configurations write it.

    >>> _share("12.5%"), _share("0.5")
    (0.125, 0.5)
    """
    return float(text.removesuffix("%")) / 100 if text.endswith("%") else float(text)


def start_of(drive: Device, trace: Trace) -> tuple[str, int]:
    """Name what a warm-up depends on, told without reading its trace; the trace is 0 where none is played."""
    key, plays = drive.start
    return key, id(trace) if plays else 0


def is_worth_keeping(drive: Device) -> bool:
    """Whether the state that a warm-up leaves is read faster than it is made."""
    return drive.config["warmup"]["kind"] not in ("empty", "filled")


def task_of(point: Point, requests: int, room: int | None = None) -> Task:
    """Make the task of a point that has a drive and a trace.

    Args:
        point: the point.
        requests: of its trace, where that counts.
        room: bytes that there are for it; what may take more is run in a process of its own.
    """
    if point.drive is None or point.opened is None:
        raise InputError(f"{point.label()}: {point.refused}")
    memory = memory_of(point.drive, point.record, requests)
    least, most = waiting_of(point.drive, point.opened)
    # A table that grows is there twice for a moment.
    alone = room is not None and memory + 2 * most > room
    name = point.label()
    return Task(point.id, name, point.drive, point.opened, point.record, "", memory + least, alone)


def run(
    task: Task,
    write: Callable[[Result], object],
    *,
    load: Path | None = None,
    save: Path | None = None,
    stop: Callable[[], bool] = lambda: False,
    warmed: Callable[[], object] = lambda: None,
    reached: Callable[[str], object] = lambda _: None,
) -> float:
    """Run a point and have its result written.

    Args:
        task: the point.
        write: writes it.
        load: a state to start from instead of warming up.
        save: where to save the state after the warm-up.
        stop: asked about ten times a second whether to end now.
        warmed: called once the warm-up has ended and its state is saved.
        reached: told about ten times a second how far it is.

    Returns:
        How long it took, in seconds.

    Raises:
        StoppedError: when `stop` says so.
        ReclaimError: as `simulate`.
    """
    told = False

    def progress(phase: str, done: int, total: int, simulated_ns: int) -> None:
        nonlocal told
        del simulated_ns
        reached(f"{phase}, {100 * done // total} %" if phase == RUNNING and total else phase)
        if phase == RUNNING and not told:
            told = True
            warmed()
        if stop():
            raise StoppedError

    def simulated(load: Path | None, save: Path | None) -> Result:
        return simulate(
            task.drive,
            task.trace,
            audit=task.record.audit,
            record_requests=task.record.requests,
            record_gc=task.record.gc,
            record_timeline=task.record.timeline,
            load_state=load,
            save_state=save,
            force=True,
            progress=progress,
            warn=False,
            # Each of the points that are run at once has a processor.
            workers=1,
        )

    try:
        result = simulated(load, save)
    except InputError:
        if load is None:
            raise
        # A state that cannot be loaded costs a warm-up, not the point.
        result = simulated(None, None)
    if not told:
        # A short run is over before anything is told of it.
        warmed()
    write(result)
    return result.wall_seconds or 0.0


def into(folder: Path) -> Callable[[Result], object]:
    """Give what writes a result into a folder; it must not have other things."""
    return lambda result: result.write_into(folder, report=False)


class StoppedError(Exception):
    """Raised in a run that is to end now."""


class DiedError(Exception):
    """Raised when the process of a point was ended by a signal; says by which, and why probably."""


def is_failure(error: BaseException) -> bool:
    """Whether an error is that of one point: others still can run."""
    # The core's panics are no Exceptions.
    return isinstance(error, Exception) or type(error).__name__ == "PanicException"


def reason(error: BaseException) -> str:
    """Say why a point failed; of what should not happen also which kind of error it was."""
    if isinstance(error, (ReclaimError, DiedError)) and str(error):
        return str(error)
    return f"{type(error).__name__}: {error}"


VARIABLE = "RECLAIM_MEMORY_LIMIT"


def memory_budget(wanted: str | None) -> int | None:
    """Give the memory that runs may take together, in bytes; None for any.

    >>> memory_budget("8GiB"), memory_budget("unlimited")
    (8589934592, None)

    Args:
        wanted: what the user says; None for the limit of every run (the environment), or what is available.

    Raises:
        InputError: for what is no size.
    """
    text, what = (wanted, "--memory") if wanted is not None else (os.environ.get(VARIABLE), VARIABLE)
    return _core.memory_limit(text, what) if text else _core.memory_limit()
