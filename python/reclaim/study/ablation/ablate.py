"""Runs an ablation, and gives what it found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Unpack

from reclaim import encoding
from reclaim.arguments import checked
from reclaim.experiment.build import Tell
from reclaim.experiment.estimate import Estimate
from reclaim.experiment.experiment import Experiment
from reclaim.experiment.point import Point
from reclaim.experiment.task import cores
from reclaim.report.document import Document
from reclaim.result.sets.metrics import describe
from reclaim.result.verdict import codes
from reclaim.study.ablation.plan import AblationPlan, plan_of
from reclaim.study.ablation.report import of_verdicts
from reclaim.study.ablation.result import OfMetric
from reclaim.study.ablation.shares import Ablation, Values, different, taken, values_of
from reclaim.study.ablation.words import conclusion
from reclaim.study.runs import Outcome, Points, Runs, VariantStudy
from reclaim.study.store import Store
from reclaim.study.study import StudyOptions, carry_out
from reclaim.study.sweep import experiment_of
from reclaim.units import duration


@dataclass(frozen=True)
class AblationCost:
    """What an ablation takes, before it begins."""

    points: int
    """All that can run; those that are the same run once."""
    stored: int
    """Of them in the folder already; damaged ones are found when it begins."""
    refused: int
    """Drives that the configuration refuses, over all workloads."""
    estimate: Estimate
    """Of those that are not stored."""


class AblationStudy(VariantStudy[Ablation]):
    """The difference of two schemes, taken apart by running what is between them."""

    place = "ablation"
    result = "ablation.json"
    drawn = ("waterfall-*.png",)

    def __init__(self, experiment: Experiment, tell: Tell | None = None) -> None:
        """Find the parts of the difference.

        Raises:
            InputError: as `plan_of`.
        """
        self.experiment = experiment
        self.points = Points(experiment, tell)
        self.plan = plan_of(experiment, self.points)

    def estimated(self, folder: Path | None = None) -> AblationCost:
        """Say what it takes in a folder, or in a new one.

        Raises:
            InputError: for a trace that cannot be read with some settings.
        """
        plan, there = self.plan, set() if folder is None else Store(folder).ids()
        every = map(self.points.of, plan.runs())
        made: dict[str, Point] = {each.id: each for each in every if not each.refused}
        left = [each for each in made.values() if each.id not in there]
        refused = sum(
            bool(plan.drives.of(stage, subset).refused) for stage in plan.usable() for subset in plan.subsets
        )
        return AblationCost(len(made), len(made) - len(left), refused, self.points.estimate(left))

    def cost(self, folder: Path | None = None) -> list[str]:
        """Say what is taken apart, and what that takes."""
        plan, cost = self.plan, self.estimated(folder)
        counted = {
            "drives": len(plan.subsets),
            "workloads": len(plan.usable()),
            "repeats": len(plan.repeats),
        }
        names = ", ".join(part.name for part in plan.parts)
        many = "1 part" if len(plan.parts) == 1 else f"{len(plan.parts)} parts"
        product = " × ".join(f"{count} {name if count > 1 else name[:-1]}" for name, count in counted.items())
        text = f"{product}: {cost.points} points"
        text += f", {cost.stored} of them stored" if cost.stored else ""
        text += f"; {cost.refused} drives are refused" if cost.refused else ""
        if cost.points > cost.stored:
            seconds = duration(cost.estimate.seconds)
            text += f"; about {seconds} on {cores()} cores, more for an overloaded drive"
        return [f"{plan.entry.baseline} → {plan.entry.candidate}, {many}: {names}", text]

    def judge(self, points: Runs) -> Ablation:
        """Run every drive between the two, and share the difference out among the parts."""
        plan = self.plan
        outcomes = points.run(plan.runs())
        values = values_of(plan, outcomes)
        failures = {
            self.points.of(run).label(): outcome.failed for run, outcome in outcomes.items() if outcome.failed
        }
        repeats = different(values, plan.repeats)
        return Ablation(
            points.place,
            plan,
            tuple(_of_metric(plan, values, metric, repeats) for metric in plan.entry.metrics),
            len(repeats),
            tuple(values),
            failures,
            tuple(points.damaged),
        )

    def document(self, result: Ablation) -> Document:
        """Tell the conclusions first, then what they are drawn from."""
        from reclaim.study.ablation.report import document

        return document(result)

    def files(self, result: Ablation) -> dict[str, str]:
        """Give all that is known as JSON."""
        return {self.result: encoding.json_text(result.to_dict()) + "\n"}

    def complaints(self, result: Ablation) -> list[str]:
        """Say which stored points were damaged; the notes name the runs that failed."""
        return [f"warning: {each}" for each in result.damaged]

    def outcome(self, result: Ablation) -> tuple[int, str]:
        """Give 1 if a run failed or warns, or nothing is known of a metric; 3 if a run has doubts."""
        metrics = result.metrics
        if result.failures:
            return 1, f"{len(result.failures)} runs failed"
        if unknown := [describe(each.metric).label for each in metrics if each.overall.total is None]:
            return 1, f"nothing is known of {', '.join(unknown)}"
        said = next(of_verdicts(result), "")
        if any(each.warnings for each in metrics):
            return 1, said
        return (3, said) if any(each.doubts for each in metrics) else (0, "")


def _of_metric(plan: AblationPlan, values: list[Values], metric: str, repeats: list[int]) -> OfMetric:
    logs = {each.stage.workload.label(): each.logarithms(metric) for each in values}
    by_workload = {}
    for each in values:
        name = each.stage.workload.label()
        of_one = taken(plan, {name: logs[name]}, different([each], plan.repeats))
        by_workload[name] = of_one if of_one.total else replace(of_one, unknown=_no_total(plan, each, metric))
    overall = taken(plan, logs, repeats)
    if not overall.total:
        first, of_first = next(iter(by_workload.items()))
        overall = replace(overall, unknown=f"{first}: {of_first.unknown}")
    used = _used(values, logs)
    return OfMetric(
        metric,
        conclusion(metric, plan.entry.baseline, plan.entry.candidate, overall),
        overall,
        by_workload,
        codes((each.verdict for each in used), "warning", metric),
        codes((each.verdict for each in used), "doubt", metric),
        len(used),
        sum(each.concerning(metric) == "note" for each in used),
    )


def _no_total(plan: AblationPlan, values: Values, metric: str) -> str:
    """Say which of the schemes has no value on a workload, and why."""
    why = values.reasons(metric)
    names = {0: plan.entry.baseline, plan.whole: plan.entry.candidate}
    told = [f"{name} has no value there: {why[end]}" for end, name in names.items() if end in why]
    return "; ".join(told)


def _used(values: list[Values], logs: Mapping[str, Mapping[int, Any]]) -> list[Outcome]:
    """The runs whose values are used, each once."""
    found = {
        outcome.point: outcome
        for each in values
        for subset in logs[each.stage.workload.label()]
        for outcome in each.outcomes[subset]
    }
    return list(found.values())


@checked
def ablate(
    experiment: Experiment | str | Path | Mapping[str, Any],
    output: str | Path,
    **options: Unpack[StudyOptions],
) -> Ablation:
    """Find which of the settings in which two schemes differ makes what changes from one to the other.

    Args:
        experiment: an experiment with a section `[ablate]`: a file, its content as a mapping, or an
            `Experiment`.
        output: the folder of the experiment's sweep, or a new one; with the same one again, it goes on.
        workers: points at the same time; one a core if not given.
        dask: address of a Dask scheduler (`tcp://…`) whose workers run the points.
        worker_timeout: after how many seconds without a word a worker of it is given up; 60 if not given.
        memory: what all runs may take together, as in `8GiB`; what is available if not given.
        progress: called about five times a second.
        force: use a folder that has other things; points of another experiment are put aside by its sweep.
        report: draw `report.html` and the charts, as the command does.
        accept_build: other builds whose points count and whose workers may run some, as messages name them.
        retry: run points again that have ended a process, as out of memory.

    Raises:
        InputError: for mistakes of the experiment, all of them, and for a folder that cannot be used.
        KeyboardInterrupt: with Ctrl-C; what had ended is stored.
    """
    return carry_out(lambda: AblationStudy(experiment_of(experiment)), output, options)
