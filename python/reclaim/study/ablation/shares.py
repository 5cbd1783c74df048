"""Takes a metric apart: from what came of the runs to shares with intervals."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from reclaim.errors import InputError
from reclaim.report.forms import plain
from reclaim.study.ablation import game
from reclaim.study.ablation.drives import Stage
from reclaim.study.ablation.game import Interaction, Steps
from reclaim.study.ablation.plan import AblationPlan
from reclaim.study.ablation.result import (
    FORMAT,
    Decomposition,
    LogFigure,
    OfMetric,
    Orders,
    PartPair,
    PartShare,
    figure_of,
)
from reclaim.study.runs import Outcome, Outcomes

if TYPE_CHECKING:
    import polars as pl

NO_ORDER = "no order of the parts meets only drives that have a value"
OF_CONFIGURATION = ("seed",)
"""Figures of a run that it did not measure."""


UNBOUNDED = "its queues grow without bound"


def why_none(outcome: Outcome, metric: str) -> str:
    """Say why a run has no value of a metric, or of any if that is empty; nothing if it has one."""
    if outcome.refused or outcome.failed:
        return f"refused: {outcome.refused}" if outcome.refused else f"failed: {outcome.failed}"
    if outcome.unbounded or not metric:
        return UNBOUNDED if outcome.unbounded else ""
    figure = outcome.figures.get(metric)
    if figure is None or math.isnan(figure):
        return f"it measured no {metric}"
    return "" if figure > 0 else f"its {metric} is {figure:g}, which has no logarithm"


@dataclass(frozen=True)
class Values:
    """What came of all runs of one workload."""

    stage: Stage
    outcomes: Mapping[int, Sequence[Outcome]]
    """Of every subset, by repeat; of one that is refused there are none."""
    refused: Mapping[int, str]

    def reasons(self, metric: str = "") -> dict[int, str]:
        """Give every subset that has no value of a metric in some repeat, and why.

        Without a metric: those that have none of any.
        """
        found = {subset: f"refused: {why}" for subset, why in self.refused.items()}
        for subset, outcomes in self.outcomes.items():
            whys = Counter(why for each in outcomes if (why := why_none(each, metric)))
            if whys:
                (why, count), repeats = whys.most_common(1)[0], len(outcomes)
                found[subset] = why + (f" in {count} of {repeats} repeats" if count < repeats else "")
        return dict(sorted(found.items()))

    def logarithms(self, metric: str) -> dict[int, np.ndarray]:
        """Give the logarithms of every subset that has a value in all repeats, by repeat."""
        without = self.reasons(metric)
        return {
            subset: np.log([each.figures[metric] for each in outcomes])
            for subset, outcomes in self.outcomes.items()
            if subset not in without
        }

    def fingerprint(self, repeat: int) -> tuple[object, ...]:
        """Equal for repeats that measured the same in every number of every run."""
        runs = [outcomes[repeat].figures for outcomes in self.outcomes.values()]
        return tuple(
            (name, value) for run in runs for name, value in run.items() if name not in OF_CONFIGURATION
        )


def values_of(plan: AblationPlan, outcomes: Outcomes) -> list[Values]:
    """Sort outcomes by workload and subset."""
    found = []
    for stage in plan.usable():
        refused = {subset: why for subset in plan.subsets if (why := plan.drives.of(stage, subset).refused)}
        known = {
            subset: [outcomes[plan.run_of(stage, subset, repeat)] for repeat in plan.repeats]
            for subset in plan.subsets
            if subset not in refused
        }
        found.append(Values(stage, known, refused))
    return found


def different(values: Sequence[Values], repeats: Sequence[int]) -> list[int]:
    """Give the repeats that count: those that measured the same as an earlier one do not."""
    first = {tuple(each.fingerprint(repeat) for each in values): repeat for repeat in reversed(repeats)}
    return sorted(first.values())


@dataclass(frozen=True)
class WorkloadShares:
    """One workload, taken apart repeat by repeat; arrays have a value for each."""

    total: np.ndarray
    shares: list[np.ndarray]
    """Of each block; none where there are no shares."""
    alone: list[np.ndarray | None]
    all_but: list[np.ndarray | None]
    pairs: dict[tuple[int, int], tuple[np.ndarray, Interaction]]
    steps: Steps | None
    drawn_errors: list[float] | None
    """Standard error of each share from having drawn orders."""


def steps_of(plan: AblationPlan, blocks: Sequence[int], known: Mapping[int, object]) -> Steps | None:
    """Give the orders to average over; blocks of several parts are there only where all subsets were run."""
    if plan.orders:
        return game.drawn_orders(plan.orders, known)
    return game.all_orders(len(blocks), known)


def worked(plan: AblationPlan, logs: Mapping[int, np.ndarray], blocks: Sequence[int]) -> WorkloadShares:
    """Take the logarithms of one workload apart, which has both ends."""
    count, repeats = len(blocks), len(logs[0])
    by_repeat = [
        game.of_blocks(blocks, {subset: float(each[repeat]) for subset, each in logs.items()})
        for repeat in range(repeats)
    ]
    steps = steps_of(plan, blocks, by_repeat[0])
    shares = [game.shares(count, values, steps) for values in by_repeat] if steps else []
    pairs = [game.interactions(count, values) for values in by_repeat]
    whole = (1 << count) - 1

    def gain(subset: int) -> np.ndarray | None:
        if subset not in by_repeat[0]:
            return None
        return np.array([values[subset] - values[0] for values in by_repeat])

    return WorkloadShares(
        logs[plan.whole] - logs[0],
        [np.array(each) for each in zip(*shares, strict=True)],
        [gain(1 << block) for block in range(count)],
        [gain(whole ^ 1 << block) for block in range(count)],
        {
            (each[0].first, each[0].second): (np.array([one.value for one in each]), each[0])
            for each in zip(*pairs, strict=True)
        },
        steps,
        _drawn_errors(plan, by_repeat) if plan.orders and steps else None,
    )


def _drawn_errors(plan: AblationPlan, by_repeat: Sequence[Mapping[int, float]]) -> list[float] | None:
    means = {
        subset: math.fsum(each[subset] for each in by_repeat) / len(by_repeat) for subset in by_repeat[0]
    }
    return game.drawn_errors(plan.orders, means)


def blocks_of(plan: AblationPlan, known: Mapping[int, object]) -> list[int] | None:
    """Give the blocks of which a workload knows shares: single parts if it can be; None if it knows none."""
    single = [1 << part for part in range(len(plan.parts))]
    if steps_of(plan, single, known) is not None:
        return single
    return None if plan.orders else game.finest(len(plan.parts), known)


def taken(
    plan: AblationPlan, logs: Mapping[str, Mapping[int, np.ndarray]], repeats: Sequence[int]
) -> Decomposition:
    """Take the average over workloads apart.

    Args:
        plan: what was run.
        logs: by the name of a workload, logarithms by subset, of all repeats.
        repeats: those that count.
    """
    chosen = {
        name: {subset: each[list(repeats)] for subset, each in known.items()}
        for name, known in logs.items()
        if 0 in known and plan.whole in known
    }
    if not chosen:
        return Decomposition((), None)
    found = {name: blocks_of(plan, known) for name, known in chosen.items()}
    partitions = [each for each in found.values() if each is not None]
    blocks = game.joined(len(plan.parts), partitions)
    works = {name: worked(plan, known, blocks) for name, known in chosen.items()}
    # Of those alone that have shares, so that these sum to the total.
    used = {name: each for name, each in works.items() if each.shares} if partitions else {}
    unknown = "" if used else NO_ORDER
    rows = [_row(plan, at, block, list((used or works).values())) for at, block in enumerate(blocks)]
    of = used or works
    return Decomposition(
        tuple(of),
        _mean([each.total for each in of.values()]),
        tuple(rows),
        tuple(_pairs(plan, blocks, list(of.values()))),
        min(Orders(each.steps.used, each.steps.of) for each in used.values() if each.steps) if used else None,
        unknown,
        _lead(list(used.values())),
    )


def _mean(arrays: Sequence[np.ndarray]) -> LogFigure:
    """The mean over workloads within each repeat, then over the repeats."""
    return figure_of([float(each) for each in np.mean(arrays, axis=0)])


def _known(arrays: Sequence[np.ndarray | None]) -> LogFigure | None:
    """The same; None where a workload does not know it, as the mean would be of other workloads."""
    known = [each for each in arrays if each is not None]
    return _mean(known) if known and len(known) == len(arrays) else None


def _row(plan: AblationPlan, at: int, block: int, works: Sequence[WorkloadShares]) -> PartShare:
    shares = [each.shares[at] for each in works if each.shares]
    errors = [each.drawn_errors for each in works if each.drawn_errors is not None]
    return PartShare(
        tuple(plan.named(block)),
        _mean(shares) if shares else None,
        _known([each.alone[at] for each in works]),
        _known([each.all_but[at] for each in works]),
        # The same orders in all workloads: at most this, if all err in the same direction.
        math.fsum(each[at] for each in errors) / len(errors) if errors else None,
    )


def _pairs(plan: AblationPlan, blocks: Sequence[int], works: Sequence[WorkloadShares]) -> list[PartPair]:
    found = []
    for key in works[0].pairs:
        each = [work.pairs[key] for work in works if key in work.pairs]
        if len(each) < len(works):
            continue
        names = [" with ".join(plan.named(blocks[block])) for block in key]
        fewest = min((one for _, one in each), key=lambda one: one.used)
        value = _mean([values for values, _ in each])
        found.append(PartPair((names[0], names[1]), value, fewest.used, fewest.of))
    return sorted(found, key=lambda pair: -abs(pair.value.value))


def _lead(works: Sequence[WorkloadShares]) -> LogFigure | None:
    if not works or len(works[0].shares) < 2:
        return None
    means = np.mean([each.shares for each in works], axis=0)
    order = np.argsort(-np.abs(means.mean(axis=1)), kind="stable")
    return figure_of([float(each) for each in np.abs(means[order[0]]) - np.abs(means[order[1]])])


@dataclass(frozen=True)
class Ablation:
    """What is known of what makes the difference between two schemes."""

    folder: Path
    """Where its files are."""
    plan: AblationPlan = field(repr=False)
    metrics: tuple[OfMetric, ...]
    repeats: int
    """Repeats that count: those that measured the same as another do not."""
    values: tuple[Values, ...] = field(repr=False)
    failures: Mapping[str, str] = field(default_factory=dict)
    """Of each run that failed: why, by what it is."""
    damaged: tuple[str, ...] = ()
    """Stored points that were changed or incomplete, and run again."""

    @property
    def conclusions(self) -> list[str]:
        """One sentence for each metric."""
        return [each.told for each in self.metrics]

    def of(self, metric: str) -> OfMetric:
        """Give what was found of a metric.

        Raises:
            InputError: for one that was not asked for.
        """
        found = next((each for each in self.metrics if each.metric == metric), None)
        if found is None:
            asked = ", ".join(each.metric for each in self.metrics)
            raise InputError(f'"{metric}" was not taken apart; valid: {asked}')
        return found

    def table(self) -> pl.DataFrame:
        """Give a row for each metric, workload and part, in log units; `workload` is empty for the average.

        Columns of figures are `share`, `alone` and `all_but`, each with `_low` and `_high` of its interval.
        """
        import polars as pl

        rows = [
            {"metric": each.metric, "workload": name, "part": " with ".join(row.parts)}
            | {
                f"{figure}{end}": None if known is None else value
                for figure, known in (("share", row.share), ("alone", row.alone), ("all_but", row.all_but))
                for end, value in zip(("", "_low", "_high"), known_values(known), strict=True)
            }
            for each in self.metrics
            for name, taken in {"": each.overall, **each.by_workload}.items()
            for row in taken.rows
        ]
        names = [
            f"{figure}{end}" for figure in ("share", "alone", "all_but") for end in ("", "_low", "_high")
        ]
        texts = dict.fromkeys(("metric", "workload", "part"), pl.String)
        return pl.DataFrame(rows, schema={**texts, **dict.fromkeys(names, pl.Float64)})

    def to_dict(self) -> dict[str, Any]:
        """Give all of it as `ablation.json` has it: docs/ablation.md says what each key is."""
        plan = self.plan
        ends = plan.usable()
        return {
            "format": FORMAT,
            "experiment": plan.experiment.name,
            "baseline": plan.entry.baseline,
            "candidate": plan.entry.candidate,
            "parts": [
                {
                    "name": part.name,
                    "keys": {
                        key: [
                            {"baseline": each.origin.get(key), "candidate": each.target.get(key)}
                            for each in ends
                        ]
                        for key in part.keys
                    },
                }
                for part in plan.parts
            ],
            "repeats": {"run": len(plan.repeats), "different": self.repeats},
            "orders_drawn": {"orders": len(plan.orders), "seed": plan.entry.seed} if plan.orders else None,
            "metrics": plain(list(self.metrics)),
            "workloads": [
                {
                    "workload": each.workload.label(),
                    "place": dict(each.workload.place),
                    "unusable": each.unusable,
                }
                for each in plan.stages
            ],
            "drives": [
                row
                for each in self.values
                for row in _drives(plan, each, [one.metric for one in self.metrics])
            ],
        }


def known_values(figure: LogFigure | None) -> tuple[float | None, float | None, float | None]:
    """Give a figure and its interval; nothing of one that is not known."""
    return (None, None, None) if figure is None else (figure.value, figure.low, figure.high)


def _drives(plan: AblationPlan, values: Values, metrics: list[str]) -> list[dict[str, Any]]:
    """What came of every drive on one workload, for `drives` of the file."""
    without = {metric: values.reasons(metric) for metric in metrics}
    found = []
    for subset in plan.subsets:
        outcomes = values.outcomes.get(subset, ())
        found.append(
            {
                "workload": values.stage.workload.label(),
                "parts_of_target": plan.named(subset),
                "refused": values.refused.get(subset, ""),
                "points": [each.point for each in outcomes],
                "verdicts": [each.level for each in outcomes],
                "values": {
                    metric: [_finite(each.figures.get(metric)) for each in outcomes] for metric in metrics
                },
                "no_value": {metric: why[subset] for metric, why in without.items() if subset in why},
            }
        )
    return found


def _finite(value: float | None) -> float | None:
    """JSON has no other numbers."""
    return value if value is not None and math.isfinite(value) else None
