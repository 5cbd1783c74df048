"""What an ablation gives: its conclusions, shares, and all drives that it ran."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reclaim.errors import InputError
from reclaim.instruments.ablation.plan import Plan
from reclaim.instruments.ablation.result import FORMAT, Figure, OfMetric
from reclaim.instruments.ablation.shares import Values

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class Ablation:
    """What is known of what makes the difference between two schemes."""

    folder: Path
    """Where its files are."""
    plan: Plan = field(repr=False)
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
            "metrics": [each.to_dict() for each in self.metrics],
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


def known_values(figure: Figure | None) -> tuple[float | None, float | None, float | None]:
    """Give a figure and its interval; nothing of one that is not known."""
    return (None, None, None) if figure is None else (figure.value, figure.low, figure.high)


def _drives(plan: Plan, values: Values, metrics: list[str]) -> list[dict[str, Any]]:
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
