"""Runs points in threads: the core lets other threads run while it simulates."""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from queue import Queue
from typing import Any

from reclaim.bench.progress import Meter
from reclaim.bench.schedule import Schedule
from reclaim.bench.store import Store
from reclaim.bench.task import StoppedError, Task, run
from reclaim.errors import InputError, ReclaimError

TELL_SECONDS = 0.2
STORED = "stored"
WAITING = 16
"""How many points that have run may wait to be stored: a slow disk then holds the threads up."""
Failed = Callable[[str, str], object]
"""Called with the id of a point and why it failed."""


def cores() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0))


def entry(
    point: str,
    worker: str,
    began: float,
    seconds: float,
    outcome: str,
    files: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """Give a line of the log; `files` has the checksums of what was stored."""
    when = datetime.fromtimestamp(began, UTC).isoformat(timespec="milliseconds")
    told = {"worker": worker, "began": when, "seconds": round(seconds, 3), "outcome": outcome}
    return {"point": point} | told | ({"files": dict(files)} if files else {})


def is_failure(error: BaseException) -> bool:
    """Whether an error is that of one point: others still can run."""
    # The core's panics are no Exceptions.
    return isinstance(error, Exception) or type(error).__name__ == "PanicException"


def reason(error: BaseException) -> str:
    """Say why a point failed; of what should not happen also which kind of error it was."""
    if isinstance(error, ReclaimError) and str(error):
        return str(error)
    return f"{type(error).__name__}: {error}"


@dataclass(frozen=True)
class Ended:
    """A point that has run."""

    id: str
    folder: Path | None
    """Its files; None if it failed."""
    outcome: str
    worker: str
    began: float
    """When, in seconds since 1970."""
    seconds: float


class Threads:
    """As many threads as there shall be points at the same time."""

    def __init__(self, store: Store, schedule: Schedule, meter: Meter, failed: Failed) -> None:
        self._store = store
        self._schedule = schedule
        self._meter = meter
        self._failed = failed
        self._changed = threading.Condition()
        self._at_work = 0
        """How many threads have not ended."""
        self._stop = False
        self._broken: BaseException | None = None
        self._ended: Queue[Ended | None] = Queue(WAITING)

    def run(self, workers: int) -> None:
        """Run every point of the schedule; those that fail are reported, the others go on.

        Raises:
            KeyboardInterrupt: when it is to stop; what had ended is stored.
            InputError: when the folder cannot be written any more.
        """
        threads = [
            threading.Thread(target=self._work, args=(f"thread {number + 1}",), daemon=True)
            for number in range(workers)
        ]
        storing = threading.Thread(target=self._keep, daemon=True)
        storing.start()
        self._at_work = workers
        try:
            for thread in threads:
                thread.start()
            self._watch()
        finally:
            self._stop = True
            with self._changed:
                self._changed.notify_all()
            for thread in threads:
                if thread.is_alive():
                    thread.join()
            self._ended.put(None)
            storing.join()
        if self._broken is not None:
            raise self._broken

    def _watch(self) -> None:
        """Tell how far it came until all have ended."""
        while self._at_work:
            with self._changed:
                if self._at_work:
                    self._changed.wait(TELL_SECONDS)
                running = tuple(each.label for each in self._schedule.running)
            self._meter.tell(running)

    def _work(self, worker: str) -> None:
        try:
            self._run_points(worker)
        finally:
            with self._changed:
                # Who watches is told at once: a thread that is about to end is alive for a moment still.
                self._at_work -= 1
                self._changed.notify_all()

    def _run_points(self, worker: str) -> None:
        while True:
            with self._changed:
                task = None if self._stop else self._schedule.next()
                while task is None:
                    if self._stop or self._schedule.is_done:
                        return
                    self._changed.wait()
                    task = None if self._stop else self._schedule.next()
            try:
                self._one(task, worker)
            except BaseException as error:  # noqa: BLE001 - whatever it is ends the sweep, in the main thread
                self._break(error)
                return
            finally:
                with self._changed:
                    unneeded = self._schedule.ended(task)
                    self._changed.notify_all()
                if unneeded is not None and not self._stop:
                    self._store.remove_state(unneeded)

    def _break(self, error: BaseException) -> None:
        """End the sweep with an error that is not of one point."""
        with self._changed:
            self._broken = self._broken or error
            self._stop = True
            self._changed.notify_all()

    def _keep(self) -> None:
        """Store what has ended: the threads that run points need not wait for the disk."""
        with contextlib.suppress(Exception):
            # Each would wait for it at the end of its first point; while that runs, nobody does.
            import polars as pl  # noqa: F401
        while (ended := self._ended.get()) is not None:
            try:
                self._store_one(ended)
            except BaseException as error:  # noqa: BLE001 - as in `_work`; the rest is stored all the same
                self._break(error)

    def _store_one(self, ended: Ended) -> None:
        outcome, files = ended.outcome, None
        if ended.folder is not None:
            try:
                files = self._store.commit(ended.id, ended.folder)
            except InputError as error:
                outcome = str(error)
        if outcome != STORED:
            self._failed(ended.id, outcome)
        self._store.log(entry(ended.id, ended.worker, ended.began, ended.seconds, outcome, files))
        with self._changed:
            if outcome == STORED:
                self._meter.done += 1
            else:
                self._meter.failed += 1

    def _one(self, task: Task, worker: str) -> None:
        """Run one point, and hand it over to be stored, or why that failed."""
        state: Path | None = self._store.state(task.state) if task.state else None
        with self._changed:
            loads, saves = self._schedule.loads(task), self._schedule.saves(task)
        began, clock = time.time(), time.monotonic()
        ran: Path | None = None
        outcome = STORED
        try:
            with self._store.beginning(task.id) as folder:
                run(
                    task,
                    folder,
                    load=state if loads else None,
                    save=state if saves else None,
                    stop=lambda: self._stop,
                    warmed=lambda: self._warmed(task),
                )
            ran = folder
        except StoppedError:
            return
        except BaseException as error:
            if not is_failure(error):
                raise
            outcome = reason(error)
        self._ended.put(Ended(task.id, ran, outcome, worker, began, time.monotonic() - clock))

    def _warmed(self, task: Task) -> None:
        with self._changed:
            self._schedule.warmed(task)
            self._changed.notify_all()
