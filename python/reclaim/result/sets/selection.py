"""Which points of a set a figure shows, and what it says of the others."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from reclaim.palette import COLOURS
from reclaim.result.reported import Reported
from reclaim.result.sets.measured import MeasuredSet
from reclaim.result.sets.metrics import requests_needed

MOST_SCHEMES = len(COLOURS)
"""More lines than colours are not told apart."""
MOST_TRACES = 4
"""Traces with a panel of their own."""
MOST_NAMED = 4
"""Values of an axis that are named where they are not shown."""


def values(points: pl.DataFrame, column: str) -> list[str]:
    """The values of a column in the order of the experiment."""
    return [str(each) for each in points[column].unique(maintain_order=True).drop_nulls().to_list()]


@dataclass(frozen=True)
class Selection:
    """The points a figure shows."""

    results: MeasuredSet
    traces: list[str]
    schemes: list[str]
    setting: tuple[str, ...]
    """Device and values of the axes that all of them have, and which are not shown; empty without others."""
    left_out: str
    """What of the set is not shown, as a sentence; empty if all is."""

    def of_trace(self, trace: str) -> list[Reported]:
        """The first repeat of every scheme on one trace."""
        points = self.results.points.filter(pl.col("trace") == trace)
        first = points.unique("scheme", keep="first", maintain_order=True)
        return [self.results.results(point) for point in first["point"].to_list()]


def _others(column: str, first: str, others: list[str]) -> str:
    """Which value of a column is shown, and which it has besides.

    >>> _others("gc.pages_in_flight", "1", ["2", "4"])
    'gc.pages_in_flight = 1 (not shown: 2, 4)'
    >>> _others("load", "own", ["10%", "20%", "30%", "40%", "50%"])
    'load = own (not shown: 10%, 20%, 30% and 2 others)'
    """
    named = others if len(others) <= MOST_NAMED else others[: MOST_NAMED - 1]
    more = len(others) - len(named)
    return f"{column} = {first} (not shown: {', '.join(named)}{f' and {more} others' if more else ''})"


def base(results: MeasuredSet, along: str | None = None) -> tuple[MeasuredSet, tuple[str, ...]]:
    """The points with the first device and the first value of every axis but `along`.

    Returns:
        The points, and of every column that has other values in the set which is shown and which are not.
    """
    points, told = results.points, []
    of_axis = [f"{along}={each}" for each in values(points, along)] if along else []
    apart = [each for each in values(points, "vary") if each and each not in of_axis]
    points = points.filter(pl.col("vary").is_in(["", *of_axis]))
    if apart:
        axes = ", ".join(dict.fromkeys(each.partition("=")[0] for each in apart))
        told.append(f"points that vary one axis alone are not shown: {axes}")
    for column in ("device", *results.axes):
        if column == along or not points.height:
            continue
        first = points[column].item(0)
        others = [each for each in values(points, column) if each != str(first)]
        points = points.filter(pl.col(column).eq_missing(first))
        if others:
            told.append(_others(column, str(first), others))
    return results.only(points), tuple(told)


def at_first(results: MeasuredSet, axes: list[str]) -> MeasuredSet:
    """The points at the first value of each of these axes; what varies one of them alone is left out."""
    points = results.points
    for axis in axes:
        alone = points["vary"].str.starts_with(f"{axis}=")
        points = points.filter((pl.col(axis) == values(points, axis)[0]) & ~alone)
    return results.only(points)


def shown_of(setting: tuple[str, ...]) -> str:
    """What `base` tells, as a sentence without its full stop.

    >>> shown_of(("device = small (not shown: large)", "load = own (not shown: 30%)"))
    'Shown: device = small (not shown: large); load = own (not shown: 30%)'
    """
    return f"Shown: {'; '.join(setting)}"


def select(results: MeasuredSet, *, traces: int = MOST_TRACES, schemes: int = MOST_SCHEMES) -> Selection:
    """Choose the first traces and schemes at the first value of every axis."""
    chosen, setting = base(results)
    all_traces, all_schemes = values(chosen.points, "trace"), values(chosen.points, "scheme")
    shown = chosen.points.filter(
        pl.col("trace").is_in(all_traces[:traces]) & pl.col("scheme").is_in(all_schemes[:schemes])
    )
    left_out = [
        f"{len(known) - most} of {len(known)} {what}s"
        for what, known, most in (("trace", all_traces, traces), ("scheme", all_schemes, schemes))
        if len(known) > most
    ]
    drawn = results.only(shown)
    said = [f"Not drawn here: {', '.join(left_out)}."] if left_out else []
    if setting:
        said.append(f"{shown_of(setting)}.")
    return Selection(
        drawn,
        all_traces[:traces],
        all_schemes[:schemes],
        setting,
        " ".join(said),
    )


def established(points: pl.DataFrame, metric: str) -> bool:
    """Whether a percentile has enough requests beyond it in every point that has any; other metrics have."""
    needed = requests_needed(metric)
    if needed is None:
        return True
    column, count = needed
    counts = points.filter(pl.col(column) > 0)[column]
    return counts.len() > 0 and bool((counts >= count).all())
