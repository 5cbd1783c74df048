"""Schemes beside one another: ratios over workloads, the largest of them, and shapes."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Sequence

from reclaim.papers.custom import Custom, told

from .cells import BYPASS, Cells, Metric

Holds = Callable[[Cells, int], bool]


def order(
    cells: Cells,
    metric: Metric,
    scheme: str,
    base: str | Sequence[str],
    names: Sequence[str],
    *,
    beside: Callable[[Iterable[float]], float] = min,
) -> Custom:
    """The ratio in each workload, and their geometric mean; `beside` chooses among several others."""

    def one(name: str, repeat: int) -> float:
        return cells.ratio(metric, name, scheme, base, repeat, beside=beside)

    return Custom(cells.figure(over(geometric_mean, one, names)), parts=cells.parts(one, names))


def most(
    cells: Cells, metric: Metric, scheme: str, base: str, names: Sequence[str], *, gain: bool = False
) -> Custom:
    """The largest reduction over the workloads, in per cent; with `gain`, the largest ratio."""

    def one(name: str, repeat: int) -> float:
        ratio = cells.ratio(metric, name, scheme, base, repeat)
        return ratio if gain else 100 * (1 - ratio)

    return Custom(cells.figure(lambda r: max(one(name, r) for name in names)), parts=cells.parts(one, names))


def shown(cells: Cells, holds: Holds, rule: str) -> Custom:
    """A shape: 1 if all repeats show it; `rule` says when one does."""
    return told(all(holds(cells, repeat) for repeat in cells.repeats), len(cells.repeats), rule)


def geometric_mean(values: Iterable[float]) -> float:
    """Geometric mean; 0 where one of them is."""
    found = list(values)
    return statistics.geometric_mean(found) if min(found) > 0 else 0.0


def over(
    statistic: Callable[[list[float]], float], each: Callable[[str, int], float], names: Sequence[str]
) -> Callable[[int], float]:
    """A statistic over workloads, of each repeat."""
    return lambda repeat: statistic([each(name, repeat) for name in names])


def one_of(cells: Cells, metric: Metric, workload: str, scheme: str) -> Callable[[int], float]:
    """A figure beside GC bypass's as it is."""
    return lambda repeat: cells.ratio(metric, workload, scheme, BYPASS, repeat)
