"""Variants of an experiment, run in the folder of its sweep: what either has run, the other need not run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import NamedTuple

from reclaim.experiment.build import Tell
from reclaim.experiment.estimate import Estimate, estimate
from reclaim.experiment.experiment import Experiment
from reclaim.experiment.parts import AxisValue, DeviceEntry, FileParts, SchemeEntry, Setting, TraceEntry
from reclaim.experiment.point import Combination, Point, combinations
from reclaim.result.result import Result as StoredResult
from reclaim.result.verdict import SEVERITIES, Level, Severity, Verdict, column
from reclaim.study.runner import Runner
from reclaim.study.store import Store, opened
from reclaim.study.study import Report, Result, RunOptions, Study


@dataclass(frozen=True)
class Workload:
    """A drive, a trace and a value of every axis: all of a point but its scheme and its repeat.

    Two are equal if they have the same names.
    """

    place: tuple[tuple[str, str], ...]
    """Pairs of a column and a value: device, trace, then the axes, as in `("trace", "short")`."""
    device: DeviceEntry = field(compare=False, repr=False)
    trace: TraceEntry = field(compare=False, repr=False)
    choices: Mapping[str, AxisValue] = field(compare=False, repr=False)

    def label(self) -> str:
        """Name it in a line."""
        (_, device), (_, trace), *axes = self.place
        return ", ".join([device, trace, *(f"{name} {value}" for name, value in axes)])


@dataclass(frozen=True)
class Variant:
    """A scheme of an experiment with settings on top, which win over all others but those of a repeat."""

    name: str
    """What points of it are called in messages; one name for one variant of a workload."""
    over: tuple[tuple[str, Setting], ...] = ()
    """Keys and settings. One whose place begins with `schemes` belongs to the scheme: a drive that prepares
    this one (`warmup.scheme`) does without it."""
    scheme: SchemeEntry = field(compare=False, repr=False, kw_only=True)

    @classmethod
    def of(cls, scheme: SchemeEntry, name: str = "", over: Mapping[str, Setting] | None = None) -> Variant:
        """Take a scheme as it is, or with settings on top."""
        return cls(name or scheme.name, tuple((over or {}).items()), scheme=scheme)


class Run(NamedTuple):
    """One run of a variant: equal to the tuple of the three."""

    workload: Workload
    variant: Variant
    repeat: int

    def combination(self) -> Combination:
        """Give it as studies take points."""
        workload, variant, repeat = self
        choices = dict(workload.choices)
        return Combination(
            workload.device, workload.trace, variant.scheme, choices, "", repeat, dict(variant.over)
        )


def workloads_of(parts: FileParts) -> list[Workload]:
    """Give the workloads of an experiment in its order: all that is crossed; nothing that is varied alone."""
    found: dict[Workload, None] = {}
    for each in combinations(parts):
        if not each.vary:
            found[_workload(each)] = None
    return list(found)


def _workload(combination: Combination) -> Workload:
    device, trace, choices = combination.device, combination.trace, combination.choices
    axes = ((name, choice.text) for name, choice in choices.items())
    return Workload((("device", device.name), ("trace", trace.name), *axes), device, trace, choices)


def runs_of(
    workloads: Iterable[Workload], variants: Sequence[Variant], repeats: Iterable[int]
) -> Iterator[Run]:
    """Cross workloads with variants and repeats; repeats of one variant follow each other."""
    for workload, variant, repeat in product(workloads, variants, list(repeats)):
        yield Run(workload, variant, repeat)


UNBOUNDED = "unbounded-queue"
"""Code of the warning that requests came faster than the drive could answer them (docs/verdicts.md)."""


@dataclass(frozen=True)
class Outcome:
    """What came of one run: it was refused, it failed, or it has figures and a verdict."""

    point: str
    """Name of the point in the folder."""
    refused: str = ""
    """Why the configuration refuses it; empty if it does not."""
    failed: str = ""
    """Why it failed; empty if it did not."""
    verdict: Verdict | None = None
    """How far the run says itself that its figures can be trusted; None without figures."""
    figures: Mapping[str, float] = field(default_factory=dict, repr=False)
    """Numbers that it measured by the names of the columns of `points.parquet`, in the units of those."""

    @property
    def ran(self) -> bool:
        """Whether it has figures."""
        return self.verdict is not None

    @property
    def level(self) -> Level | None:
        """How far its figures can be trusted; None without figures."""
        return None if self.verdict is None else self.verdict.level

    @property
    def codes(self) -> tuple[str, ...]:
        """Codes of the warnings and doubts of its verdict, warnings first."""
        if self.verdict is None:
            return ()
        return tuple(each.code for each in (*self.verdict.warnings, *self.verdict.doubts))

    @property
    def unbounded(self) -> bool:
        """Whether its queues grew without bound, so that its latencies are of how long it ran."""
        return UNBOUNDED in self.codes

    def mark(self, metric: str) -> str:
        """What stands behind a figure, by its column, wherever it is printed; nothing behind most."""
        return "" if self.verdict is None else self.verdict.marks().get(metric, "")

    def concerning(self, metric: str) -> Severity | None:
        """The worst kind of remark of its verdict that names a figure, by its column; None if none does."""
        if self.verdict is None:
            return None
        for severity in SEVERITIES:
            if any(metric in map(column, each.figures) for each in self.verdict.remarks(severity)):
                return severity
        return None


def measured(point: str, result: StoredResult) -> Outcome:
    """Give the outcome of a run that came to its end."""
    figures = {
        name: value
        for name, value in result.summary().items()
        if isinstance(value, int | float) and not isinstance(value, bool)
    }
    return Outcome(point, verdict=result.verdict, figures=figures)


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
        failed: dict[str, str] = {}
        runner = Runner(
            self._store,
            self._options,
            self._progress,
            lambda each, failure: failed.update({each: str(failure["error"])}),
        )
        stored = runner.run(fit)
        self.damaged += stored.damaged.values()
        self.before += stored.count
        self._known |= {each: self._outcome(point, failed.get(each, "")) for each, point in new.items()}
        return {run: self._known[point.id] for run, point in points.items()}

    def result(self, point: str) -> StoredResult:
        """Give what a point measured.

        Raises:
            InputError: if it is not stored, or damaged.
        """
        return self._store.result(point)

    def _outcome(self, point: Point, failed: str) -> Outcome:
        if point.refused or failed:
            return Outcome(point.id, refused=point.refused, failed=failed)
        return measured(point.id, self.result(point.id))


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
        with opened(folder, self.experiment, force=options.force, shared=False) as store:
            store.clear()
            try:
                yield Runs(self.place, self.points, store, options, progress)
            finally:
                store.tidy()
