"""Which comparisons of schemes hang on the order in which the requests of a trace come again.

A set whose points differ in `trace.repeat_order` has each scheme under both orders. Where two schemes change
places with it, the figure is one of the order of requests, and their comparison is not established
(docs/result-sets.md).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import polars as pl

from reclaim.result.sets import cells
from reclaim.result.sets.measured import MeasuredSet
from reclaim.result.sets.metrics import SAME

AXIS = "trace.repeat_order"
"""The axis, by the name of the setting."""

Place = tuple[object, ...]
"""Device, trace and all further columns in which points may differ."""


@dataclass(frozen=True)
class Turned:
    """Two schemes of which another is the lower one when requests come again in another order."""

    first: str
    second: str
    metric: str
    lower: dict[str, str]
    """The lower scheme by each value of the axis."""
    points: tuple[str, ...]
    """Names of the points that say so."""


def _sign(row: Mapping[str, Any]) -> int:
    """Whether a ratio is above 1 (1) or below (-1); 0 where it is neither.

    With an interval it is neither if the interval holds 1; without one, if it is next to 1.

    >>> _sign({"value": 1.2, "low": 0.9, "high": 1.3}), _sign({"value": 0.5, "low": 0.4, "high": 0.6})
    (0, -1)
    >>> _sign({"value": 1.005, "low": None, "high": None}), _sign({"value": 1.2, "low": None, "high": None})
    (0, 1)
    """
    value, low, high = row["value"], row["low"], row["high"]
    if value is None:
        return 0
    if low is None or high is None:
        low, high = value / (1 + SAME), value * (1 + SAME)
    return 1 if low > 1 else -1 if high < 1 else 0


def _places(points: pl.DataFrame) -> tuple[pl.DataFrame, list[str]]:
    """The points with the columns that say where schemes are compared.

    A point that varies the order alone has its partner among those that vary nothing.
    """
    alone = pl.col("vary").str.starts_with(f"{AXIS}=")
    here = points.with_columns(pl.when(alone).then(pl.lit("")).otherwise(pl.col("vary")).alias("vary"))
    return here, [key for key in cells.cell_keys(points) if key not in ("scheme", AXIS)]


def turned(results: MeasuredSet, metrics: Sequence[str] | None = None) -> list[Turned]:
    """Find the pairs of schemes that change places, by metric; the headline's metrics if none are named."""
    points = results.points
    if AXIS not in results.axes or points[AXIS].n_unique() < 2 or points["scheme"].n_unique() < 2:
        return []
    here, keys = _places(points)
    wanted = list(metrics) if metrics is not None else results.headline()
    schemes = points["scheme"].unique(maintain_order=True).to_list()
    found: list[Turned] = []
    for second, first in combinations(reversed(schemes), 2):
        both = here.filter(pl.col("scheme").is_in([first, second]))
        if both["scheme"].n_unique() < 2:
            continue
        ratios = cells.ratios(both, "scheme", first, wanted).filter(pl.col("scheme") == second)
        found += _of_pair(ratios, both, keys, (first, second))
    return sorted(found, key=lambda each: (schemes.index(each.first), schemes.index(each.second)))


def _of_pair(
    ratios: pl.DataFrame, both: pl.DataFrame, keys: list[str], pair: tuple[str, str]
) -> Iterator[Turned]:
    first, second = pair
    signs: dict[tuple[str, Place], dict[str, int]] = {}
    for row in ratios.iter_rows(named=True):
        place = tuple(row[key] for key in keys)
        signs.setdefault((row["metric"], place), {})[row[AXIS]] = _sign(row)
    for (metric, place), by_order in signs.items():
        if {1, -1} <= set(by_order.values()):
            at = pl.all_horizontal(
                pl.col(key).eq_missing(pl.lit(value)) for key, value in zip(keys, place, strict=True)
            )
            lower = {order: first if sign > 0 else second for order, sign in by_order.items() if sign}
            yield Turned(first, second, metric, lower, tuple(both.filter(at)["point"].to_list()))
