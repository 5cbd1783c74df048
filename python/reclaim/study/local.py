"""Runs points in threads: the core lets other threads run while it simulates."""

from __future__ import annotations

import contextlib
import os
import shutil
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from queue import Empty, Queue
from typing import Any

from reclaim import _core, builds, input_file
from reclaim.errors import InputError
from reclaim.experiment.task import DiedError, StoppedError, Task, into, is_failure, reason, run
from reclaim.result.result import Result
from reclaim.result.sets.log import BEGAN, DIED
from reclaim.result.sets.packed import Files, texts
from reclaim.study.alone import Order, packed, run_alone
from reclaim.study.store import Packed, Store
from reclaim.study.study import Meter

TELL_SECONDS = 0.2
STORED = "stored"
STOPPED = "stopped"
WAITING = 16
"""How many points that have run may wait to be stored: a slow disk then holds the threads up."""
Failed = Callable[[str, str], object]
"""Called with the id of a point and why it failed."""


def entry(
    point: str,
    worker: str,
    began: float,
    seconds: float,
    outcome: str,
    *,
    died: bool = False,
    build: str = "",
) -> dict[str, Any]:
    """Give a line of the log.

    `died` says that the point ended its process, `build` who has run it if not this one.
    """
    when = datetime.fromtimestamp(began, UTC).isoformat(timespec="milliseconds")
    told = {"worker": worker, "began": when, "seconds": round(seconds, 3), "outcome": outcome}
    return {"point": point} | told | ({DIED: True} if died else {}) | {"build": build or builds.build()}


@dataclass(frozen=True)
class Ended:
    """A point that has run."""

    id: str
    folder: Path | None
    """Its files; None if it failed, or they are to be among those of other points."""
    files: Files
    """What goes there then."""
    outcome: str
    died: bool
    """Whether it ended its process."""
    worker: str
    began: float
    """When, in seconds since 1970."""
    seconds: float


class Threads:
    """As many threads as there shall be points at the same time."""

    def __init__(
        self, store: Store, schedule: Schedule, meter: Meter, failed: Failed, again: Sequence[str] = ()
    ) -> None:
        """Take what is to run.

        Args:
            store: where points are stored.
            schedule: the points.
            meter: counts those that have ended.
            failed: told of those that fail.
            again: the command that takes the place of this process when it gets no memory for a point.
        """
        self._again = [os.fsencode(word) for word in again]
        self._inside = 0
        """How many points run in this process."""
        self._store = store
        self._schedule = schedule
        self._meter = meter
        self._failed = failed
        self._changed = threading.Condition()
        self._at_work = 0
        """How many threads have not ended."""
        self._done = threading.Event()
        """Set once all have."""
        self._stop = False
        self._at: dict[str, str] = {}
        """How far points are that run."""
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
        while not self._done.wait(TELL_SECONDS):
            with self._changed:
                running = tuple(self._at.get(each.id, each.label) for each in self._schedule.running)
            self._meter.tell(running)

    def _work(self, worker: str) -> None:
        try:
            self._run_points(worker)
        finally:
            with self._changed:
                # Who watches is told at once: a thread that is about to end is alive for a moment still.
                self._at_work -= 1
                if not self._at_work:
                    self._done.set()

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
        go_on = True
        while go_on:
            waiting = [self._ended.get()]
            with contextlib.suppress(Empty):
                while waiting[-1] is not None:
                    waiting.append(self._ended.get_nowait())
            go_on = waiting[-1] is not None
            try:
                self._store_all([each for each in waiting if each is not None])
            except BaseException as error:  # noqa: BLE001 - as in `_work`; the rest is stored all the same
                self._break(error)

    def _store_all(self, ended: Sequence[Ended]) -> None:
        """Store points that have ended; those that go into one file, with one look at the disk."""
        notes = [
            entry(each.id, each.worker, each.began, each.seconds, each.outcome, died=each.died)
            for each in ended
        ]
        packed = [
            Packed(each.id, each.files, note) for each, note in zip(ended, notes, strict=True) if each.files
        ]
        fault = ""
        try:
            if packed:
                self._store.pack(packed)
        except InputError as error:
            fault = str(error)
        for each, note in zip(ended, notes, strict=True):
            self._store_one(each, note, fault if each.files else "")

    def _store_one(self, ended: Ended, note: dict[str, Any], fault: str) -> None:
        outcome = fault or ended.outcome
        if ended.folder is not None:
            try:
                self._store.commit(ended.id, ended.folder, note)
            except InputError as error:
                outcome = str(error)
        if outcome != STORED:
            self._failed(ended.id, outcome)
            self._store.log(note | {"outcome": outcome})
        with self._changed:
            if outcome == STORED:
                self._meter.stored()
            else:
                self._meter.failed += 1

    def _one(self, task: Task, worker: str) -> None:
        """Run one point, and hand it over to be stored, or why that failed."""
        state: Path | None = self._store.state(task.state) if task.state else None
        with self._changed:
            loads, saves = self._schedule.loads(task), self._schedule.saves(task)
        began, clock = time.time(), time.monotonic()
        # If it ends this process, the next one knows, and runs it in one of its own.
        self._store.log(entry(task.id, worker, began, 0.0, BEGAN))
        ran: Path | None = None
        files: Files = {}
        outcome, died = STORED, False

        def ran_here(write: Callable[[Result], object]) -> None:
            with self._begins_again():
                run(
                    task,
                    write,
                    load=state if loads else None,
                    save=state if saves else None,
                    stop=lambda: self._stop,
                    warmed=lambda: self._warmed(task),
                    reached=lambda at: self._at.update({task.id: f"{task.label}: {at}"}),
                )

        def keep(result: Result) -> None:
            nonlocal files
            files = result.contents()

        packs = self._store.packs_with(task.record)
        try:
            if packs and not task.alone:
                ran_here(keep)
            else:
                with self._store.beginning(task.id) as folder:
                    if task.alone:
                        self._run_alone(task, folder)
                    else:
                        ran_here(into(folder))
                    if packs:
                        files = texts({each.name: input_file.data(each) for each in folder.iterdir()})
                ran = folder
            if packs and ran is not None:
                shutil.rmtree(ran)
                ran = None
        except StoppedError:
            self._store.log(entry(task.id, worker, began, time.monotonic() - clock, STOPPED))
            return
        except BaseException as error:
            if not is_failure(error):
                raise
            outcome, died = reason(error), isinstance(error, DiedError)
        seconds = time.monotonic() - clock
        self._at.pop(task.id, None)
        self._ended.put(Ended(task.id, ran, files, outcome, died, worker, began, seconds))

    def _run_alone(self, task: Task, folder: Path) -> None:
        order = Order(packed(task), {}, "", folder, self._schedule.budget)
        failed = run_alone(order, lambda: self._stop)
        if failed:
            raise InputError(failed)

    @contextmanager
    def _begins_again(self) -> Iterator[None]:
        """Begin this program again if it gets no memory while points run in it.

        These then run alone, so that each time there are fewer that can end it.
        """
        with self._changed:
            self._inside += 1
            _core.when_memory_runs_out(self._again)
        try:
            yield
        finally:
            with self._changed:
                self._inside -= 1
                if not self._inside:
                    _core.when_memory_runs_out([])

    def _warmed(self, task: Task) -> None:
        with self._changed:
            self._schedule.warmed(task)
            self._changed.notify_all()


class Schedule:
    """Points that wait and points that run.

    Of points that share the state after the warm-up the first makes it; the others wait until it is saved.
    """

    def __init__(self, tasks: Iterable[Task], budget: int | None, ready: Iterable[str] = ()) -> None:
        """Take the points in order.

        Args:
            tasks: points that fit into the budget alone.
            budget: bytes that may be in use at the same time; None for any.
            ready: states that are there already.
        """
        self._waiting = deque(tasks)
        self._running: dict[str, Task] = {}
        self.budget = budget
        self._ready = set(ready)
        self._making: dict[str, str] = {}
        """State: the point that makes it."""
        self._needed: dict[str, int] = {}
        for task in self._waiting:
            if task.state:
                self._needed[task.state] = self._needed.get(task.state, 0) + 1

    @property
    def running(self) -> tuple[Task, ...]:
        """What runs, longest first."""
        return tuple(self._running.values())

    @property
    def is_done(self) -> bool:
        """Whether nothing waits."""
        return not self._waiting

    def next(self) -> Task | None:
        """Give a point to start now; None while nothing can."""
        used = sum(each.memory_bytes for each in self._running.values())
        for number, task in enumerate(self._waiting):
            if task.state in self._making:
                continue
            if self.budget is not None and used + task.memory_bytes > self.budget:
                continue
            del self._waiting[number]
            self._running[task.id] = task
            if task.state and task.state not in self._ready and self._needed[task.state] > 1:
                self._making[task.state] = task.id
            return task
        return None

    def loads(self, task: Task) -> bool:
        """Whether a point starts from a state that is there."""
        return task.state in self._ready

    def saves(self, task: Task) -> bool:
        """Whether a point makes the state that others wait for."""
        return self._making.get(task.state) == task.id

    def warmed(self, task: Task) -> None:
        """Note that a point has saved its state."""
        if self.saves(task):
            del self._making[task.state]
            self._ready.add(task.state)

    def ended(self, task: Task) -> str | None:
        """Note that a point has ended; give its state if nobody needs that any more."""
        self._running.pop(task.id, None)
        if not task.state:
            return None
        # It may have failed before it saved anything: then the next one makes the state.
        if self.saves(task):
            del self._making[task.state]
        self._needed[task.state] -= 1
        if self._needed[task.state]:
            return None
        self._ready.discard(task.state)
        return task.state
