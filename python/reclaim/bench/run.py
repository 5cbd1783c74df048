"""Runs an experiment: what is stored already is not run again, and what fails stops nothing else."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from reclaim import room
from reclaim.bench import memory
from reclaim.bench.commands import run_command
from reclaim.bench.consolidate import REPORT, consolidate, write_manifest
from reclaim.bench.experiment import Experiment
from reclaim.bench.folder import opened
from reclaim.bench.integrity import look
from reclaim.bench.local import Threads, cores
from reclaim.bench.point import Point
from reclaim.bench.progress import Meter, Report
from reclaim.bench.schedule import Schedule
from reclaim.bench.store import Store
from reclaim.bench.task import Task, task_of
from reclaim.errors import InputError, ReclaimError
from reclaim.output_folder import MANIFEST
from reclaim.units import written


@dataclass(frozen=True)
class How:
    """How to run an experiment."""

    workers: int | None = None
    """Points at the same time; None for one a core."""
    dask: str | None = None
    """Address of a Dask scheduler; None to run here."""
    memory: str | None = None
    """What all runs may take together; None for what is available."""
    force: bool = False
    """Use a folder that has other things."""
    report: bool = False
    """Draw report.html at the end."""
    only: Sequence[str] = ()
    """Run only these points, and make no tables."""


@dataclass(frozen=True)
class Swept:
    """What a sweep did."""

    folder: Path
    total: int
    """Points of the experiment that are stored under a name of their own."""
    before: int
    """Of them stored before."""
    failures: list[dict[str, Any]] = field(default_factory=list)
    """Of each point that failed: what it is, `error` and `command`."""
    warnings: list[dict[str, Any]] = field(default_factory=list)
    aside: int = 0
    """Points put aside that the experiment no longer has."""
    damaged: Sequence[str] = ()
    """Of each stored point that was changed or incomplete: which it is, and why; it was run again."""
    found: int = 0
    """Stored points that had no checksum: complete, as far as can be told without one."""
    report: Path | None = None


def _unique(points: Sequence[Point]) -> list[Point]:
    """Points by their names, each once: two that are the same run are stored once."""
    return list({point.id: point for point in points}.values())


def _chosen(points: Sequence[Point], only: Sequence[str]) -> list[Point]:
    known = {point.id: point for point in points}
    for wanted in only:
        if wanted not in known:
            near = [each for each in known if each.startswith(wanted)]
            hint = f"; did you mean {near[0]}?" if near else ""
            raise InputError(f"--only {wanted}: is no point of this experiment; --emit lists all{hint}")
    return [known[wanted] for wanted in only] if only else list(points)


def sweep_into(
    experiment: Experiment, folder: Path, how: How = How(), progress: Report | None = None
) -> Swept:
    """Run every point of an experiment that is not stored yet, and make the tables of all.

    Raises:
        InputError: for mistakes of the experiment, and a folder that cannot be used.
        KeyboardInterrupt: saying how far it came.
    """
    room.demand(room.TABLES, f"{folder}: cannot write results here")
    # All mistakes come out before anything is written.
    points = _unique(experiment.points())
    chosen = _chosen(points, how.only)
    budget = memory.budget(how.memory)
    if how.workers is not None and how.workers < 1:
        raise InputError(f"--workers {how.workers}: at least one is needed")
    with opened(folder, experiment, force=how.force, shared=bool(how.only)) as store:
        aside = 0
        if not how.only:
            store.clear()
            aside, _ = store.arrange(point.id for point in points)
        stored = look(store, chosen, mend=True)
        todo = [point for point in chosen if not store.has(point.id)]
        runner = _Runner(experiment, store, how, budget, progress)
        runner.run(todo, len(chosen))
        swept = Swept(
            folder,
            len(chosen),
            len(chosen) - len(todo),
            runner.failures,
            aside=aside,
            damaged=list(stored.damaged.values()),
            found=stored.found,
        )
        if how.only:
            return swept
        # Until the new ones are there, it would speak of others.
        (folder / MANIFEST).unlink(missing_ok=True)
        warnings = consolidate(store, experiment.points())
        store.tidy()
        drawn = how.report and any(store.has(point.id) for point in points)
        report = _report(folder) if drawn else None
        if not drawn:
            # One of an earlier run would be of other points.
            (folder / REPORT).unlink(missing_ok=True)
        write_manifest(store, experiment.name)
        return replace(swept, warnings=warnings, report=report)


def _report(folder: Path) -> Path:
    """Draw the report of the set."""
    from reclaim.results.sets import ResultSet

    target = folder / REPORT
    ResultSet.load(folder).report(target)
    return target


class _Runner:
    """Runs points that are not stored."""

    def __init__(
        self, experiment: Experiment, store: Store, how: How, budget: int | None, progress: Report | None
    ) -> None:
        self._experiment = experiment
        self._store = store
        self._how = how
        self._budget = budget
        self._progress = progress
        self._points: dict[str, Point] = {}
        self.failures: list[dict[str, Any]] = []

    def run(self, todo: Sequence[Point], total: int) -> None:
        """Run them all.

        Raises:
            KeyboardInterrupt: saying how far it came.
        """
        self._points = {point.id: point for point in todo}
        meter = Meter(total, total - len(todo), self._progress)
        tasks = list(self._tasks(todo, meter))
        try:
            if tasks and self._how.dask is not None:
                from reclaim.bench.on_dask import run_on_dask

                run_on_dask(self._how.dask, self._states(tasks), self._store, meter, self._failed)
            elif tasks:
                shared = [] if self._how.only else self._states(tasks)
                schedule = Schedule(shared or tasks, self._budget, self._ready(shared))
                Threads(self._store, schedule, meter, self._failed).run(min(self._workers(), len(tasks)))
        except KeyboardInterrupt:
            raise KeyboardInterrupt(
                f"stopped: {meter.done} of {total} points are stored in {self._store.folder}; "
                "the same command goes on from there"
            ) from None
        meter.tell(())
        self.failures.sort(key=lambda each: list(self._points).index(each["point"]))

    def _workers(self) -> int:
        return self._how.workers or cores()

    def _tasks(self, todo: Sequence[Point], meter: Meter) -> Iterator[Task]:
        """Make tasks; what cannot run at all fails at once."""
        for point in todo:
            if point.refused:
                self._failed(point.id, point.refused)
                meter.failed += 1
                continue
            assert point.opened is not None  # noqa: S101 - a point that is not refused has one
            requests = int(point.opened.summary()["requests"])
            task = task_of(point, requests)
            if self._how.dask is None and self._budget is not None and task.memory_bytes > self._budget:
                need, have = written(task.memory_bytes, "bytes"), written(self._budget, "bytes")
                self._failed(point.id, f"needs about {need} of memory, and {have} are allowed; see --memory")
                meter.failed += 1
                continue
            yield task

    def _states(self, tasks: Sequence[Task]) -> list[Task]:
        """Name the states that warm-ups leave, where at least two points can share one."""
        pool = ThreadPoolExecutor(self._workers())
        try:
            # For some warm-ups the trace is read.
            keys = list(pool.map(_state_of, tasks))
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
        named = [replace(each, state=key) for each, key in zip(tasks, keys, strict=True)]
        counts: dict[str, int] = {}
        for task in named:
            counts[task.state] = counts.get(task.state, 0) + 1
        there = {each.stem for each in self._store.state("x").parent.glob("*.state")}
        return [
            replace(each, state=each.state if counts[each.state] > 1 or each.state in there else "")
            for each in named
        ]

    def _ready(self, tasks: Sequence[Task]) -> list[str]:
        """Give the states that an earlier run saved; what nobody needs any more is removed."""
        needed = {each.state for each in tasks if each.state}
        there = [each.stem for each in self._store.state("x").parent.glob("*.state")]
        for key in there:
            if key not in needed and not self._how.only:
                self._store.remove_state(key)
        return [key for key in there if key in needed]

    def _failed(self, id: str, error: str) -> None:
        point = self._points[id]
        failure = {
            **point.row(),
            "error": error,
            "command": run_command(point, self._store.folder),
        }
        self.failures.append(failure)
        with contextlib.suppress(InputError):
            # The disk may be full: the failure is reported at the end all the same.
            self._store.fail(id, failure)


def _state_of(task: Task) -> str:
    """Name the state after the warm-up; nothing for one that costs nothing."""
    if task.drive.config["warmup"]["kind"] == "empty":
        return ""
    try:
        return task.drive.warm_up_key(task.trace)
    except ReclaimError:
        # The run itself will tell.
        return ""
