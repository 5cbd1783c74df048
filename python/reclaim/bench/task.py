"""One run with all that it takes, so that it can be given to a thread or to another machine."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from reclaim.bench.parts import Record
from reclaim.bench.point import Point
from reclaim.device import Device
from reclaim.errors import InputError
from reclaim.results.result import Result
from reclaim.simulate import RUNNING, simulate
from reclaim.traces.trace import Trace

REQUEST_ROW_BYTES = 96
"""What a recorded request takes in memory while a run lasts, its table included."""
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


class StoppedError(Exception):
    """Raised in a run that is to end now."""


def memory_of(drive: Device, record: Record, requests: int) -> int:
    """Give what a run takes in memory, in bytes."""
    facts = drive.facts()
    found = int(facts["run_memory_bytes"]) + OVERHEAD_BYTES
    if record.audit:
        found += int(facts["audit_memory_bytes"])
    return found + (requests * REQUEST_ROW_BYTES if record.requests else 0)


def task_of(point: Point, requests: int, state: str = "") -> Task:
    """Make the task of a point that has a drive and a trace."""
    if point.drive is None or point.opened is None:
        raise InputError(f"{point.label()}: {point.refused}")
    memory = memory_of(point.drive, point.record, requests)
    return Task(point.id, point.label(), point.drive, point.opened, point.record, state, memory)


def run(
    task: Task,
    folder: Path,
    *,
    load: Path | None = None,
    save: Path | None = None,
    stop: Callable[[], bool] = lambda: False,
    warmed: Callable[[], object] = lambda: None,
) -> float:
    """Run a point and write its files into `folder`.

    Args:
        task: the point.
        folder: where its files go; it must not have other things.
        load: a state to start from instead of warming up.
        save: where to save the state after the warm-up.
        stop: asked about ten times a second whether to end now.
        warmed: called once the warm-up has ended and its state is saved.

    Returns:
        How long it took, in seconds.

    Raises:
        StoppedError: when `stop` says so.
        ReclaimError: as `simulate`.
    """
    told = False

    def progress(phase: str, done: int, total: int, simulated_ns: int) -> None:
        nonlocal told
        del done, total, simulated_ns
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
    result.write_into(folder, report=False)
    return result.wall_seconds or 0.0
