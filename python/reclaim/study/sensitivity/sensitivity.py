"""`reclaim.sensitivity`: which choice of the model would turn the conclusion of a comparison."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Unpack

from reclaim.arguments import checked
from reclaim.errors import InputError
from reclaim.experiment.build import Tell
from reclaim.experiment.experiment import Experiment
from reclaim.experiment.point import Point
from reclaim.experiment.task import cores
from reclaim.report.document import Document
from reclaim.study.runs import Runs, VariantStudy
from reclaim.study.sensitivity.alternatives import choices
from reclaim.study.sensitivity.comparison import PLACE, FreedPoints, Kept, SchemePair, hold
from reclaim.study.sensitivity.conclusion import ComparedNames, comparison_text, sentence
from reclaim.study.sensitivity.judging import SIDES, Pairing, RunFigure, SideRun, measured, side_runs
from reclaim.study.sensitivity.keys import KeyList, listed, unknown_patterns
from reclaim.study.sensitivity.phases import Findings, PhaseRunner, SensitivityPlan
from reclaim.study.sensitivity.report import document
from reclaim.study.sensitivity.report import result as result_of
from reclaim.study.sensitivity.section import SENSITIVITY, compared
from reclaim.study.sensitivity.section import Sensitivity as Section
from reclaim.study.study import StudyOptions, carry_out
from reclaim.study.sweep import experiment_of
from reclaim.suggestions import near
from reclaim.units import duration

AS_IS = Pairing()
WRITE = 'write [sensitivity] and in it metrics = "write_mean_ns"'


@dataclass(frozen=True)
class SensitivityCost:
    """What a study takes, as far as that is known before its first figure."""

    keys: int
    variations: int
    base: int
    """Runs of the comparison as it is."""
    screen: int
    """Runs of every variation on some workloads, twice."""
    most: int
    """Runs of everything, if every variation had to be run in full; or the budget."""
    seconds: float
    """What base and screen take, roughly, on all cores of this computer."""


@dataclass(frozen=True)
class Sensitivity:
    """What came of a study."""

    names: ComparedNames
    studies: list[tuple[Findings, Kept]]
    """One for each load that was kept."""
    folder: Path
    """Where the runs are stored; `sensitivity/` in it has the result and the report."""
    runs: int
    """Different runs that it took."""
    failures: Mapping[str, str]
    """Of each run that failed, and that the configuration did not refuse: what it is called, and why."""
    failed_keys: Mapping[str, int]
    """How many of these runs moved each key."""
    damaged: Sequence[str] = ()

    @property
    def conclusion(self) -> str:
        """The conclusion, in a sentence for each load that was kept."""
        return " ".join(sentence(self.names, study, kept) for study, kept in self.studies)

    @property
    def report(self) -> Path:
        """Where the report is."""
        return self.folder / PLACE / SensitivityStudy.page


class SensitivityStudy(VariantStudy[Sensitivity]):
    """A comparison of two schemes, of which every choice of the model is moved to its alternatives."""

    place = PLACE
    pictures = False

    def __init__(self, experiment: Experiment, tell: Tell | None = None) -> None:
        """List what is moved.

        Raises:
            InputError: for mistakes of the experiment, all of them.
        """
        section = experiment.parts.section(Section)
        if section is None:
            raise InputError(f"{experiment.file}: has no section [{SENSITIVITY}]; {WRITE}")
        pair = compared(section, experiment.parts.schemes)
        self.experiment = experiment
        self.section: Section = section
        self.names = ComparedNames(pair[0].name, pair[1].name, section.metric)
        self.points = FreedPoints(experiment, tell)
        self.comparison = SchemePair(experiment, self.points, pair, section.metric)
        first = self.comparison.traces[0]
        self.choices = {side: choices(self.comparison.config(first, side)) for side in SIDES}
        known = [
            *self.choices["baseline"],
            *self.choices["candidate"],
            *(each.name for each in experiment.parts.axes),
        ]
        strange = unknown_patterns(section, known)
        if strange:
            hint = near(strange[0], known) or ", or one that these drives do not have"
            raise InputError(
                f'{experiment.file}: {SENSITIVITY}: "{strange[0]}" is no key with alternatives '
                f"(reclaim device schema), nor a pattern of any{hint}"
            )
        if not self.listed().keys:
            raise InputError(f"{experiment.file}: {SENSITIVITY}: no key is left to move")

    def listed(self) -> KeyList:
        """Give its keys anew: a study notes in them what it finds."""
        parts = self.experiment.parts
        return listed(
            self.choices,
            self.section,
            parts.axes,
            parts.repeats,
            self.comparison.says_nothing,
            self.comparison.is_vain,
            self.comparison.is_present,
        )

    def plan(self) -> SensitivityPlan:
        """Say how far it goes."""
        parts = self.experiment.parts
        given = self.section.budget
        budget = given.points
        if given.minutes is not None:
            budget = max(1, int(given.minutes * 60 / self._seconds_of_a_run()))
        return SensitivityPlan(
            self.comparison.traces, parts.repeats.count, self._seed(), self.section.combinations, budget
        )

    def _seed(self) -> int:
        return int(self.comparison.config(self.comparison.traces[0], "baseline")["seed"])

    def _seconds_of_a_run(self) -> float:
        """Seconds of one processor that a run of the base takes on the average, estimated."""
        wanted = side_runs(AS_IS, self.comparison.traces, range(1))
        points = [self.comparison.point(each) for each in wanted]
        known = self.points.estimate(points)
        return known.processor_seconds / known.points

    def estimated(self) -> SensitivityCost:
        """Say what it takes, in numbers."""
        plan, found = self.plan(), self.listed()
        variations = [each for key in found.keys for each in key.variations]
        base = self._runs([AS_IS], *plan.full)
        screen = self._runs([each.pairing for each in variations], *plan.screen)
        everything = self._runs([AS_IS, *(each.pairing for each in variations)], *plan.full)
        known = self.points.estimate([self.comparison.point(each) for each in {**base, **screen}])
        most = len(everything) if plan.budget is None else min(plan.budget, len(everything))
        return SensitivityCost(len(found.keys), len(variations), len(base), len(screen), most, known.seconds)

    @staticmethod
    def _runs(pairings: Sequence[Pairing], traces: tuple[str, ...], repeats: range) -> dict[SideRun, None]:
        return dict.fromkeys(cell for each in pairings for cell in side_runs(each, traces, repeats))

    def cost(self, folder: Path | None = None) -> list[str]:
        """Say what it takes before it begins."""
        del folder
        known = self.estimated()
        text = f"{known.keys} keys, {known.variations} variations: {known.base} runs as it is, "
        text += f"{known.screen} to screen, {known.most} at most without pairs and combinations; "
        return [f"{text}base and screen take about {duration(known.seconds)} on {cores()} cores"]

    def judge(self, points: Runs) -> Sensitivity:
        """Run the base, then what its figures ask for, once for each load that is kept.

        Raises:
            InputError: if the comparison itself cannot be run.
        """
        plan = self.plan()
        load = self.section.load
        kept: Sequence[Kept] = ("arrivals", "utilisation") if load == "both" else (load,)
        runner = _Runner(self.comparison, points)
        studies = [(self._studied(plan, each, runner), each) for each in kept]
        folder = points.place.parent
        faults, keys = runner.faults, dict(runner.keys)
        return Sensitivity(self.names, studies, folder, runner.total, faults, keys, list(points.damaged))

    def _studied(self, plan: SensitivityPlan, kept: Kept, run: _Runner) -> Findings:
        comparison = self.comparison
        # Listed before the load is kept, as a value is the present one if it leaves the drive as it is.
        comparison.kept = {}
        keys = self.listed()
        traces, repeats = plan.full
        wanted = side_runs(AS_IS, traces, repeats)
        spent = comparison.cost(wanted)
        base = measured(AS_IS, traces, repeats, run(wanted))
        comparison.check_metric(f"{self.experiment.file}: {SENSITIVITY}.metric: ")
        if base.sample is None:
            raise InputError(f"{self.experiment.file}: the comparison itself cannot be run: {base.fault}")
        comparison.kept = hold(comparison, kept, run.runs, plan.repeats)
        return PhaseRunner(plan, run, comparison.cost, base, keys, spent).go()

    def document(self, result: Sensitivity) -> Document:
        """Tell the conclusion first, then every key."""
        return document(self.name, self.experiment.parts.about, self.names, result.studies, result.runs)

    def files(self, result: Sensitivity) -> dict[str, str]:
        """Give every figure as JSON."""
        return {self.result: result_of(self.name, self.names, result.studies, result.runs)}

    def ending(self, result: Sensitivity, folder: Path) -> list[str]:
        """Say how many runs there were, and where the result is."""
        return [f"{result.runs} runs; result: {folder / self.place}"]

    def complaints(self, result: Sensitivity) -> list[str]:
        """Say what went wrong of its points.

        Some alternatives are none on this drive or for this trace; of these the table says it key by key.
        """
        damaged = [f"warning: {each}" for each in result.damaged]
        if not result.failures:
            return damaged
        keys = ", ".join(result.failed_keys) or "the comparison as it is"
        # What would mend a run by itself is no advice here.
        example = ": ".join(each.partition("; ")[0] for each in next(iter(result.failures.items())))
        count = len(result.failures)
        runs = "1 run" if count == 1 else f"{count:,} of {result.runs:,} runs"
        return [*damaged, f"note: {runs} could not be run, for values of {keys}; for example {example}"]

    def outcome(self, result: Sensitivity) -> tuple[int, str]:
        """Give 3 where the comparison shows no difference that could be turned."""
        for study, _ in result.studies:
            if study.side == 0:
                return 3, comparison_text(self.names, study.base, 0)
        return 0, ""


def _label(point: Point, cell: SideRun) -> str:
    """What a run is called, with what is moved in it."""
    moved = [f"{key} = {value}" for key, value in cell.moved.keys]
    return ", ".join([*moved, point.label()])


class _Runner:
    """Runs side_runs of a comparison, and counts the runs."""

    def __init__(self, comparison: SchemePair, runs: Runs) -> None:
        self._comparison = comparison
        self.runs = runs
        self.faults: dict[str, str] = {}
        """Why runs failed that the configuration did not refuse."""
        self.keys: Counter[str] = Counter()
        """How many of them moved each key."""
        self._points: set[str] = set()

    @property
    def total(self) -> int:
        """Different runs so far."""
        return len(self._points)

    def __call__(self, wanted: Sequence[SideRun]) -> Mapping[SideRun, RunFigure]:
        """Run what is not stored yet."""
        figures = self._comparison.run(self.runs, wanted)
        for cell, figure in figures.items():
            point = self._comparison.point(cell)
            if not point.refused:
                self._points.add(point.id)
            if figure.fault and not point.refused and (label := _label(point, cell)) not in self.faults:
                self.faults[label] = figure.fault
                self.keys.update(key for key, _ in cell.moved.keys)
        return figures


@checked
def sensitivity(
    experiment: Experiment | str | Path | Mapping[str, Any],
    output: str | Path,
    **options: Unpack[StudyOptions],
) -> Sensitivity:
    """Move every choice of the model to its alternatives, and say which turn a comparison.

    The experiment has a section `[sensitivity]`, with the schemes that are compared and the metric;
    docs/sensitivity.md has the rules.

    Args:
        experiment: an experiment file, its content as a mapping, or an `Experiment`.
        output: the folder where points are stored, that of the experiment's sweep if there is one; called
            again with the same one, it goes on.
        workers: points at the same time; one a core if not given.
        dask: address of a Dask scheduler (`tcp://…`) whose workers run the points.
        worker_timeout: after how many seconds without a word a worker of it is given up; 60 if not given.
        memory: what all runs may take together, as in `8GiB`; what is available if not given.
        progress: called about five times a second.
        force: use a folder that has other things.
        report: draw `sensitivity/report.html` in the folder, as the command does.
        accept_build: other builds whose points count and whose workers may run some, as messages name them.
        retry: run points again that have ended a process, as out of memory.

    Raises:
        InputError: for mistakes of the experiment, all of them; for a folder that cannot be used; if the
            comparison itself cannot be run.
        KeyboardInterrupt: with Ctrl-C; what had ended is stored.
    """
    return carry_out(lambda: SensitivityStudy(experiment_of(experiment)), output, options)
