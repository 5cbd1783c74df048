"""Sweeps: every point of an experiment, run once, and the tables of all; `reclaim.sweep` from Python."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Unpack

from reclaim import input_file
from reclaim.arguments import checked, path
from reclaim.encoding import json_text
from reclaim.errors import InputError, ResultWarning
from reclaim.experiment.build import Tell
from reclaim.experiment.estimate import estimate
from reclaim.experiment.experiment import Experiment
from reclaim.experiment.names import Names
from reclaim.experiment.point import MANY, Point
from reclaim.experiment.task import start_of
from reclaim.output_folder import MANIFEST
from reclaim.report import PAGE
from reclaim.report.document import Document
from reclaim.study.consolidate import consolidate, tables_made, write_manifest
from reclaim.study.failures import by_reason
from reclaim.study.runner import Runner
from reclaim.study.store import Store, missing, opened
from reclaim.study.study import Report, Result, RunOptions, Study, StudyOptions, carry_out
from reclaim.suggestions import did_you_mean

if TYPE_CHECKING:
    from reclaim.result.sets import ResultSet
    from reclaim.result.sets.stored import StoredPoints


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
    stored: StoredPoints | None = field(default=None, repr=False, compare=False)
    """What has read them."""

    @cached_property
    def results(self) -> ResultSet:
        """What all points measured, read once.

        Raises:
            InputError: if there are no tables of them.
        """
        from reclaim.result.sets import ResultSet

        return ResultSet.load(self.folder, stored=self.stored)

    @property
    def report(self) -> Path | None:
        """The report of all points; None where none was drawn."""
        page = self.folder / PAGE
        return page if page.is_file() else None

    def complaints(self) -> list[str]:
        """Say what was done, and of each reason of failures the first point with the command that runs it."""
        text = f"{self.total - len(self.failures)} of {self.total} points stored in {self.folder}"
        text += f", {self.before} of them before" if self.before else ""
        text += f", {self.found} of which had no checksum and have one now" if self.found else ""
        text += f"; {self.aside} put aside that the experiment no longer has" if self.aside else ""
        lines = [
            text,
            *(f"note: {each}" for each in self.notes),
            *(f"warning: {each}" for each in self.damaged),
        ]
        keys = ("device", "trace", "scheme", "repeat")
        labels = [", ".join(str(each[key]) for key in keys) for each in self.failures]
        whys = [str(each["error"]) for each in self.failures]
        commands: dict[str, str] = {}
        for why, failure in zip(whys, self.failures, strict=True):
            commands.setdefault(why, str(failure["command"]))
        told = by_reason(zip(labels, whys, strict=True))
        for each, command in zip(told, commands.values(), strict=True):
            lines += [f"failed: {each}", f"  {command}"]
        return lines + [f"warning: {each['text']}" for each in self.warnings]


class Sweep(Study[Runner, Swept]):
    """Every point of an experiment, and the tables of all."""

    announced = False
    pictures = False
    packs = True
    """Whether many points share a file."""
    kind = "sweep"
    """The command that its folder is of."""
    command: str | None = None
    """The same as a line for a shell, where the folder says so."""

    def __init__(self, experiment: Experiment, tell: Tell | None = None, folder: Path | None = None) -> None:
        """Make the points, so that all mistakes come out before anything is written.

        Args:
            experiment: what to run.
            tell: called before each point is made.
            folder: where an earlier run may have kept the names of the points: no drive is built for them.

        Raises:
            InputError: for mistakes of the experiment.
        """
        self._experiment = experiment
        names = None if folder is None else Names.read(folder, experiment)
        self._all = experiment.points(tell) if names is None else experiment.named(names.points)
        self._points = {point.id: point for point in self._all}
        """Two that are the same run are stored once."""
        self._chosen: list[Point] = []
        """Those that are asked for, once a folder is open for them."""

    @property
    def name(self) -> str:
        """What the experiment is called."""
        return self._experiment.name

    def cost(self, folder: Path | None = None) -> list[str]:
        """Say how many points there are, and what those that are not stored take."""
        there = set() if folder is None else Store(folder).ids()
        fit = [each for each in self._points.values() if not each.refused]
        left = [each for each in fit if each.id not in there]
        text = f"points: {len(fit)}"
        text += f", {len(fit) - len(left)} of them stored" if len(left) < len(fit) else ""
        builder, points = self._experiment.made()
        known = {each.id: each for each in points}
        return [text, *estimate([known[each.id] for each in left], builder.traces.summaries()).lines()]

    def missing(self, folder: Path) -> list[str]:
        """Name the points that are not stored in a folder."""
        return missing(Store(folder), self._all)

    def _asked_for(self, options: RunOptions) -> list[Point]:
        only = options.only
        if options.shard is not None:
            return shard_of([*self._points.values()], *options.shard)
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
        self._chosen = self._asked_for(options)
        with opened(
            folder,
            self._experiment,
            force=options.force,
            shared=options.in_part,
            kind=self.kind,
            packs=self.packs and len(self._points) >= MANY,
        ) as store:
            if len(self._points) >= MANY and all(each.later is None for each in self._all):
                Names.keep(folder, self._experiment, self._all)
            yield Runner(store, options, progress, store.fail)
            if not options.in_part:
                further = self.files_beside(folder)
                write_manifest(
                    store, self._experiment, self._all, further, kind=self.kind, command=self.command
                )

    def files_beside(self, place: Path) -> Iterable[Path]:
        """Name the files that it wrote beside points, tables and report."""
        del place
        return ()

    def judge(self, points: Runner) -> Swept:
        """Run every point that is not stored yet, and make the tables of all."""
        store, options = points.store, points.options
        chosen = self._chosen
        aside = 0
        if not options.in_part:
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
            in_part=options.in_part,
            stored=store,
        )
        if swept.in_part:
            return swept
        made = tables_made(store, self._experiment, self._all)
        if made is None:
            # Until the new ones are there, it would speak of others.
            (store.folder / MANIFEST).unlink(missing_ok=True)
        warnings = consolidate(store, self._all) if made is None else made
        store.tidy()
        return replace(swept, warnings=warnings)

    def write(self, result: Swept, place: Path, *, report: bool) -> None:
        """Draw the report of all points that are stored; one of an earlier run would be of other points."""
        if not result.in_part:
            super().write(result, place, report=report and len(result.failures) < result.total)

    def document(self, result: Swept) -> Document:
        """Give the report of the set."""
        from reclaim.result.sets.report import document

        return document(result.results)

    def brief(self, result: Swept) -> Document:
        """Tell ratios to the first scheme with their intervals, and what is no ratio."""
        if result.in_part or len(result.failures) == result.total:
            return Document(self.name, [])
        from reclaim.result.sets.brief import brief

        return Document(self.name, brief(result.results))

    def ending(self, result: Swept, folder: Path) -> list[str]:
        """Say where the report is, or the points."""
        return [] if result.in_part else [f"results: {result.report or folder}"]

    def files(self, result: Swept) -> Mapping[str, str]:
        """Give nothing: points and tables are stored already."""
        del result
        return {}

    def json(self, result: Swept) -> str:
        """Write every point with its figures, and what failed."""
        rows = [] if len(result.failures) == result.total else result.results.points.to_dicts()
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
        from reclaim.result.sets.remarks import of_orders, top_reason

        results = result.results
        levels = results.points["verdict"].unique().to_list()
        if "not-trustworthy" in levels:
            return 1, top_reason(results)
        return (3, top_reason(results)) if "not-established" in levels or of_orders(results) else (0, "")


class SweepStudy(Study[Runner, Result], Generic[Result]):
    """A study that judges the points of one sweep."""

    def __init__(self, sweep: Sweep) -> None:
        """Take the sweep, whose points are made."""
        self._sweep = sweep

    @property
    def name(self) -> str:
        """What its experiment is called."""
        return self._sweep.name

    def cost(self, folder: Path | None = None) -> list[str]:
        """Say how many points there are, and what they take."""
        return self._sweep.cost(folder)

    def opened(
        self, folder: Path, options: RunOptions, progress: Report | None
    ) -> AbstractContextManager[Runner]:
        """Open the folder of the sweep.

        Raises:
            InputError: for a folder that cannot be used.
        """
        return self._sweep.opened(folder, options, progress)


def shard_of(points: Sequence[Point], shard: int, shards: int) -> list[Point]:
    """Give one part of the points of several, as equal in number as can be.

    Points that share a warm-up stay together as far as that allows, so that few of them are made twice.

    Args:
        points: all of them; parts that are asked for one by one take the same.
        shard: which part, from 1.
        shards: of how many.

    Raises:
        InputError: if there is no such part.
    """
    if not 1 <= shard <= shards:
        raise InputError(f"--shard {shard}/{shards}: must be from 1/{shards} to {shards}/{shards}")
    groups: dict[object, list[Point]] = {}
    for point in points:
        start: object = point.id if point.start is None else point.start
        if point.drive is not None and point.opened is not None:
            start = start_of(point.drive, point.opened)
        groups.setdefault(start, []).append(point)
    together = [point for group in groups.values() for point in group]
    return together[len(together) * (shard - 1) // shards : len(together) * shard // shards]


def experiment_of(experiment: Experiment | str | Path | Mapping[str, Any]) -> Experiment:
    """Take an experiment, or read it from a file or a mapping."""
    if isinstance(experiment, Experiment):
        return experiment
    if isinstance(experiment, Mapping):
        return Experiment.from_dict(experiment)
    return Experiment.load(path("experiment", experiment))


def swept_set(swept: Swept, stacklevel: int) -> ResultSet:
    """Give the results of a sweep, and warn of what is to be known of them.

    Raises:
        InputError: if every point failed.
    """
    if swept.failures and len(swept.failures) == swept.total:
        first = swept.failures[0]["error"]
        raise InputError(f"{swept.folder}: no points in it: every one failed; the first: {first}")

    for each in (*swept.damaged, *swept.notes):
        warnings.warn(each, ResultWarning, stacklevel=stacklevel + 1)
    return swept.results


@checked
def sweep(
    experiment: Experiment | str | Path | Mapping[str, Any],
    output: str | Path,
    **options: Unpack[StudyOptions],
) -> ResultSet:
    """Run every point of an experiment that is not stored in `output` yet, and give the results of all.

    Points that fail are reported in `ResultSet.failures`; the others go on.

    Args:
        experiment: what to run: an experiment file, its content as a mapping, or an `Experiment`.
        output: the folder where points are stored; called again with the same one, it goes on.
        workers: points at the same time; one a core if not given.
        dask: address of a Dask scheduler (`tcp://…`) whose workers run the points.
        worker_timeout: after how many seconds without a word a worker of it is given up; 60 if not given.
        memory: what all runs may take together, as in `8GiB`; what is available if not given.
        progress: called about five times a second.
        force: use a folder that has other things; points of another experiment are put aside.
        report: draw `report.html` in the folder, as the command does; `ResultSet.report` does it later.
        accept_build: other builds whose points count and whose workers may run some, as messages name them.
        retry: run points again that have ended a process, as out of memory.

    Raises:
        InputError: for mistakes of the experiment, all of them; for a folder that cannot be used; if every
            point failed.
        KeyboardInterrupt: with Ctrl-C; what had ended is stored.
    """

    def made() -> Sweep:
        return Sweep(experiment_of(experiment), folder=path("output", output))

    return swept_set(carry_out(made, output, options), stacklevel=3)
