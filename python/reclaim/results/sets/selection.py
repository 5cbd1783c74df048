"""Which points of a set a figure shows, and what it says of the others."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from reclaim.charts import PALETTE
from reclaim.results.reported import Reported
from reclaim.results.sets.measured import Measured

MOST_SCHEMES = len(PALETTE)
"""More lines than colours are not told apart."""
MOST_TRACES = 4
"""Traces with a panel of their own."""


def values(points: pl.DataFrame, column: str) -> list[str]:
    """The values of a column in the order of the experiment."""
    return [str(each) for each in points[column].unique(maintain_order=True).drop_nulls().to_list()]


@dataclass(frozen=True)
class Selection:
    """The points a figure shows."""

    results: Measured
    traces: list[str]
    schemes: list[str]
    setting: str
    """Device and values of the axes that all of them have, as text; empty if there is no other."""
    left_out: str
    """What of the set is not shown, as a sentence; empty if all is."""

    def of_trace(self, trace: str) -> list[Reported]:
        """The first repeat of every scheme on one trace."""
        points = self.results.points.filter(pl.col("trace") == trace)
        first = points.unique("scheme", keep="first", maintain_order=True)
        return [self.results.results(point) for point in first["point"].to_list()]


def base(results: Measured) -> tuple[Measured, str]:
    """The points with the first device and the first value of every axis, and these values as text."""
    points = results.points
    told = []
    for column in ("device", "vary", *results.axes):
        first = points[column].item(0)
        points = points.filter(pl.col(column).eq_missing(first))
        if results.points[column].n_unique() > 1 and column != "vary":
            told.append(str(first) if column == "device" else f"{column} = {first}")
    return results.only(points), ", ".join(told)


def select(results: Measured, *, traces: int = MOST_TRACES, schemes: int = MOST_SCHEMES) -> Selection:
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
    if setting:
        left_out.append(f"all but {setting}")
    drawn = results.only(shown)
    return Selection(
        drawn,
        all_traces[:traces],
        all_schemes[:schemes],
        setting,
        f"Not drawn here: {', '.join(left_out)}." if left_out else "",
    )
