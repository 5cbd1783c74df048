"""The two schemes that are compared, as variants that run in the folder of the experiment's sweep."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

from reclaim.errors import InputError
from reclaim.experiment.build import Builder, Tell
from reclaim.experiment.experiment import Experiment
from reclaim.experiment.parts import SchemeEntry, Setting, Settings
from reclaim.experiment.point import Point
from reclaim.mistakes import Mistakes
from reclaim.result.sets.metrics import KNOWN, check
from reclaim.study.runs import Outcome, Points, Run, Runs, Variant, Workload, workloads_of
from reclaim.study.sensitivity.judging import BASE, SIDES, Moved, RunFigure, Side, SideRun

PLACE = "sensitivity"
PACE = "host.time_scale"
TARGET = "host.target_utilisation"
TOTAL = "host.target_total_utilisation"
AIMS = frozenset({TARGET, TOTAL, "host.target_scheme"})
"""What a pace is solved for, instead of being given."""
Load = dict[tuple[str, Side, int], Settings]
"""Settings that hold the load of the base, by workload, scheme and repeat."""

BLAMED = re.compile(r"(?P<key>[a-z_.]+) = ")
VAIN = "leave it out"
"""What the configuration says of a setting that has no effect beside another."""
KEPT_PATH = (PLACE, "load")
"""Where settings stand that hold a load."""


def _without(settings: Mapping[str, Setting], keys: frozenset[str]) -> Settings:
    return {key: each for key, each in settings.items() if key not in keys}


class FreedPoints(Points):
    """Points of variations, without settings of the experiment that a move leaves without effect.

    A drive refuses settings that say nothing: the number of overwrites of a warm-up that has none, a pace in
    a closed loop, a utilisation to solve a pace for that is given. What is moved decides, and they go.
    """

    def __init__(self, experiment: Experiment, tell: Tell | None = None) -> None:
        """Make the points of the experiment itself first.

        Raises:
            InputError: as `Experiment.points`.
        """
        super().__init__(experiment, tell)
        self._experiment = experiment
        self._builders: dict[frozenset[str], Builder] = {frozenset(): self._builder}

    def of(self, run: Run) -> Point:
        """Give the point of a run.

        Raises:
            InputError: as `Points.of`.
        """
        if run not in self._made:
            over = dict(run.variant.over)
            moved = {key for key, each in over.items() if each.path != KEPT_PATH}
            gone = AIMS if PACE in over else frozenset()
            first = point = self._freed(run, gone)
            while point.refused:
                blamed = BLAMED.match(point.refused)
                key = blamed["key"] if blamed and VAIN in point.refused else ""
                if not key or key in moved or key in gone:
                    break
                gone |= {key}
                point = self._freed(run, gone)
            self._made[run] = first if point.refused else point
        return self._made[run]

    def _freed(self, run: Run, gone: frozenset[str]) -> Point:
        """Make a point without some settings of the experiment."""
        given = run.combination()
        scheme = given.scheme._replace(settings=_without(given.scheme.settings, gone))
        trace = given.trace._replace(settings=_without(given.trace.settings, gone))
        over = {key: each for key, each in given.over.items() if each.path != KEPT_PATH or key not in gone}
        return self._of(gone).variant(given._replace(scheme=scheme, trace=trace, over=over))

    def _of(self, gone: frozenset[str]) -> Builder:
        """What makes points without some settings; traces are read once for all."""
        if gone not in self._builders:
            parts = self._experiment.parts
            freed = replace(parts, settings=_without(parts.settings, gone))
            builder = Builder(freed, self._experiment.base, Mistakes(self._experiment.file))
            builder.traces = self._builder.traces
            self._builders[gone] = builder
        return self._builders[gone]


class SchemePair:
    """Schemes A and B under every workload."""

    def __init__(
        self, experiment: Experiment, points: Points, schemes: tuple[SchemeEntry, SchemeEntry], metric: str
    ) -> None:
        """Take what is compared.

        Args:
            experiment: whose workloads are run.
            points: what makes its points.
            schemes: A and B.
            metric: a column of the table of points.
        """
        self._points = points
        self._schemes = dict(zip(SIDES, schemes, strict=True))
        self._metric = metric
        self._workloads: dict[str, Workload] = {
            each.trace.name: each for each in workloads_of(experiment.parts)
        }
        self._asked: set[str] = set()
        self._columns: set[str] = set()
        self.kept: Load = {}
        """Settings of every variation that the base does not have: its load."""

    @property
    def traces(self) -> tuple[str, ...]:
        """Names of the workloads."""
        return tuple(self._workloads)

    def point(self, cell: SideRun) -> Point:
        """Make the point of a run; one that the configuration refuses says why.

        Raises:
            InputError: for a trace that cannot be read so.
        """
        return self._points.of(self._run(cell))

    def _run(self, cell: SideRun) -> Run:
        return self._of(cell, self._settings(cell))

    def _of(self, cell: SideRun, settings: Settings) -> Run:
        variant = Variant.of(self._schemes[cell.side], f"{cell.side}: {cell.moved.text}", settings)
        return Run(self._workloads[cell.trace], variant, cell.repeat)

    def _settings(self, cell: SideRun) -> Settings:
        """Settings over those of the experiment: what holds the load, unless the load is what is moved."""
        moved = {key: Setting(value, (PLACE, key)) for key, value in cell.moved.keys}
        kept = self.kept.get((cell.trace, cell.side, cell.repeat), {})
        if cell.moved == BASE or any(key in moved for key in (PACE, *AIMS)):
            return moved
        return kept | moved

    def cost(self, wanted: Iterable[SideRun]) -> int:
        """How many runs these take that were not asked for before; what is refused takes none."""
        points = (self.point(each) for each in wanted)
        return len({each.id for each in points if not each.refused and each.id not in self._asked})

    def run(self, runs: Runs, wanted: Sequence[SideRun]) -> dict[SideRun, RunFigure]:
        """Run what is not stored yet, and give the figures of all.

        Raises:
            KeyboardInterrupt: as `Runs.run`.
        """
        made = {cell: self._run(cell) for cell in wanted}
        outcomes = runs.run(made.values())
        self._asked |= {outcomes[run].point for run in made.values()}
        return {cell: self._figure(outcomes[run]) for cell, run in made.items()}

    def _figure(self, outcome: Outcome) -> RunFigure:
        self._columns |= outcome.figures.keys()
        if not outcome.ran:
            return RunFigure(None, fault=outcome.refused or outcome.failed)
        value, codes = outcome.figures.get(self._metric), frozenset(outcome.codes)
        # A logarithm is of something above 0.
        return RunFigure(
            float(value) if value is not None and value > 0 else None, codes, mark=outcome.mark(self._metric)
        )

    def pace(self, runs: Runs, cell: SideRun) -> float:
        """Give the pace at which a run that came to its end was played, whether given or solved for."""
        return float(runs.result(self.point(cell).id).section("config")["host"]["time_scale"])

    def check_metric(self, place: str) -> None:
        """See that the metric is one, once something ran.

        Args:
            place: where it stands, as messages begin.

        Raises:
            InputError: with those that are like it.
        """
        try:
            check([self._metric], sorted({*self._columns, *KNOWN}), "metric")
        except InputError as error:
            raise InputError(f"{place}{error}") from None

    def config(self, trace: str, side: Side) -> Mapping[str, Any]:
        """Give the resolved configuration of a scheme as it is.

        Raises:
            InputError: with the reason, if it is refused.
        """
        point = self.point(SideRun(trace, side, BASE, 0))
        if point.drive is None:
            raise InputError(f"{point.scheme}: {point.refused}")
        return point.drive.config

    def is_present(self, side: Side, key: str, value: str) -> bool:
        """Whether a value is that of the drive already, in other words or because it is the default."""
        moved = self.point(SideRun(self.traces[0], side, Moved(((key, value),)), 0))
        return moved.drive is not None and moved.drive.config == self.config(self.traces[0], side)

    def says_nothing(self, side: Side, key: str, present: str) -> bool:
        """Whether a drive refuses a key even with the value that it has: the key has no effect there."""
        cell = SideRun(self.traces[0], side, Moved(((key, present),)), 0)
        run = self._of(cell, {key: Setting(present, (PLACE, key))})
        return bool(self._points.of(run).refused)

    def is_vain(self, side: Side, key: str, value: str) -> bool:
        """Whether a drive refuses a key that it does not have because it would have no effect there."""
        refused = self.point(SideRun(self.traces[0], side, Moved(((key, value),)), 0)).refused
        blamed = BLAMED.match(refused)
        return blamed is not None and blamed["key"] == key and VAIN in refused


Kept = Literal["arrivals", "utilisation"]
MILLION = 1_000_000


def hold(comparison: SchemePair, kept: Kept, runs: Runs, repeats: int) -> Load:
    """Say which settings hold the load of the base, by workload, scheme and repeat.

    Arrivals are kept by the pace of the base; where that was solved for a utilisation, by the solution. A
    utilisation is kept by solving the pace anew, for what the pages of the host alone cause in the base.

    Args:
        comparison: whose base ran.
        kept: what is held.
        runs: what ran it.
        repeats: of the base; those beyond have the pace of these.
    """
    found: Load = {}
    for trace in comparison.traces:
        for side in SIDES:
            host = comparison.config(trace, side)["host"]
            solved = any(host.get(key.rpartition(".")[2]) is not None for key in (TARGET, TOTAL))
            if host["mode"] != "open-loop" or solved == (kept == "utilisation"):
                # Nothing to hold: a pace that is given stays, one that is solved for is solved for anew.
                continue
            for repeat in range(repeats):
                if kept == "arrivals":
                    pace = comparison.pace(runs, SideRun(trace, side, BASE, repeat))
                    settings = _setting(PACE, repr(pace))
                elif repeat == 0:
                    settings = _utilisation(comparison, SideRun(trace, side, BASE, 0), host["time_scale"])
                for again in (repeat, repeat + repeats):
                    found[trace, side, again] = settings
    return found


def _utilisation(comparison: SchemePair, cell: SideRun, pace: float) -> Settings:
    """The utilisation that the pages of the host cause at a pace; nothing where the trace has no time."""
    point = comparison.point(cell)
    if point.drive is None or point.opened is None:
        return {}
    demand = point.drive.demand(point.drive.transformed(point.opened))["utilisation"]
    if not demand:
        return {}
    share = min(MILLION, round(MILLION * demand * pace))
    return _setting(TARGET, f"{share / 10_000:.4f}%")


def _setting(key: str, value: str) -> Settings:
    return {key: Setting(value, KEPT_PATH)}
