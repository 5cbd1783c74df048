"""Points of an experiment: one figure of one point, and figures over workloads, repeat by repeat."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import exp
from pathlib import Path
from typing import Any, ClassVar, Self

import polars as pl

from reclaim.instruments.ablation.game import all_orders, shares
from reclaim.papers import latencies
from reclaim.papers.measured import Figure, interval_of

Row = dict[str, Any]
"""A point: its figures by column."""


@dataclass(frozen=True)
class Cells:
    """The points of an experiment under one load and reading, and the distributions of their latencies."""

    points: pl.DataFrame
    histograms: pl.DataFrame = field(default_factory=pl.DataFrame)
    _rows: dict[tuple[str, str, int], Row] = field(default_factory=dict, compare=False)
    _tails: dict[tuple[str, float], float] = field(default_factory=dict, compare=False)
    """Percentiles: found when asked for."""
    ORDER: ClassVar[tuple[str, ...]] = ()
    """Workloads as the paper orders them."""

    @classmethod
    def of(cls, points: pl.DataFrame, sweep: Path) -> Self:
        """Those of a sweep."""
        return cls(points, latencies.distributions_of(sweep))

    def __post_init__(self) -> None:
        for row in self.points.iter_rows(named=True):
            self._rows[str(row["trace"]), str(row["scheme"]), int(row["repeat"])] = row

    @property
    def workloads(self) -> list[str]:
        """Workloads of the paper that are there, in its order, then others."""
        there = dict.fromkeys(self.points["trace"].to_list()) if not self.points.is_empty() else {}
        return [
            *(name for name in self.ORDER if name in there),
            *(name for name in there if name not in self.ORDER),
        ]

    @property
    def schemes(self) -> list[str]:
        """Schemes, in the order of the experiment."""
        return [str(each) for each in self.points["scheme"].unique(maintain_order=True).to_list()]

    @property
    def repeats(self) -> list[int]:
        """Numbers of the repeats in which every point is there."""
        cells = {(trace, scheme) for trace, scheme, _ in self._rows}
        numbers = sorted({repeat for _, _, repeat in self._rows})
        return [each for each in numbers if all((*cell, each) in self._rows for cell in cells)]

    def has_all(self, *schemes: str) -> bool:
        """Whether there are points of all these schemes."""
        return not self.points.is_empty() and set(schemes) <= set(self.schemes)

    def row(self, workload: str, scheme: str, repeat: int) -> Row:
        """One point."""
        return self._rows[workload, scheme, repeat]

    def value(self, metric: str, workload: str, scheme: str, repeat: int) -> float:
        """One figure of one point; 0 where there is none."""
        return float(self.row(workload, scheme, repeat)[metric] or 0)

    def percentile(self, point: str, share: float) -> float:
        """A percentile of reads and writes together, ns: the end of its bucket."""
        key = point, share
        if key not in self._tails:
            self._tails[key] = latencies.percentile(self.histograms, point, share)
        return self._tails[key]

    def figure(self, compute: Callable[[int], float]) -> Figure:
        """The median over repeats of what is computed of each, with the interval."""
        return interval_of([compute(repeat) for repeat in self.repeats])

    def parts(
        self, compute: Callable[[str, int], float], names: Sequence[str] = ()
    ) -> tuple[tuple[str, Figure], ...]:
        """What is computed of each workload."""

        def one(name: str) -> Figure:
            return self.figure(lambda repeat: compute(name, repeat))

        return tuple((name, one(name)) for name in names or self.workloads)

    def geometric(self, compute: Callable[[str, int], float], names: Sequence[str] = ()) -> Figure:
        """The geometric mean over workloads of what is computed of each, with the interval over repeats."""
        return self.figure(
            lambda repeat: statistics.geometric_mean(
                compute(name, repeat) for name in names or self.workloads
            )
        )

    def factors(
        self, parts: Sequence[str], schemes: Mapping[int, str], of: Callable[[str, int], float]
    ) -> dict[str, Figure]:
        """What each part multiplies a figure by, averaged over the orders of putting parts in; and `all`.

        Args:
            parts: their names.
            schemes: by subset of the parts, of which bit i says whether part i is in it; orders that meet a
                subset without a scheme are left out (Shapley's value of a game with restricted coalitions).
            of: the logarithm of the figure under a scheme in a repeat.
        """
        steps = all_orders(len(parts), schemes)
        assert steps is not None, "the parts can be put in one by one"  # noqa: S101
        by_repeat = []
        for repeat in self.repeats:
            values = {subset: of(scheme, repeat) for subset, scheme in schemes.items()}
            each = dict(zip(parts, shares(len(parts), values, steps), strict=True))
            by_repeat.append(each | {"all": values[max(schemes)] - values[0]})
        return {part: interval_of([exp(each[part]) for each in by_repeat]) for part in (*parts, "all")}

    def beside(self, metric: str, scheme: str, base: str) -> Callable[[str, int], float]:
        """A metric under a scheme over that under another, of a workload and a repeat."""
        return lambda name, repeat: (
            self.value(metric, name, scheme, repeat) / self.value(metric, name, base, repeat)
        )


def told(figure: Figure, unit: str = "") -> str:
    """Write a figure with two decimals, and its interval where there is one."""
    text = f"{figure.value:.2f}{unit}"
    if figure.low is None or figure.high is None or f"{figure.low:.2f}" == f"{figure.high:.2f}":
        return text
    return f"{text} [{figure.low:.2f}, {figure.high:.2f}]"
