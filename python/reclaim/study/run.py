"""Sweeps an experiment: what is stored already is not run again, and what fails stops nothing else."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from reclaim import _core, builds, input_file
from reclaim.encoding import json_text, shell_line
from reclaim.errors import InputError, ReclaimError
from reclaim.experiment.build import Tell
from reclaim.experiment.estimate import estimate
from reclaim.experiment.experiment import Experiment
from reclaim.experiment.point import Point
from reclaim.experiment.task import Task, cores, task_of
from reclaim.output_folder import MANIFEST
from reclaim.report import PAGE
from reclaim.report.document import Document
from reclaim.result.sets import log
from reclaim.simulate import FORGETFUL
from reclaim.study.consolidate import consolidate, write_manifest
from reclaim.study.local import Schedule, Threads
from reclaim.study.store import Store, Stored, check_builds, described, look, missing, opened
from reclaim.study.study import Meter, Report, RunOptions, Study
from reclaim.suggestions import did_you_mean
from reclaim.units import written


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
    notes: Sequence[str] = ()
    """What is as written, and perhaps not as meant, of how points were run."""
    in_part: bool = False
    """Whether only some of the points were asked for: there are no tables of all, and no report."""

    @property
    def report(self) -> Path | None:
        """The report of all points; None where none was drawn."""
        page = self.folder / PAGE
        return page if page.is_file() else None

    def complaints(self) -> list[str]:
        """Say what was done, and what failed with the command that runs it alone, a line for each."""
        text = f"{self.total - len(self.failures)} of {self.total} points stored in {self.folder}"
        text += f", {self.before} of them before" if self.before else ""
        text += f", {self.found} of which had no checksum and have one now" if self.found else ""
        text += f"; {self.aside} put aside that the experiment no longer has" if self.aside else ""
        lines = [
            text,
            *(f"note: {each}" for each in self.notes),
            *(f"warning: {each}" for each in self.damaged),
        ]
        for failure in self.failures:
            label = ", ".join(str(failure[key]) for key in ("device", "trace", "scheme", "repeat"))
            lines += [f"failed: {label}: {failure['error']}", f"  {failure['command']}"]
        return lines + [f"warning: {each['text']}" for each in self.warnings]


class Sweep(Study["Runner", Swept]):
    """Every point of an experiment, and the tables of all."""

    announced = False
    pictures = False

    def __init__(self, experiment: Experiment, tell: Tell | None = None) -> None:
        """Make the points, so that all mistakes come out before anything is written.

        Raises:
            InputError: for mistakes of the experiment.
        """
        self._experiment = experiment
        self._all = experiment.points(tell)
        self._points = {point.id: point for point in self._all}
        """Two that are the same run are stored once."""

    @property
    def name(self) -> str:
        """What the experiment is called."""
        return self._experiment.name

    def cost(self, folder: Path | None = None) -> list[str]:
        """Say how many points there are, and what those that are not stored take."""
        store = None if folder is None else Store(folder)
        fit = [each for each in self._points.values() if not each.refused]
        left = [each for each in fit if store is None or not store.has(each.id)]
        text = f"points: {len(fit)}"
        text += f", {len(fit) - len(left)} of them stored" if len(left) < len(fit) else ""
        builder, _ = self._experiment.made()
        return [text, *estimate(left, builder.traces.summaries()).lines()]

    def missing(self, folder: Path) -> list[str]:
        """Name the points that are not stored in a folder."""
        return missing(Store(folder), self._all)

    def _chosen(self, only: Sequence[str]) -> list[Point]:
        for wanted in only:
            if wanted not in self._points:
                hint = did_you_mean([each for each in self._points if each.startswith(wanted)][:1], quote="")
                raise InputError(f"--only {wanted}: is no point of this experiment; --emit lists all{hint}")
        return [self._points[wanted] for wanted in only] if only else list(self._points.values())

    @contextmanager
    def opened(self, folder: Path, options: RunOptions, progress: Report | None) -> Iterator[Runner]:
        """Open the folder; at the end, list in it what there is of the points.

        Raises:
            InputError: for a folder that cannot be used, and a point that the experiment does not have.
        """
        self._chosen(options.only)
        with opened(folder, self._experiment, force=options.force, shared=bool(options.only)) as store:
            yield Runner(store, options, progress, store.fail)
            if not options.only:
                write_manifest(store, self.name, self._points)

    def judge(self, points: Runner) -> Swept:
        """Run every point that is not stored yet, and make the tables of all."""
        store, options = points.store, points.options
        chosen = self._chosen(options.only)
        aside = 0
        if not options.only:
            store.clear()
            aside = store.arrange(self._points)
        # Of all of them: other commands may run the others.
        stored = points.run(chosen, self._points.values())
        swept = Swept(
            store.folder,
            len(chosen),
            stored.count,
            points.failures,
            aside=aside,
            damaged=list(stored.damaged.values()),
            found=stored.found,
            notes=points.notes,
            in_part=bool(options.only),
        )
        if swept.in_part:
            return swept
        # Until the new ones are there, it would speak of others.
        (store.folder / MANIFEST).unlink(missing_ok=True)
        warnings = consolidate(store, self._all)
        store.tidy()
        return replace(swept, warnings=warnings)

    def write(self, result: Swept, place: Path, *, report: bool) -> None:
        """Draw the report of all points that are stored; one of an earlier run would be of other points."""
        if not result.in_part:
            super().write(result, place, report=report and len(result.failures) < result.total)

    def document(self, result: Swept) -> Document:
        """Give the report of the set."""
        from reclaim.result.sets import ResultSet
        from reclaim.result.sets.report import document

        return document(ResultSet.load(result.folder))

    def brief(self, result: Swept) -> Document:
        """Tell ratios to the first scheme with their intervals, and what is no ratio."""
        if result.in_part or len(result.failures) == result.total:
            return Document(self.name, [])
        from reclaim.result.sets import ResultSet
        from reclaim.result.sets.brief import brief

        return Document(self.name, brief(ResultSet.load(result.folder)))

    def ending(self, result: Swept, folder: Path) -> list[str]:
        """Say where the report is, or the points."""
        return [] if result.in_part else [f"results: {result.report or folder}"]

    def files(self, result: Swept) -> Mapping[str, str]:
        """Give nothing: points and tables are stored already."""
        del result
        return {}

    def json(self, result: Swept) -> str:
        """Write every point with its figures, and what failed."""
        from reclaim.result.sets import ResultSet

        rows = [] if len(result.failures) == result.total else ResultSet.load(result.folder).points.to_dicts()
        content = {"experiment": self.name, "points": rows, "failures": result.failures}
        return json_text(content) + "\n"

    def complaints(self, result: Swept) -> list[str]:
        """Say what was done, and what failed."""
        return result.complaints()

    def outcome(self, result: Swept) -> tuple[int, str]:
        """Give the worst: 1 if a point failed or is not trusted, 3 if one or a comparison is inconclusive."""
        if result.failures:
            return 1, f"{len(result.failures)} of {result.total} points failed"
        if result.in_part or not input_file.is_there(result.folder / "points.parquet"):
            return 0, ""
        from reclaim.result.sets import ResultSet
        from reclaim.result.sets.remarks import of_orders, top_reason

        results = ResultSet.load(result.folder)
        levels = results.points["verdict"].unique().to_list()
        if "not-trustworthy" in levels:
            return 1, top_reason(results)
        return (3, top_reason(results)) if "not-established" in levels or of_orders(results) else (0, "")


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
        todo = [point for point in points if not self.store.has(point.id)]
        self._run(todo, len(points))
        return replace(stored, count=len(points) - len(todo))

    def _run(self, todo: Sequence[Point], total: int) -> None:
        self._points = {point.id: point for point in todo}
        meter = Meter(total, total - len(todo), self._progress)
        tasks = list(self._tasks(todo, meter))
        try:
            if tasks and self.options.dask is not None:
                from reclaim.study.on_dask import Cluster, run_on_dask

                of_cluster = Cluster(self.options.dask, self.options.accept)
                run_on_dask(of_cluster, self._states(tasks), self.store, meter, self._failed)
            elif tasks:
                shared = [] if self.options.only else self._states(tasks)
                schedule = Schedule(shared or tasks, self._budget, self._ready(shared))
                Threads(self.store, schedule, meter, self._failed).run(min(self._workers(), len(tasks)))
        except KeyboardInterrupt:
            raise KeyboardInterrupt(
                f"stopped: {meter.done} of {total} points are stored in {self.store.folder}; "
                "the same command goes on from there"
            ) from None
        meter.tell(())
        place = {point: number for number, point in enumerate(self._points)}
        self.failures.sort(key=lambda each: place[each["point"]])

    def _workers(self) -> int:
        return self.options.workers or cores()

    def _tasks(self, todo: Sequence[Point], meter: Meter) -> Iterator[Task]:
        """Make tasks; what cannot run at all fails at once."""
        counted: dict[int, int] = {}
        budget = self._budget if self.options.dask is None else None
        # What ends a process is what there is, whatever runs are allowed.
        there = _core.memory_limit() if self.options.dask is None else None
        room = min((each for each in (budget, there) if each is not None), default=None)
        notes = log.read(self.store.folder)
        asked = {*self.options.only}
        for point in todo:
            noted = notes.of(point.id)
            wanted = self.options.retry or self.options.force or point.id in asked
            died = noted.died and not wanted
            if refused := point.refused or (f"{noted.outcome}; {AGAIN}" if died else ""):
                self._failed(point.id, refused)
                meter.failed += 1
                continue
            assert point.opened is not None  # noqa: S101 - a point that is not refused has one
            # Reading a trace through can take as long as playing it: where it is needed, and once.
            if point.record.requests and id(point.opened) not in counted:
                counted[id(point.opened)] = int(point.opened.summary()["requests"])
            try:
                task = task_of(point, counted.get(id(point.opened), 0), room)
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
        starts = [_start_of(each) for each in tasks]
        alike = Counter(starts)
        # For some warm-ups the trace is read: once, and only where one is shared or may have been saved.
        first = {start: task for start, task in zip(starts, tasks, strict=True) if there or alike[start] > 1}
        pool = ThreadPoolExecutor(self._workers())
        try:
            keys = dict(zip(first, pool.map(_state_of, first.values()), strict=True))
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
        named = [
            replace(each, state="" if each.id in by_itself else keys.get(start, ""))
            for each, start in zip(tasks, starts, strict=True)
        ]
        counts = Counter(task.state for task in named)
        return [
            replace(each, state=each.state if counts[each.state] > 1 or each.state in there else "")
            for each in named
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
            if key not in needed and not self.options.only:
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


def _start_of(task: Task) -> tuple[str, int]:
    """Name what a warm-up depends on, told without reading its trace; the trace is 0 where none is played."""
    key, plays = task.drive._core.warm_up_key_of_any_trace()
    return key, id(task.trace) if plays else 0


def _state_of(task: Task) -> str:
    """Name the state after the warm-up; nothing for one that costs nothing."""
    if task.drive.config["warmup"]["kind"] == "empty":
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
