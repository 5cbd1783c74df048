"""What a tuning runs: its space, its runs, and how many trials the budget has room for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from reclaim.errors import InputError
from reclaim.experiment.build import Tell
from reclaim.experiment.experiment import Experiment
from reclaim.experiment.point import Point
from reclaim.experiment.task import cores
from reclaim.mistakes import Mistakes
from reclaim.study.runs import Run, Variant, Workload, workloads_of
from reclaim.study.sensitivity.alternatives import choices
from reclaim.study.sensitivity.comparison import FreedPoints
from reclaim.study.tuning.section import JUDGE_ON, SECTION, Extent, Tune
from reclaim.study.tuning.space import At, SearchedKey, SearchSpace, parameters
from reclaim.study.tuning.trials import Place

WRITE = 'say what to tune, as in [tune] objective = ["read_p99_ns"], tune_on = { … }, judge_on = { … }'
MOST_NEIGHBOURS = 4
"""Other values of a parameter without an order that are run around what was found."""
FRONT = 5
"""Trials of a Pareto front that are judged, beside the one that gains most."""


@dataclass(frozen=True)
class TuningCost:
    """What a tuning takes, before it begins."""

    parameters: int
    combinations: int
    trials: int
    """At most: fewer where there are not so many combinations."""
    runs_of_a_trial: int
    around: int
    """Runs around what is found, at most."""
    judging: int
    """Runs on what is judged on, at most: the scheme as it is, and what is found."""
    seconds: float
    """Of all, roughly, on all cores of this computer."""

    @property
    def points(self) -> int:
        """Runs at most."""
        return (self.trials + 1) * self.runs_of_a_trial + self.around + self.judging


class Prepared:
    """A tuning before anything runs."""

    def __init__(self, experiment: Experiment, tell: Tell | None = None) -> None:
        """Find what is searched.

        Raises:
            InputError: for mistakes of the experiment, all of them; for an experiment that does not say what
                to tune; for values that no drive takes; for judging on runs that are those it is tuned on.
        """
        entry = experiment.parts.section(Tune)
        if entry is None:
            raise InputError(f"{experiment.file}: has no section [{SECTION}]; {WRITE}")
        self.experiment = experiment
        self.entry: Tune = entry
        self.points = FreedPoints(experiment, tell)
        self.scheme = next(each for each in experiment.parts.schemes if each.name == entry.scheme)
        every = workloads_of(experiment.parts)
        self.workloads: dict[str, Workload] = {_label(each): each for each in every}
        self.tuned = self._places(entry.tune_on)
        self.judged = self._places(entry.judge_on)
        self.left_out: dict[str, str] = {}
        """Keys and values that are not searched because the scheme does not take them, and why."""
        mistakes = experiment.mistakes()
        self._check_base(mistakes)
        mistakes.refuse()
        self.space = self._space(mistakes)
        self.trials = self._trials(mistakes)
        mistakes.refuse()

    def _places(self, extent: Extent) -> tuple[Place, ...]:
        return tuple(
            (label, repeat)
            for trace in extent.traces
            for label, workload in self.workloads.items()
            if workload.trace.name == trace
            for repeat in extent.repeats
        )

    def run_of(self, at: At | None, place: Place) -> Run:
        """Give a run of a combination; of none, that of the scheme as it is."""
        settings = {} if at is None else self.space.settings(at)
        name = "" if not settings else ", ".join(f"{key}={each.text}" for key, each in settings.items())
        variant = Variant.of(self.scheme, f"{self.scheme.name}: {name}" if name else "", settings)
        return Run(self.workloads[place[0]], variant, place[1])

    def refuses(self, at: At) -> str:
        """Say why a combination is refused where it is tuned or judged; nothing if it is not."""
        for label in dict.fromkeys(label for label, _ in (*self.tuned, *self.judged)):
            point = self.points.of(self.run_of(at, (label, self.tuned[0][1])))
            if point.refused:
                return point.refused
        return ""

    def _check_base(self, mistakes: Mistakes) -> None:
        """See that the scheme runs as it is, and is not judged on what it is tuned on."""
        by_id: dict[str, Place] = {}
        for place in (*self.tuned, *self.judged):
            point = self.points.of(Run(self.workloads[place[0]], Variant.of(self.scheme), place[1]))
            if point.refused:
                text = f'"{self.scheme.name}" cannot run on {place[0]} as it is: {point.refused}'
                mistakes.add((SECTION, "scheme") if self._named else (SECTION,), text)
                return
            other = by_id.setdefault(point.id, place)
            if other != place and not self.entry.overlap:
                text = f'"{place[0]}", repeat {place[1]}, is the same run as "{other[0]}", repeat {other[1]}'
                mistakes.add((SECTION, JUDGE_ON), f"{text}; name another, or set overlap = true")

    @property
    def _named(self) -> bool:
        """Whether the file names the scheme."""
        return "scheme" in self.experiment.table.get(SECTION, {})

    def config(self) -> Mapping[str, Any]:
        """Give the resolved configuration of the scheme as it is, on the first run that it is tuned on."""
        label, repeat = self.tuned[0]
        drive = self.points.of(Run(self.workloads[label], Variant.of(self.scheme), repeat)).drive
        assert drive is not None  # noqa: S101 - it was seen to run
        return drive.config

    def _space(self, mistakes: Mistakes) -> SearchSpace:
        config = self.config()
        found = parameters(self.entry, choices(config), config, mistakes)
        kept = [each for each in (self._taken(each, mistakes) for each in found) if each is not None]
        if not kept and not mistakes.told:
            told = "; ".join(f"{key}: {reason}" for key, reason in self.left_out.items())
            why = f" ({told})" if told else ""
            how = f"name keys, or give values in [{SECTION}.search]"
            mistakes.add((SECTION,), f"nothing is left to search{why}; {how}")
        return SearchSpace(tuple(kept), self.scheme)

    def _taken(self, each: SearchedKey, mistakes: Mistakes) -> SearchedKey | None:
        """A parameter with the values that the scheme takes, alone; None where fewer than two are left."""
        config, reasons = self.config(), {}
        values: list[str | None] = []
        for value in each.values:
            point = self._alone(each, value)
            if point.drive is None:
                reasons[value] = point.refused.removeprefix(f"{each.key} = {value}: ")
                continue
            values.append(each.present if point.drive.config == config else value)
        kept = tuple(dict.fromkeys(values))
        if not each.declared and reasons and all(value == each.present for value in kept):
            reason = next(iter(reasons.values())).removeprefix(f"{each.key}: ")
            mistakes.add((SECTION, "search", each.key), reason)
        for value, reason in reasons.items():
            self.left_out[each.key if len(kept) < 2 else f"{each.key} = {value}"] = reason
        return replace(each, values=kept) if len(kept) > 1 else None

    def _alone(self, each: SearchedKey, value: str | None) -> Point:
        """A point of the first run with one value moved."""
        label, repeat = self.tuned[0]
        settings = SearchSpace((replace(each, values=(value,)),), self.scheme).settings((0,))
        variant = Variant.of(self.scheme, f"{self.scheme.name}: {each.key}={value}", settings)
        return self.points.of(Run(self.workloads[label], variant, repeat))

    def _seconds(self, places: Iterable[Place]) -> float:
        """Seconds of one processor that runs of the scheme as it is take, estimated: the same everywhere."""
        points = [self.points.of(self.run_of(None, each)) for each in places]
        return sum(self.points.estimate([each]).seconds for each in points)

    def _trials(self, mistakes: Mistakes) -> int:
        budget, runs = self.entry.budget, len(self.tuned)
        most = [] if budget.trials is None else [budget.trials]
        if budget.points is not None:
            most.append(budget.points // runs)
        if budget.minutes is not None:
            most.append(int(budget.minutes * 60 / self._seconds(self.tuned)))
        if min(most) < 1:
            text = (
                f"has no room for one trial ({runs} to run); give it more, or tune on fewer traces or repeats"
            )
            mistakes.add((SECTION, "budget"), text)
        return min(most)

    def cost(self) -> TuningCost:
        """Say what it takes."""
        # Beside its values, each is put back to what it is: alone, then all that change nothing together.
        moved = (
            3 if each.ordered else 1 + min(len(each.values), MOST_NEIGHBOURS)
            for each in self.space.parameters
        )
        around = 1 + (sum(moved) if self.entry.around else len(self.space.parameters))
        judged = 1 + (FRONT + 1 if len(self.entry.objective) > 1 else 1)
        trials = min(self.trials, self.space.size - 1 if self.space.as_it_is() else self.space.size)
        seconds = (trials + 1 + around) * self._seconds(self.tuned) + judged * self._seconds(self.judged)
        return TuningCost(
            len(self.space.parameters),
            self.space.size,
            trials,
            len(self.tuned),
            around * len(self.tuned),
            judged * len(self.judged),
            seconds / cores(),
        )


def _label(workload: Workload) -> str:
    """Name a workload of the one drive: its trace, and the values of axes."""
    _, (_, trace), *axes = workload.place
    return ", ".join([trace, *(f"{name} {value}" for name, value in axes)])
