"""Pictures of a league: schemes by workloads as a heat map, and amplification against the objective."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import altair as alt

from league_cells import By
from reclaim.charts import PALETTE, chart_of, finished
from reclaim.pictures import picture
from reclaim.result.sets.metrics import describe

CELL = (90, 26)
"""Pixels of a cell of the heat map."""


def mean_log(ours: Sequence[float | None], theirs: Sequence[float | None]) -> float | None:
    """Give the mean log ratio of the repeats that both have.

    >>> mean_log([2.0, 2.0], [1.0, 4.0]), mean_log([None], [1.0])
    (0.0, None)
    """
    logs = [math.log(one / other) for one, other in zip(ours, theirs, strict=True) if one and other]
    return math.fsum(logs) / len(logs) if logs else None


def heat(values: Mapping[str, By], metric: str) -> Any:
    """Draw every scheme on every workload by its ratio to the first scheme.

    Args:
        values: of each scheme, the first one first.
        metric: of what.
    """
    first, *_ = values
    records: list[dict[str, Any]] = []
    for scheme, by_workload in values.items():
        for workload, figures in by_workload.items():
            log = mean_log(figures, values[first][workload])
            if log is not None:
                records.append(
                    {"scheme": scheme, "workload": workload, "log": log, "text": f"{math.exp(log):.2f}"}
                )
    most = max([abs(each["log"]) for each in records] + [0.01])
    x = alt.X("workload:N", sort=list(values[first]), title=None, axis=alt.Axis(orient="top", labelAngle=0))
    y = alt.Y("scheme:N", sort=list(values), title=None, axis=alt.Axis(labelLimit=200))
    colour = alt.Color(
        "log:Q",
        scale=alt.Scale(
            domain=[-most, 0, most], range=[PALETTE[0], "#ffffff", PALETTE[1]], interpolate="rgb"
        ),
        legend=None,
    )
    title = f"{describe(metric).label}: each scheme tuned, to {first} tuned"
    base = chart_of(records, width=CELL[0] * len(values[first]), height=CELL[1] * len(values), title=title)
    return base.mark_rect(stroke="#ffffff").encode(x=x, y=y, color=colour) + chart_of(records).mark_text(
        fontSize=11
    ).encode(x=x, y=y, text="text:N")


def front(values: Mapping[str, tuple[float, float]], metrics: tuple[str, str]) -> Any:
    """Draw schemes by two ratios to the first one: what is nearer to the lower left corner is better in both.

    Args:
        values: log ratios of each scheme.
        metrics: of what they are, across and upwards.
    """
    ordered = sorted(values.items(), key=lambda each: each[1])
    records: list[dict[str, Any]] = [
        {
            "number": number,
            "scheme": f"{number}  {name}",
            "x": math.exp(pair[0]),
            "y": math.exp(pair[1]),
            "ahead": _is_ahead(pair, values),
        }
        for number, (name, pair) in enumerate(ordered, 1)
    ]
    scale = alt.Scale(type="log", nice=False, padding=20)
    axes = [
        kind(f"{key}:Q", title=f"{describe(metric).label}, ratio (log scale)", scale=scale)
        for kind, key, metric in ((alt.X, "x", metrics[0]), (alt.Y, "y", metrics[1]))
    ]
    shown = alt.condition("datum.ahead", alt.value(PALETTE[1]), alt.value(PALETTE[0]))
    dots = chart_of(records, width=520, height=360).mark_point(filled=True, size=220, opacity=0.85)
    numbers = chart_of(records).mark_text(fontSize=10, color="#ffffff", fontWeight="bold")
    listed = chart_of(records, width=160, height=360, view=alt.ViewConfig(stroke=None)).mark_text(
        align="left"
    )
    row = alt.Y("number:O", axis=None)
    names = listed.encode(y=row, x=alt.value(0), text="scheme:N", color=shown)
    marks = dots.encode(x=axes[0], y=axes[1], color=shown) + numbers.encode(
        x=axes[0], y=axes[1], text="number:N"
    )
    return marks | names


def _is_ahead(mine: tuple[float, float], values: Mapping[str, tuple[float, float]]) -> bool:
    """Whether no other scheme is better in one and no worse in the other."""
    return not any(other != mine and other[0] <= mine[0] and other[1] <= mine[1] for other in values.values())


def write(drawn: Any, file: Path) -> None:
    """Write a picture."""
    file.write_bytes(picture(finished(drawn)))
