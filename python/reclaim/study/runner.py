"""Runs the points of a folder that are not stored yet; what fails stops nothing else."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

from reclaim import _core, builds
from reclaim.encoding import shell_line
from reclaim.errors import InputError, ReclaimError
from reclaim.experiment.point import Point
from reclaim.experiment.task import Task, cores, is_worth_keeping, start_of, task_of
from reclaim.result.sets import log
from reclaim.simulate import FORGETFUL
from reclaim.study.local import Schedule, Threads
from reclaim.study.store import Store, Stored, check_builds, described, look
from reclaim.study.study import Meter, Report, RunOptions
from reclaim.units import written

AGAIN = "it is not run again unless --retry or --force asks for it"
"""Of a point that has ended a process before."""
Note = Callable[[str, Mapping[str, Any]], object]
"""Keeps why a point failed: called with its id and what is known of it."""


class Runner:
    """Runs points that are not stored, and knows which failed."""

    def __init__(self, store: Store, options: RunOptions, progress: Report | None, note: Note) -> None:
        """Take the folder and how to run.

        Args:
            store: where points are stored.
            options: on what they run.
            progress: told how far it came.
            note: keeps why points failed.
        """
        self.store = store
        self.options = options
        self._budget = options.budget()
        """Bytes that all runs may take together; None for any."""
        self._progress = progress
        self._note = note
        self._points: dict[str, Point] = {}
        self.failures: list[dict[str, Any]] = []
        self.notes: list[str] = []

    def run(self, points: Sequence[Point], among: Iterable[Point] = ()) -> Stored:
        """Run those that are not stored, or not as they were written, and give what is known of the others.

        Args:
            points: those that are wanted.
            among: points of other builds are refused of these, too.

        Raises:
            InputError: for stored points of another build.
            KeyboardInterrupt: saying how far it came.
        """
        wanted = {point.id: point for point in (*points, *among)}
        check_builds(self.store, wanted.values(), self.options.accept, force=self.options.force)
        stored = look(self.store, points, mend=True)
        headroom = Headroom(self.store, points)
        first = {point.id: point for point in (*headroom.first, *points)}
        there = self.store.ids()
        todo = [point for point in first.values() if point.id not in there]
        self._run(todo, len(points), headroom)
        place = {point.id: number for number, point in enumerate(points)}
        self.failures.sort(key=lambda each: place[each["point"]])
        return replace(stored, count=len(points) - len(todo))

    def _run(self, todo: Sequence[Point], total: int, headroom: Headroom) -> None:
        self._points = {point.id: point for point in todo}
        meter = Meter(total, total - len(todo), self._progress, headroom.seen)
        meter.stored(0)
        tasks = list(self._tasks(todo, meter))
        try:
            if tasks and self.options.dask is not None:
                from reclaim.study.on_dask import Cluster, run_on_dask

                of_cluster = Cluster(self.options.dask, self.options.accept, self.options.worker_timeout)
                run_on_dask(of_cluster, self._states(tasks), self.store, meter, self._failed)
            elif tasks:
                shared = [] if self.options.only else self._states(tasks)
                schedule = Schedule(shared or tasks, self._budget, self._ready(shared))
                threads = Threads(self.store, schedule, meter, self._failed, self.options.again)
                threads.run(min(self._workers(), len(tasks)))
        except KeyboardInterrupt:
            raise KeyboardInterrupt(
                f"stopped: {meter.done} of {total} points are stored in {self.store.folder}; "
                "the same command goes on from there"
            ) from None
        meter.tell(())
        self.notes += [] if self._progress else meter.notes

    def _workers(self) -> int:
        return self.options.workers or cores()

    def _tasks(self, todo: Sequence[Point], meter: Meter) -> Iterator[Task]:
        """Make tasks; what cannot run at all fails at once."""
        counted: dict[int, int] = {}
        budget = self._budget if self.options.dask is None else None
        # What ends a process is what there is, whatever runs are allowed.
        there = _core.memory_limit() if self.options.dask is None else None
        room = min((each for each in (budget, there) if each is not None), default=None)
        notes = self.store.notes
        asked = {*self.options.only}
        for point in todo:
            noted = notes.of(point.id)
            wanted = self.options.retry or self.options.force or point.id in asked
            died = noted.died and not wanted
            if refused := point.refused or (f"{noted.outcome}; {AGAIN}" if died else ""):
                self._failed(point.id, refused)
                meter.failed += 1
                continue
            whole = point.built()
            # Reading a trace through can take as long as playing it: where it is needed, and once.
            if whole.record.requests and whole.opened is not None and id(whole.opened) not in counted:
                counted[id(whole.opened)] = int(whole.opened.summary()["requests"])
            try:
                task = task_of(whole, counted.get(id(whole.opened), 0), room)
            except InputError as error:
                # A policy of one's own is asked for what the drive takes.
                self._failed(point.id, str(error))
                meter.failed += 1
                continue
            if noted.died or noted.outcome == log.BEGAN:
                # It has ended a process, or that process was ended while it ran.
                task = replace(task, alone=True)
            if budget is not None and task.memory_bytes > budget:
                need, have = written(task.memory_bytes, "bytes"), written(budget, "bytes")
                self._failed(point.id, f"needs about {need} of memory, and {have} are allowed; see --memory")
                meter.failed += 1
                continue
            yield task

    def _states(self, tasks: Sequence[Task]) -> list[Task]:
        """Name the states that warm-ups leave, where at least two points can share one."""
        there = {each.stem for each in self.store.state("x").parent.glob("*.state")}
        if alone := [each for each in tasks if each.alone]:
            # What others would wait for may never come.
            return [*self._states([each for each in tasks if not each.alone]), *alone]
        by_itself = {each.id: name for each in tasks for name in each.drive.forgetful()[:1]}
        self._tell_alone(by_itself.values())
        starts = [start_of(each.drive, each.trace) for each in tasks]
        alike = Counter(starts)
        # For some warm-ups the trace is read: once, and only where one is shared or may have been saved.
        first = {start: task for start, task in zip(starts, tasks, strict=True) if there or alike[start] > 1}
        pool = ThreadPoolExecutor(self._workers())
        try:
            keys = dict(zip(first, pool.map(_state_of, first.values()), strict=True))
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
        states = [
            "" if each.id in by_itself else keys.get(start, "")
            for each, start in zip(tasks, starts, strict=True)
        ]
        counts = Counter(states)
        return [
            replace(each, state=state) if state and (counts[state] > 1 or state in there) else each
            for each, state in zip(tasks, states, strict=True)
        ]

    def _tell_alone(self, policies: Iterable[str]) -> None:
        """Note, once for each policy, why its points share no warm-up."""
        for each in dict.fromkeys(policies):
            self.notes.append(f"each point with {each} warms up by itself: the policy {FORGETFUL}")

    def _ready(self, tasks: Sequence[Task]) -> list[str]:
        """Give the states that an earlier run saved; what nobody needs any more is removed."""
        needed = {each.state for each in tasks if each.state}
        there = [each.stem for each in self.store.state("x").parent.glob("*.state")]
        for key in there:
            if key not in needed and not self.options.in_part:
                self.store.remove_state(key)
        return [key for key in there if key in needed]

    def _failed(self, id: str, error: str) -> None:
        point = self._points[id]
        failure = {
            **point.row(),
            "error": error,
            "command": run_command(point, self.store.folder),
        }
        self.failures.append(failure)
        with contextlib.suppress(InputError):
            # The disk may be full: the failure is reported at the end all the same.
            self._note(id, failure)


def _state_of(task: Task) -> str:
    """Name the state after the warm-up; nothing for one that is not worth keeping."""
    if not is_worth_keeping(task.drive):
        return ""
    try:
        key = task.drive.warm_up_key(task.trace)
    except ReclaimError:
        # The run itself will tell.
        return ""
    # Another build may warm up otherwise.
    return f"{key}-{builds.build().rpartition('-')[2]}"


def _place(name: str) -> str:
    """A file by its whole path; a name as it is."""
    return str(Path(name).absolute()) if Path(name).is_file() else name


def run_command(point: Point, folder: Path) -> str:
    """Write the `reclaim run` that gives the same results.json as a point.

    Args:
        point: the point.
        folder: that of the sweep: it has the descriptions of generated traces.
    """
    device, schemes, settings = point.made
    source = point.source or str(described(folder, point.trace).absolute())
    words = ["reclaim", "run", _place(source), "--device", _place(device)]
    for scheme in schemes:
        words += ["--scheme", scheme]
    for key, value in settings:
        words += ["--set", f"{key}={value}"]
    record = point.record
    words += ["--audit"] if record.audit else []
    words += ["--record-timeline"] if record.timeline else []
    words += ["--record-gc"] if record.gc else []
    words += ["--record-requests"] if record.requests else []
    return shell_line([*words, "-o", f"point-{point.id}"])


NOTHING_MOVED = 1.005
"""Write amplification below this is written as 1.00."""
REMEDY = "take a smaller drive or a longer trace, or warm up with the workload"


def none_left(data: Sequence[Mapping[str, Any]]) -> str:
    """Say why the schemes of some results can hardly differ; nothing where they can.

    Args:
        data: results as mappings, those of at least two schemes.
    """
    every = [each["gc"] for each in data]
    if not any(each["jobs"] for each in every):
        return f"no garbage collection ran under any of these schemes, so they cannot differ; {REMEDY}"
    known = [each.get("nand_write_amplification") or each["write_amplification"] for each in every]
    if all(each is not None and each < NOTHING_MOVED for each in known):
        return (
            "write amplification is 1.00 under every scheme: garbage collection moves nothing, so schemes "
            f"that choose what it moves cannot differ; {REMEDY}"
        )
    return ""


class Headroom:
    """Looks at the points of the first workload, which are run before all others."""

    def __init__(self, store: Store, points: Sequence[Point]) -> None:
        """Find them: the same of a point in all but its scheme."""
        self._store = store
        able = [each for each in points if not each.refused]
        first = _workload(able[0]) if able else ()
        self.first = [each for each in able if _workload(each) == first]
        self._told = len({each.made for each in self.first}) < 2

    def seen(self) -> str:
        """Say once, when all of them are stored, why schemes can hardly differ; nothing where they can."""
        if self._told or not all(self._store.has(each.id) for each in self.first):
            return ""
        self._told = True
        try:
            said = none_left([self._store.result(each.id).to_dict() for each in self.first])
        except InputError:
            # What is wrong with a point is said elsewhere.
            return ""
        point = self.first[0]
        axes = (f"{name} {value}" for name, value in point.axes.items())
        return f"{', '.join([point.device, point.trace, *axes])}: {said}" if said else ""


def _workload(point: Point) -> tuple[Any, ...]:
    """All of a point but its scheme."""
    return (point.device, point.trace, point.axes, point.repeat)
