"""Runs variants of an experiment in the folder of its sweep: what either has run, the other need not run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from reclaim import room
from reclaim.bench.build import Tell
from reclaim.bench.estimate import Estimate, estimate
from reclaim.bench.experiment import Experiment
from reclaim.bench.point import Point
from reclaim.bench.run import Runner
from reclaim.bench.store import Store, check_builds, look, opened
from reclaim.bench.study import Report, Result, RunOptions, Study
from reclaim.instruments.outcome import Outcome, measured
from reclaim.instruments.variants import Run
from reclaim.results.result import Result as StoredResult

Outcomes = Mapping[Run, Outcome]
"""By `(workload, variant, repeat)`."""


class Points:
    """Makes the points of runs; traces are read once, however many there are."""

    def __init__(self, experiment: Experiment, tell: Tell | None = None) -> None:
        """Make the points of the experiment itself, so that all its mistakes come out first.

        Raises:
            InputError: as `Experiment.points`.
        """
        self._builder, _ = experiment.made(tell)
        self._made: dict[Run, Point] = {}

    def of(self, run: Run) -> Point:
        """Give the point of a run; one that the configuration refuses has no drive, and says why.

        Raises:
            InputError: for a trace that cannot be read with the settings of the variant.
        """
        if run not in self._made:
            self._made[run] = self._builder.variant(run.combination())
        return self._made[run]

    def estimate(self, points: Iterable[Point]) -> Estimate:
        """Say what it takes to run points."""
        return estimate(list(points), self._builder.traces.summaries())


class Runs:
    """Runs what an instrument asks for, in a folder that is open for it."""

    def __init__(
        self, name: str, points: Points, store: Store, options: RunOptions, progress: Report | None
    ) -> None:
        self._name = name
        self._points = points
        self._store = store
        self._options = options
        self._progress = progress
        self._asked: dict[str, Point] = {}
        """By id, all that was asked for since the folder was opened."""
        self._known: dict[str, Outcome] = {}
        self.damaged: list[str] = []
        """Of each stored point that was changed or incomplete: which it is, and why; it was run again."""
        self.before = 0
        """Points that were stored already when they were first asked for."""

    @property
    def place(self) -> Path:
        """The folder of the instrument's own files, in that of the sweep."""
        return self._store.folder / self._name

    def run(self, runs: Iterable[Run]) -> dict[Run, Outcome]:
        """Give what came of each run; what is stored is not run again, and what fails stops nothing else.

        Raises:
            KeyboardInterrupt: saying how far it came; what had ended is stored.
            InputError: if the folder cannot be written any more.
        """
        points = {run: self._points.of(run) for run in runs}
        new = {each.id: each for each in points.values() if each.id not in self._asked}
        self._asked |= new
        # Before any of it runs: a sweep that follows a killed instrument finds the list.
        self._store.keep(self._name, [each.id for each in self._asked.values() if not each.refused])
        self._store.take_back(new)
        fit = [each for each in new.values() if not each.refused]
        check_builds(self._store, fit, self._options.accept, force=self._options.force)
        self.damaged += look(self._store, fit, mend=True).damaged.values()
        todo = [each for each in fit if not self._store.has(each.id)]
        self.before += len(fit) - len(todo)
        failed: dict[str, str] = {}
        runner = Runner(
            self._store,
            self._options,
            self._progress,
            lambda each, failure: failed.update({each: str(failure["error"])}),
        )
        runner.run(todo, len(fit))
        self._known |= {each: self._outcome(point, failed.get(each, "")) for each, point in new.items()}
        return {run: self._known[point.id] for run, point in points.items()}

    def _outcome(self, point: Point, failed: str) -> Outcome:
        if point.refused or failed:
            return Outcome(point.id, refused=point.refused, failed=failed)
        return measured(point.id, StoredResult.load(self._store.point(point.id)))


class VariantStudy(Study[Runs, Result]):
    """A study of variants of an experiment, whose points are in the folder of its sweep."""

    experiment: Experiment
    points: Points

    @property
    def name(self) -> str:
        """What the experiment is called."""
        return self.experiment.name

    @contextmanager
    def opened(self, folder: Path, options: RunOptions, progress: Report | None) -> Iterator[Runs]:
        """Open the folder; a sweep of the same experiment may have been there.

        Raises:
            InputError: for a folder that cannot be used.
        """
        options.budget()
        room.demand(room.TABLES, f"{folder}: cannot write results here")
        with opened(folder, self.experiment, force=options.force, shared=False) as store:
            store.clear()
            try:
                yield Runs(self.place, self.points, store, options, progress)
            finally:
                store.tidy()
