"""What a trial came to: its figures beside those of the scheme as it is, and what it breaks."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from reclaim.result.sets.metrics import describe
from reclaim.study.runs import Outcome
from reclaim.study.sensitivity.judging import (
    BASE,
    SIDES,
    UNCOLLECTED,
    UNSTEADY,
    Moved,
    PairedRatios,
    Pairing,
    RunFigure,
    SideRun,
    measured,
)
from reclaim.study.tuning.section import Limit
from reclaim.study.tuning.space import At

Place = tuple[str, int]
"""A workload, by its label, and a repeat."""
TrialOutcomes = Mapping[Place, Outcome]
"""What came of the runs of a trial."""
MOVED = Moved((("tuned", "yes"),))
REFUSED, FAULTY = 16.0, 8.0
"""Excess of what was refused and of what gave no figures: more than that of what breaks a constraint."""
MOST_EXCESS = 4.0


@dataclass(frozen=True)
class Trial:
    """A combination of values, and what came of it on the runs that the scheme is tuned on."""

    number: int
    """In the order in which trials were proposed; 0 is the scheme as it is."""
    at: At | None
    """None: the scheme as it is, which is none of the combinations."""
    values: Mapping[str, str]
    """Keys that differ from the scheme as it is."""
    logs: Mapping[str, float] = field(default_factory=dict)
    """Mean log ratio of each objective to the scheme as it is; none where there are no figures."""
    reached: Mapping[str, float] = field(default_factory=dict)
    """What each constraint's metric is on the workload where it is worst, by the constraint's text."""
    excess: float = 0.0
    """By how much it breaks constraints, in shares of these; 0 where it breaks none."""
    fault: str = ""
    """Why its figures cannot be used; empty where they can."""
    marks: Mapping[str, str] = field(default_factory=dict)
    """What stands behind the ratio of each objective: what a run of it, or of the scheme as it is, doubts."""

    @property
    def fits(self) -> bool:
        """Whether it can be what is looked for."""
        return not self.fault and self.excess <= 0


def sign(metric: str) -> int:
    """Give 1 for what is to be small and -1 for what is to be large.

    >>> sign("read_p99_ns"), sign("write_iops")
    (1, -1)
    """
    return -1 if describe(metric).more_is_better else 1


def figure(outcome: Outcome, metric: str) -> RunFigure:
    """Give one figure of a run, as comparisons take it."""
    if not outcome.ran:
        return RunFigure(None, fault=outcome.refused or outcome.failed)
    value = outcome.figures.get(metric)
    # A logarithm is of something above 0.
    known = float(value) if value is not None and value > 0 else None
    return RunFigure(known, frozenset(outcome.codes), mark=outcome.mark(metric))


def compared(metric: str, base: TrialOutcomes, moved: TrialOutcomes) -> PairedRatios:
    """Compare runs with those of the scheme as it is, paired by workload and repeat."""
    traces = list(dict.fromkeys(trace for trace, _ in base))
    repeats = list(dict.fromkeys(repeat for _, repeat in base))
    sides = zip(SIDES, (base, moved), (BASE, MOVED), strict=True)
    figures = {
        SideRun(trace, side, variant, repeat): figure(outcome, metric)
        for side, came, variant in sides
        for (trace, repeat), outcome in came.items()
    }
    return measured(Pairing(BASE, MOVED), traces, repeats, figures)


def reached(limit: Limit, came: TrialOutcomes) -> float | None:
    """Give the metric of a constraint on the workload where it is worst: the mean of its repeats.

    None where some run did not measure it.
    """
    by_trace: dict[str, list[float]] = {}
    for (trace, _), outcome in came.items():
        value = outcome.figures.get(limit.metric)
        if value is None:
            return None
        by_trace.setdefault(trace, []).append(float(value))
    means = [math.fsum(each) / len(each) for each in by_trace.values()]
    return max(means) if limit.at_most else min(means)


def fault_of(base: TrialOutcomes, came: TrialOutcomes) -> str:
    """Say why figures cannot be used: a run that failed, no steady state, or nothing collected.

    A combination that puts collection off until the trace has ended would win every search. What the scheme
    as it is runs into on the same workload is held against no combination.
    """
    for (trace, _), outcome in came.items():
        if not outcome.ran:
            return f"{trace}: {outcome.refused or outcome.failed}"
    for trace in dict.fromkeys(trace for trace, _ in came):
        for code in sorted(UNSTEADY | UNCOLLECTED):
            here, there = (_share(code, trace, each) for each in (came, base))
            if here > 0.5 >= there:
                return f"{trace}: {code}"
    return ""


def _share(code: str, trace: str, came: TrialOutcomes) -> float:
    of_trace = [code in outcome.codes for (name, _), outcome in came.items() if name == trace]
    return sum(of_trace) / len(of_trace)


def trial_of(
    number: int,
    at: At | None,
    values: Mapping[str, str],
    base: TrialOutcomes,
    came: TrialOutcomes,
    objectives: Sequence[str],
    limits: Sequence[Limit],
) -> Trial:
    """Sum up what came of a combination."""
    fault = fault_of(base, came)
    logs: dict[str, float] = {}
    marks: dict[str, str] = {}
    for metric in objectives:
        found = compared(metric, base, came)
        if found.sample is None:
            fault = fault or found.fault
        else:
            logs[metric] = found.sample.mean
            marks[metric] = found.mark
    broken, values_reached = 0.0, {}
    for limit in limits:
        value = reached(limit, came)
        if value is None:
            fault = fault or f"{limit.metric} is not measured"
            continue
        values_reached[limit.text] = value
        broken += max(0.0, limit.excess(value))
    excess = FAULTY if fault else min(broken, MOST_EXCESS)
    return Trial(number, at, values, logs, values_reached, excess, fault, marks)


def refused(number: int, at: At, values: Mapping[str, str], reason: str) -> Trial:
    """Note a combination that the configuration refuses: it cost no run."""
    return Trial(number, at, values, excess=REFUSED, fault=reason)


def front(trials: Sequence[Trial], objectives: Sequence[str]) -> list[Trial]:
    """Give the trials that fit and that no other beats in one objective without losing in another.

    In the order of the first objective, the best first; of trials with the same figures the first one. With
    one objective this is the best trial alone.
    """
    fitting = [each for each in trials if each.fits]
    kept: list[Trial] = []
    for each in sorted(fitting, key=lambda each: (*_scores(each, objectives), each.number)):
        mine = _scores(each, objectives)
        if not any(_beats(_scores(other, objectives), mine) for other in kept):
            kept.append(each)
    return kept


def _scores(trial: Trial, objectives: Sequence[str]) -> tuple[float, ...]:
    return tuple(sign(metric) * trial.logs[metric] for metric in objectives)


def _beats(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    """Whether one is nowhere worse than another: what comes first in order beats what is the same."""
    return all(a <= b for a, b in zip(one, other, strict=True))


def best(found: Sequence[Trial], objectives: Sequence[str]) -> Trial | None:
    """Give the trial of a front whose objectives gain most together: of all log ratios, the least sum."""
    return min(found, key=lambda each: (math.fsum(_scores(each, objectives)), each.number), default=None)
