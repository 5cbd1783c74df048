"""What the Python module of a paper works with: points, timelines, and kinds of figures.

`Cells` has the points of an experiment, and makes figures of them: a statistic over workloads (`over`,
`mean`, `geometric`), an order in each workload (`order`), a shape in each repeat (`shape`, `Shapes`).
"""

from __future__ import annotations

import json
import math
import re
import statistics
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, Generic, Self, TypeVar

import polars as pl

from reclaim import input_file
from reclaim.paper import latencies
from reclaim.paper.figures import Brought, Drawing, LevelRuns, PageTable, PaperFigure, Tell, shape
from reclaim.paper.measured import Figure, geometric_mean, interval_of, relative
from reclaim.paper.paper import Level
from reclaim.result.sets.stored import StoredPoints
from reclaim.study.ablation.game import all_orders, shares
from reclaim.units import MISSING

__all__ = [
    "MISSING",
    "Brought",
    "Cells",
    "Drawing",
    "Figure",
    "Level",
    "LevelRuns",
    "Metric",
    "OfWorkload",
    "PageTable",
    "PaperFigure",
    "Row",
    "Shapes",
    "Tell",
    "Timelines",
    "exact",
    "geometric_mean",
    "in_words",
    "interval_of",
    "reduction",
    "shape",
]

Row = dict[str, Any]
"""A point: its figures by column."""
Metric = str | Callable[[Row], float]
"""A column of points, or what is computed of a point."""
OfWorkload = Callable[[Any, int], float]
"""What is computed of a workload, or whatever else a paper has a figure of, and of a repeat."""
Statistic = Callable[[list[float]], float]
Key = tuple[str, str, int]
"""Workload, scheme and repeat."""


def reduction(ratio: OfWorkload) -> OfWorkload:
    """By how many percent a ratio is below one."""
    return lambda workload, repeat: 100 * (1 - ratio(workload, repeat))


def exact(value: float) -> Figure:
    """A figure that is computed, with nothing random in it."""
    return Figure(value, exact=True)


def in_words(figure: Figure | None, unit: str = "") -> str:
    """Write a figure with two decimals, and its interval where there is one."""
    if figure is None:
        return MISSING
    low, high = map("{:.2f}".format, figure.interval)
    return (Figure(figure.value) if low == high else figure).text("{:.2f}".format, unit)


class OverRepeats(ABC):
    """Figures of what every repeat of some runs has, with their intervals over repeats."""

    @property
    @abstractmethod
    def workloads(self) -> list[str]:
        """Names of the workloads that were run."""

    @property
    @abstractmethod
    def repeats(self) -> list[int]:
        """Numbers of the repeats."""

    @staticmethod
    def average(values: Iterable[float]) -> float:
        """What the paper means by an average over workloads, where it compares schemes."""
        return geometric_mean(values)

    def figure(self, compute: Callable[[int], float]) -> Figure:
        """The median over repeats of what is computed of each, with the interval."""
        return interval_of([compute(repeat) for repeat in self.repeats])

    def over(self, statistic: Statistic, of: OfWorkload, names: Sequence[Any] = ()) -> Figure:
        """A statistic over workloads of what is computed of each, with the interval over repeats."""
        return self.figure(lambda repeat: statistic([of(name, repeat) for name in names or self.workloads]))

    def mean(self, of: OfWorkload, names: Sequence[Any] = ()) -> Figure:
        """The arithmetic mean over workloads of what is computed of each."""
        return self.over(statistics.fmean, of, names)

    def geometric(self, of: OfWorkload, names: Sequence[Any] = ()) -> Figure:
        """The geometric mean over workloads of what is computed of each."""
        return self.over(geometric_mean, of, names)

    def one(self, of: OfWorkload, name: Any) -> Figure:
        """What is computed of one workload."""
        return self.figure(lambda repeat: of(name, repeat))

    def parts(
        self, of: OfWorkload, names: Sequence[Any] = (), label: Callable[[Any], str] = str
    ) -> tuple[tuple[str, Figure], ...]:
        """What is computed of each workload."""
        return tuple((label(name), self.one(of, name)) for name in names or self.workloads)

    def order(
        self,
        of: OfWorkload,
        names: Sequence[Any] = (),
        statistic: Statistic | None = None,
        label: Callable[[Any], str] = str,
    ) -> PaperFigure:
        """A statistic over workloads of what is computed of each, as by `ratio`, and each by itself."""
        return PaperFigure(
            self.over(statistic or self.average, of, names), parts=self.parts(of, names, label)
        )

    def shape(self, holds: Callable[[int], bool], rule: str) -> PaperFigure:
        """A shape: 1 if all repeats show it; `rule` says when one does."""
        return shape(all(holds(repeat) for repeat in self.repeats), len(self.repeats), rule)

    def everywhere(self, holds: Callable[[str, int], bool], names: Sequence[str] = ()) -> bool:
        """Whether something is so in every workload and repeat."""
        return all(holds(name, repeat) for name in names or self.workloads for repeat in self.repeats)


@dataclass(frozen=True)
class Cells(OverRepeats):
    """The points of an experiment under one load and reading, and what else their runs recorded."""

    points: pl.DataFrame
    folders: tuple[Path, ...] = ()
    """Of the sweeps that they come from."""
    listed: tuple[str, ...] = ()
    """Workloads as the paper orders them."""
    _values: dict[str, dict[Key, float]] = field(default_factory=dict, compare=False)

    @classmethod
    def of(cls, runs: LevelRuns, *experiments: str) -> Self:
        """Give the points of some experiments; none where the level does not run them.

        Of several, the workloads that played the same requests in all of them.
        """
        there = [points for each in experiments if not (points := runs.cells(each)).is_empty()]
        points = pl.concat(there, how="diagonal_relaxed") if there else pl.DataFrame()
        if len(there) > 1 and "trace_hash" in points.columns:
            alike = pl.col("trace_hash").n_unique().over("trace", "repeat").max().over("trace") == 1
            points = points.filter(alike)
        return cls(points, tuple(runs.sweeps / each for each in experiments), runs.workloads)

    def __bool__(self) -> bool:
        """Whether there are points."""
        return not self.points.is_empty()

    def at(self, column: str, value: object) -> Self:
        """Give the points with one value of a column, as of an axis."""
        return self.having(pl.col(column) == pl.lit(value))

    def having(self, chosen: pl.Expr) -> Self:
        """Give some of the points."""
        return replace(self, points=self.points.filter(chosen), _values={})

    def where(self, column: str, value: str) -> Self:
        """Give the points whose value in a column is one of some, as in `a|b`.

        `?` behind the column keeps those without a value.
        """
        name = column.removesuffix("?")
        if not self or name not in self.points.columns:
            return self if name != column else self.having(pl.lit(value=False))
        is_it = pl.col(name).cast(pl.String).is_in(value.split("|"))
        return self.having(is_it | pl.col(name).is_null() if name != column else is_it)

    def values_of(self, column: str) -> list[str]:
        """Give the values of a column, in the order of the experiment; of workloads, in that of the paper."""
        if column == "trace":
            return self.workloads
        if not self or column not in self.points.columns:
            return []
        return [str(each) for each in self.points[column].drop_nulls().unique(maintain_order=True)]

    def by_value(self, column: str) -> Iterator[tuple[str, Self]]:
        """Go through the values of a column, in the order of the experiment, with the points of each."""
        for value in self.values_of(column):
            yield value, self.where(column, value)

    @cached_property
    def workloads(self) -> list[str]:
        """Workloads of the paper that are there, in its order, then others."""
        there = dict.fromkeys(self.points["trace"].to_list()) if self else {}
        known = [name for name in self.listed if name in there]
        return [*known, *(name for name in there if name not in known)]

    @cached_property
    def schemes(self) -> list[str]:
        """Schemes, in the order of the experiment."""
        return self.values_of("scheme")

    @cached_property
    def all_repeats(self) -> list[int]:
        """Numbers of all repeats, also of those that lack a point."""
        return sorted({repeat for _, _, repeat in self.keys})

    @cached_property
    def repeats(self) -> list[int]:
        """Numbers of the repeats in which every point is there."""
        there = set(self.keys)
        cells = {(trace, scheme) for trace, scheme, _ in there}
        return [each for each in self.all_repeats if all((*cell, each) in there for cell in cells)]

    def has_all(self, *schemes: str) -> bool:
        """Whether there are points of all these schemes."""
        return bool(self) and set(schemes) <= set(self.schemes)

    def has_workloads(self, *names: str) -> bool:
        """Whether there are points of all these workloads."""
        return set(names) <= set(self.workloads)

    @cached_property
    def keys(self) -> list[Key]:
        """Workload, scheme and repeat of each point."""
        return self.points.select("trace", "scheme", "repeat").rows() if self else []

    @cached_property
    def _rows(self) -> dict[Key, Row]:
        return dict(zip(self.keys, self.points.iter_rows(named=True), strict=True))

    def row(self, workload: str, scheme: str, repeat: int) -> Row:
        """One point."""
        return self._rows[workload, scheme, repeat]

    def values(self, metric: str) -> dict[Key, float]:
        """A figure of every point, 0 where there is none; nothing where no point has such a figure.

        `all_p99_9_ns` is a percentile of reads and writes together, at the end of its bucket.
        """
        if metric not in self._values:
            self._values[metric] = self._column(metric)
        return self._values[metric]

    def _column(self, metric: str) -> dict[Key, float]:
        if metric in self.points.columns:
            numbers = self.points[metric].cast(pl.Float64).to_list()
            return {key: value or 0.0 for key, value in zip(self.keys, numbers, strict=True)}
        if (match := re.fullmatch(r"all_p(\d+(?:_\d+)?)_ns", metric)) is None or not self:
            return {}
        share = float(match[1].replace("_", ".")) / 100
        found = latencies.percentiles(self.histograms, share)
        points = zip(self.keys, self.points["point"].to_list(), strict=True)
        return {key: found[point] for key, point in points if point in found}

    def value(self, metric: Metric, workload: str, scheme: str, repeat: int) -> float:
        """One figure of one point; 0 where there is none."""
        if callable(metric):
            return metric(self.row(workload, scheme, repeat))
        return self.values(metric)[workload, scheme, repeat]

    def metric(self, metric: Metric, scheme: str) -> OfWorkload:
        """A figure under a scheme."""
        return lambda workload, repeat: self.value(metric, workload, scheme, repeat)

    def ratio(
        self,
        metric: Metric,
        scheme: str,
        base: str | Sequence[str],
        *,
        beside: Callable[[Iterable[float]], float] = min,
    ) -> OfWorkload:
        """A figure under a scheme over that under another; of several, the least, or what `beside` gives.

        It is 1 where both have nothing, and infinite where only the other one has nothing.
        """
        bases = [base] if isinstance(base, str) else base

        def ratio(workload: str, repeat: int) -> float:
            other = beside(self.value(metric, workload, each, repeat) for each in bases)
            return relative("ratio", self.value(metric, workload, scheme, repeat), other)

        return ratio

    @cached_property
    def histograms(self) -> pl.DataFrame:
        """The distributions of the latencies."""
        found = [latencies.distributions_of(each, self.points) for each in self.folders]
        there = [each for each in found if not each.is_empty()]
        return pl.concat(there, how="diagonal_relaxed") if there else pl.DataFrame()

    def result(self, row: Row) -> dict[str, Any]:
        """The whole result of a point."""
        point = str(row["point"])
        return _result(next(folder for folder in self.folders if StoredPoints(folder).has(point)), point)

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
        return {part: interval_of([math.exp(each[part]) for each in by_repeat]) for part in (*parts, "all")}


@lru_cache(maxsize=4096)
def _result(folder: Path, point: str) -> dict[str, Any]:
    stored = StoredPoints(folder)
    among = stored.unpacked(point)
    place = stored.point(point) / "results.json"
    return dict(json.loads(input_file.text(place) if among is None else among["results.json"]))


@dataclass(frozen=True)
class Timelines(OverRepeats):
    """The timelines of an experiment's points, by workload, scheme and repeat."""

    rows: pl.DataFrame

    @classmethod
    def of(cls, runs: LevelRuns, experiment: str) -> Self:
        """Give those that the points of an experiment recorded."""
        timelines = runs.timelines(experiment)
        if timelines.is_empty():
            return cls(timelines)
        names = runs.cells(experiment).select("point", "trace", "scheme", "repeat")
        return cls(timelines.join(names, on="point", how="inner"))

    def __bool__(self) -> bool:
        """Whether there are any."""
        return not self.rows.is_empty()

    @cached_property
    def workloads(self) -> list[str]:
        """Workloads with a timeline."""
        return list(self.rows["trace"].unique(maintain_order=True).to_list())

    @cached_property
    def repeats(self) -> list[int]:
        """Numbers of the repeats."""
        return sorted(self.rows["repeat"].unique().to_list())

    def run(self, workload: str, scheme: str, repeat: int) -> pl.DataFrame:
        """The intervals of one point."""
        chosen = (pl.col("trace") == workload) & (pl.col("scheme") == scheme) & (pl.col("repeat") == repeat)
        return self.rows.filter(chosen).sort("start_ns")


Repeated = TypeVar("Repeated", bound=OverRepeats)


class Shapes(Generic[Repeated]):
    """Shapes by name, each with when it counts as there; a decorator of what looks at one repeat.

    What it decorates gets points or timelines and a repeat; it returns None where it cannot be seen.
    """

    def __init__(self) -> None:
        self._listed: list[tuple[str, str, Callable[[Repeated, int], bool | None]]] = []

    def __call__(
        self, name: str, rule: str = "in every repeat"
    ) -> Callable[[Callable[[Repeated, int], bool | None]], Callable[[Repeated, int], bool | None]]:
        """Give a shape its name, and what counts."""

        def kept(holds: Callable[[Repeated, int], bool | None]) -> Callable[[Repeated, int], bool | None]:
            self._listed.append((name, rule, holds))
            return holds

        return kept

    def of(self, looked_at: Repeated, *names: str) -> dict[str, PaperFigure]:
        """Look for each, or for those that are named, in all repeats."""
        return {
            name: self._judged(looked_at, holds, rule)
            for name, rule, holds in self._listed
            if not names or name in names
        }

    def _judged(
        self, looked_at: Repeated, holds: Callable[[Repeated, int], bool | None], rule: str
    ) -> PaperFigure:
        there = [holds(looked_at, repeat) for repeat in looked_at.repeats]
        if None in there:
            return PaperFigure(None, reason="our runs do not come to where it could be seen")
        return shape(all(there), len(there), rule)
