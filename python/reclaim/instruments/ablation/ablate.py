"""Runs an ablation, and gives what it found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from reclaim import encoding, output_file
from reclaim.arguments import path
from reclaim.bench.build import Tell
from reclaim.bench.estimate import Estimate
from reclaim.bench.experiment import Experiment
from reclaim.bench.point import Point
from reclaim.bench.progress import Report
from reclaim.bench.run import How
from reclaim.bench.store import Store
from reclaim.bench.sweep import experiment_of, how_of
from reclaim.instruments.ablation.ablation import Ablation
from reclaim.instruments.ablation.plan import Plan, plan_of
from reclaim.instruments.ablation.result import OfMetric
from reclaim.instruments.ablation.shares import Values, different, taken, values_of
from reclaim.instruments.ablation.words import conclusion
from reclaim.instruments.outcome import Outcome
from reclaim.instruments.runs import Points, running
from reclaim.results.sets.metrics import measurable
from reclaim.results.verdict import Remark, column
from reclaim.signatures import checked

NAME = "ablation"
"""Its folder in that of the sweep."""
FILE = "ablation.json"


@dataclass(frozen=True)
class Cost:
    """What an ablation takes, before it begins."""

    points: int
    """All that can run; those that are the same run once."""
    stored: int
    """Of them in the folder already; damaged ones are found when it begins."""
    refused: int
    """Drives that the configuration refuses, over all workloads."""
    estimate: Estimate
    """Of those that are not stored."""


def cost_of(plan: Plan, points: Points, folder: Path | None = None) -> Cost:
    """Say what it takes to run a plan in a folder, or in a new one.

    Raises:
        InputError: for a trace that cannot be read with some settings.
    """
    store = None if folder is None else Store(folder)
    made: dict[str, Point] = {each.id: each for each in map(points.of, plan.runs()) if not each.refused}
    left = [each for each in made.values() if store is None or not store.has(each.id)]
    refused = sum(
        bool(plan.drives.of(stage, subset).refused) for stage in plan.usable() for subset in plan.subsets
    )
    return Cost(len(made), len(made) - len(left), refused, points.estimate(left))


def ablate_into(
    plan: Plan, points: Points, folder: Path, how: How, progress: Report | None = None
) -> Ablation:
    """Run a plan in the folder of the experiment's sweep, and write what was found.

    Raises:
        InputError: for a folder that cannot be used.
        KeyboardInterrupt: saying how far it came; what had ended is stored.
    """
    from reclaim.instruments.ablation.report import PAGE, PICTURES, write_pictures, write_report

    with running(plan.experiment, NAME, points, folder, how, progress) as runs:
        page = runs.place / PAGE
        if how.report and runs.place.is_dir():
            output_file.check_page(page)
        # Until there are new ones, they would speak of others.
        drawn = [PAGE] if output_file.is_page(page) else []
        for name in (FILE, *drawn, *(f"{PICTURES}{metric}.png" for metric in measurable())):
            (runs.place / name).unlink(missing_ok=True)
        outcomes = runs.run(plan.runs())
        values = values_of(plan, outcomes)
        failures = {
            points.of(run).label(): outcome.failed for run, outcome in outcomes.items() if outcome.failed
        }
        repeats = different(values, plan.repeats)
        found = Ablation(
            runs.place,
            plan,
            tuple(_of_metric(plan, values, metric, repeats) for metric in plan.entry.metrics),
            len(repeats),
            tuple(values),
            failures,
            tuple(runs.damaged),
        )
        content = encoding.json_text(found.to_dict())
        output_file.write_text(runs.place / FILE, content + "\n")
        if how.report:
            write_report(found, page)
            write_pictures(found, runs.place)
    return found


def _of_metric(plan: Plan, values: list[Values], metric: str, repeats: list[int]) -> OfMetric:
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
        conclusion(metric, plan.entry.origin, plan.entry.target, overall),
        overall,
        by_workload,
        _codes([remark for each in used if each.verdict for remark in each.verdict.warnings], metric),
        _codes([remark for each in used if each.verdict for remark in each.verdict.doubts], metric),
        len(used),
        sum(each.concerning(metric) == "note" for each in used),
    )


def _no_total(plan: Plan, values: Values, metric: str) -> str:
    """Say which of the schemes has no value on a workload, and why."""
    why = values.reasons(metric)
    names = {0: plan.entry.origin, plan.whole: plan.entry.target}
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


def _codes(remarks: Iterable[Remark], metric: str) -> dict[str, int]:
    """Count those remarks of runs that name a metric, by their code."""
    return dict(sorted(Counter(each.code for each in remarks if metric in map(column, each.figures)).items()))


@checked
def ablate(
    experiment: Experiment | str | Path | Mapping[str, Any],
    output: str | Path,
    *,
    workers: int | None = None,
    dask: str | None = None,
    memory: str | None = None,
    progress: Report | None = None,
    force: bool = False,
    report: bool = False,
    accept_build: Sequence[str] = (),
) -> Ablation:
    """Find which of the settings in which two schemes differ makes what changes from one to the other.

    Args:
        experiment: an experiment with a section `[ablate]`: a file, its content as a mapping, or an
            `Experiment`.
        output: the folder of the experiment's sweep, or a new one; with the same one again, it goes on.
        workers: points at the same time; one a core if not given.
        dask: address of a Dask scheduler (`tcp://…`) whose workers run the points.
        memory: what all runs may take together, as in `8GiB`; what is available if not given.
        progress: called about five times a second.
        force: use a folder that has other things; points of another experiment are put aside by its sweep.
        report: draw `report.html` and the charts, as the command does.
        accept_build: other builds whose points count and whose workers may run some, as messages name them.

    Raises:
        InputError: for mistakes of the experiment, all of them, and for a folder that cannot be used.
        KeyboardInterrupt: with Ctrl-C; what had ended is stored.
    """
    how = how_of(
        workers=workers,
        dask=dask,
        memory=memory,
        progress=progress,
        force=force,
        report=report,
        accept_build=accept_build,
    )
    folder = path("output", output)
    plan, points = planned(experiment_of(experiment))
    return ablate_into(plan, points, folder, how, progress)


def planned(experiment: Experiment, tell: Tell | None = None) -> tuple[Plan, Points]:
    """Make the plan of an experiment, and what makes its points.

    Raises:
        InputError: as `plan_of`.
    """
    points = Points(experiment, tell)
    return plan_of(experiment, points), points
