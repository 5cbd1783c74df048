"""Runs a tuning: the scheme as it is, trials batch by batch, what is around the best, and the judging."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain

from reclaim.errors import InputError
from reclaim.result.sets.metrics import requests_needed
from reclaim.result.verdict import Severity, codes
from reclaim.statistics.samples import holm
from reclaim.study.runs import Runs
from reclaim.study.sensitivity.judging import PairedRatios
from reclaim.study.tuning.plan import FRONT, MOST_NEIGHBOURS, Prepared
from reclaim.study.tuning.search import proposer
from reclaim.study.tuning.section import SECTION
from reclaim.study.tuning.space import AS_IS, At
from reclaim.study.tuning.trials import (
    Place,
    Trial,
    TrialOutcomes,
    best,
    compared,
    fault_of,
    front,
    reached,
    refused,
    sign,
    trial_of,
)

BESIDE = (
    "read_mean_ns",
    "read_p99_ns",
    "write_mean_ns",
    "write_p99_ns",
    "gc_nand_write_amplification",
    "gc_write_amplification",
    "flash_erases",
)
"""Metrics that are judged beside objectives and constraints."""


@dataclass(frozen=True)
class Neighbour:
    """What was found with one parameter moved."""

    key: str
    value: str | None
    present: str | None
    """What the parameter is in what was found."""
    trial: Trial
    logs: Mapping[str, float]
    """Log ratio of each objective to what was found."""


Values = Mapping[str, Mapping[str, list[float | None]]]
"""Figures by metric and workload, those of the repeats in order; None where one was not measured."""


@dataclass
class JudgedTrial:
    """A trial on the runs that it is judged on, beside the scheme as it is."""

    trial: Trial
    metrics: Mapping[str, PairedRatios]
    """Objectives first, then metrics of constraints, then those beside; only what both measured."""
    reached: Mapping[str, float]
    """What each constraint's metric is on the workload where it is worst."""
    broken: tuple[str, ...]
    """Constraints that it breaks there."""
    fault: str
    """A steady state that is lost, runs that failed; empty where nothing is."""
    values: Values
    corrected: dict[str, float] = field(default_factory=dict)
    """p of each objective, after Holm's correction over objectives and trials that are judged."""


@dataclass
class Tuned:
    """What came of a tuning."""

    prepared: Prepared
    base: Trial
    trials: list[Trial]
    """Those that were run, in the order in which they were proposed, without the scheme as it is."""
    refused: list[Trial]
    front: list[Trial]
    """Trials, the scheme as it is among them, that no other beats; one where there is one objective."""
    found: Trial | None
    """What is best of them; None where nothing fits."""
    judged: list[JudgedTrial]
    base_values: Values
    """Figures of the scheme as it is on what is judged on."""
    base_reached: Mapping[str, float]
    """What constraints' metrics are for the scheme as it is, on what is judged on."""
    around: list[Neighbour]
    few: Mapping[str, tuple[int, int]]
    """Objectives that are percentiles of too few requests: how many some run has, and how many it takes."""
    remarks: Mapping[str, Mapping[tuple[Severity, str], int]]
    """How many of the runs that what was found is judged by have a warning or a doubt of an objective: by
    objective, severity and code."""
    same: int
    """Repeats judged on that measured exactly what another one did."""
    runs: int
    failures: Mapping[str, str]
    damaged: list[str]

    @property
    def is_new(self) -> bool:
        """Whether something else than the scheme as it is was found."""
        return self.found is not None and self.found.number > 0

    def of_found(self) -> JudgedTrial | None:
        """Give the judging of what was found."""
        return next((each for each in self.judged if each.trial == self.found), None)


class TuningPhases:
    """Runs what a tuning asks for."""

    def __init__(self, prepared: Prepared, runs: Runs) -> None:
        self._prepared = prepared
        self._entry = prepared.entry
        self._runs = runs
        self._ids: set[str] = set()
        self._failures: dict[str, str] = {}

    def go(self) -> Tuned:
        """Run all phases, each chosen by the figures of those before.

        Raises:
            InputError: if the scheme itself cannot be run, or does not measure what is asked for.
            KeyboardInterrupt: saying how far it came; what had ended is stored.
        """
        prepared, entry = self._prepared, self._entry
        base_came = self._came([None], prepared.tuned)[0]
        base = self._base(base_came)
        trials, turned_down = self._search(base, base_came)
        listed = front([base, *trials], entry.objective)
        found = best(listed, entry.objective)
        if found is not None:
            trimmed = self._trimmed(found, base_came)
            listed = [trimmed if each is found else each for each in listed]
            found = trimmed
        around = [] if found is None or not entry.around else self._around(found, base_came)
        chosen = _spread(listed, found)
        base_judged, *others = self._came([None, *(each.at for each in chosen)], prepared.judged)
        judged = [self._judged(each, base_judged, came) for each, came in zip(chosen, others, strict=True)]
        _correct(judged, entry.objective)
        limits = {each.text: reached(each, base_judged) for each in entry.constraints}
        return Tuned(
            prepared,
            base,
            trials,
            turned_down,
            listed,
            found,
            judged,
            _values(self._metrics(), base_judged),
            {text: value for text, value in limits.items() if value is not None},
            around,
            self._few([*others, base_judged]),
            self._remarks(
                [each for trial, each in zip(chosen, others, strict=True) if trial == found], base_judged
            ),
            _same(base_judged),
            len(self._ids),
            dict(self._failures),
            list(self._runs.damaged),
        )

    def _came(self, wanted: Sequence[At | None], places: Sequence[Place]) -> list[TrialOutcomes]:
        """Run combinations and give what came of each."""
        made = [{place: self._prepared.run_of(at, place) for place in places} for at in wanted]
        outcomes = self._runs.run(dict.fromkeys(chain.from_iterable(each.values() for each in made)))
        for run, outcome in outcomes.items():
            if not outcome.refused:
                self._ids.add(outcome.point)
            if outcome.failed:
                self._failures[self._prepared.points.of(run).label()] = outcome.failed
        return [{place: outcomes[run] for place, run in each.items()} for each in made]

    def _base(self, came: TrialOutcomes) -> Trial:
        prepared, entry = self._prepared, self._entry
        made = trial_of(0, prepared.space.as_it_is(), {}, came, came, entry.objective, entry.constraints)
        if made.fault:
            text = f'the scheme "{prepared.scheme.name}" as it is has no figure to tune by: {made.fault}'
            raise InputError(f"{prepared.experiment.file}: {SECTION}: {text}")
        return made

    def _search(self, base: Trial, base_came: TrialOutcomes) -> tuple[list[Trial], list[Trial]]:
        prepared, entry = self._prepared, self._entry
        space, left = prepared.space, prepared.trials
        source = proposer(space, entry.sampler, entry.objective, entry.seed, left)
        source.begin(base)
        trials: list[Trial] = []
        turned_down: list[Trial] = []

        def refuses(at: At) -> str:
            reason = prepared.refuses(at)
            if reason:
                turned_down.append(refused(len(trials), at, space.values(at), reason))
            return reason

        while left > 0:
            # Always a whole batch, so that a larger budget goes on where a smaller one ended.
            batch = source.ask(entry.batch, refuses)[:left]
            if not batch:
                break
            made = [
                self._trial(len(trials) + number, at, base_came, came)
                for number, (at, came) in enumerate(
                    zip(batch, self._came(batch, prepared.tuned), strict=True), 1
                )
            ]
            source.tell(made)
            trials += made
            left -= len(batch)
        return trials, turned_down

    def _trial(self, number: int, at: At, base: TrialOutcomes, came: TrialOutcomes) -> Trial:
        entry = self._entry
        values = self._prepared.space.values(at)
        return trial_of(number, at, values, base, came, entry.objective, entry.constraints)

    def _trimmed(self, found: Trial, base: TrialOutcomes) -> Trial:
        """Put back what changes nothing: what was found then says what it hangs on."""
        if found.at is None or not found.values:
            return found
        keys = self._prepared.space.keys
        changed = [place for place, key in enumerate(keys) if key in found.values]
        alone = self._moved(found.at, [{place: AS_IS} for place in changed], base)
        idle = {place: AS_IS for place, each in zip(changed, alone, strict=True) if _alike(each, found)}
        if not idle:
            return found
        (trimmed,) = self._moved(found.at, [idle], base)
        return replace(trimmed, number=found.number) if _alike(trimmed, found) else found

    def _moved(self, at: At, moves: Sequence[Mapping[int, int]], base: TrialOutcomes) -> list[Trial]:
        """Run a combination with some of its values moved; what is refused costs no run."""
        wanted = [tuple(each.get(place, value) for place, value in enumerate(at)) for each in moves]
        reasons = {each: self._prepared.refuses(each) for each in wanted}
        can = [each for each in dict.fromkeys(wanted) if not reasons[each]]
        came = dict(zip(can, self._came(can, self._prepared.tuned), strict=True))
        values = self._prepared.space.values
        return [
            self._trial(-1, each, base, came[each])
            if each in came
            else refused(-1, each, values(each), reasons[each])
            for each in wanted
        ]

    def _around(self, found: Trial, base: TrialOutcomes) -> list[Neighbour]:
        """Run what was found with each parameter moved, and with it as the scheme has it."""
        parameters = self._prepared.space.parameters
        at = (AS_IS,) * len(parameters) if found.at is None else found.at
        moves = [
            (place, other)
            for place, each in enumerate(parameters)
            for other in [
                *each.others(at[place], MOST_NEIGHBOURS),
                *([AS_IS] if each.key in found.values else []),
            ]
        ]
        trials = self._moved(at, [{place: other} for place, other in moves], base)
        around: dict[tuple[str, str | None], Neighbour] = {}
        for (place, other), trial in zip(moves, trials, strict=True):
            each = parameters[place]
            logs = {key: value - found.logs[key] for key, value in trial.logs.items()}
            value = each.value(other)
            around.setdefault(
                (each.key, value), Neighbour(each.key, value, each.value(at[place]), trial, logs)
            )
        return list(around.values())

    def _metrics(self) -> list[str]:
        """Metrics that are judged: objectives first, then those of constraints, then those beside."""
        limits = (each.metric for each in self._entry.constraints)
        return list(dict.fromkeys([*self._entry.objective, *limits, *BESIDE]))

    def _judged(self, trial: Trial, base: TrialOutcomes, came: TrialOutcomes) -> JudgedTrial:
        entry = self._entry
        found = {metric: compared(metric, base, came) for metric in self._metrics()}
        limits = {each: reached(each, came) for each in entry.constraints}
        return JudgedTrial(
            trial,
            {metric: each for metric, each in found.items() if each.sample is not None},
            {limit.text: value for limit, value in limits.items() if value is not None},
            tuple(limit.text for limit, value in limits.items() if value is None or limit.excess(value) > 0),
            fault_of(base, came),
            _values(found, came),
        )

    def _remarks(
        self, found: Sequence[TrialOutcomes], base: TrialOutcomes
    ) -> dict[str, dict[tuple[Severity, str], int]]:
        """Count warnings and doubts of the runs that what was found is judged by, by their codes."""
        verdicts = [outcome.verdict for came in (*found, base) for outcome in came.values()] if found else []
        severities: tuple[Severity, ...] = ("doubt", "warning")
        return {
            metric: {
                (severity, code): runs
                for severity in severities
                for code, runs in codes(verdicts, severity, metric).items()
            }
            for metric in self._entry.objective
        }

    def _few(self, came: Sequence[TrialOutcomes]) -> dict[str, tuple[int, int]]:
        """Objectives whose percentile some run has too few requests for."""
        found: dict[str, tuple[int, int]] = {}
        for metric in self._entry.objective:
            needed = requests_needed(metric)
            if needed is None:
                continue
            counts = [each.figures.get(needed[0], 0) for runs in came for each in runs.values()]
            if counts and min(counts) < needed[1]:
                found[metric] = (int(min(counts)), needed[1])
        return found


def _values(metrics: Iterable[str], came: TrialOutcomes) -> Values:
    """Give figures by metric and workload; metrics that nothing measured are left out."""
    found: dict[str, dict[str, list[float | None]]] = {}
    for metric in metrics:
        for (trace, _), outcome in came.items():
            value = outcome.figures.get(metric)
            found.setdefault(metric, {}).setdefault(trace, []).append(None if value is None else float(value))
    return {
        metric: by_trace
        for metric, by_trace in found.items()
        if any(value is not None for values in by_trace.values() for value in values)
    }


def _alike(one: Trial, other: Trial) -> bool:
    """Whether two trials measured the same, in every objective and constraint."""
    return not one.fault and one.logs == other.logs and one.reached == other.reached


def _spread(listed: Sequence[Trial], found: Trial | None) -> list[Trial]:
    """Trials of a front that are judged: what was found, both ends, and others as far apart as can be."""
    new = [each for each in listed if each.number > 0]
    if len(new) > FRONT:
        places = {round(step * (len(new) - 1) / (FRONT - 1)) for step in range(FRONT)}
        new = [each for number, each in enumerate(new) if number in places or each == found]
    return new


def _correct(judged: Sequence[JudgedTrial], objectives: Sequence[str]) -> None:
    """Correct the p of every objective of every trial for how many these are."""
    ps: dict[str, float] = {}
    where: dict[str, tuple[JudgedTrial, str]] = {}
    for number, each in enumerate(judged):
        for metric in objectives:
            found = each.metrics.get(metric)
            if found is not None and found.sample is not None:
                name = f"{number:03} {metric}"
                ps[name] = found.sample.p(-sign(metric))
                where[name] = each, metric
    for name, p in holm(ps).items():
        trial, metric = where[name]
        trial.corrected[metric] = p


def _same(came: TrialOutcomes) -> int:
    """How many runs measured exactly what another of the same workload did: no evidence of their own."""
    seen: set[tuple[str, tuple[tuple[str, float], ...]]] = set()
    for (trace, _), outcome in came.items():
        seen.add((trace, tuple(sorted(outcome.figures.items()))))
    return len(came) - len(seen)
