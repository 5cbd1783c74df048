"""The tornado chart of a study: for each key, how far its alternatives move the ratio."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import altair as alt

from reclaim.charts import AnyChart, chart_of, dots, rows, rule, spans, told_apart
from reclaim.result.sets.metrics import describe
from reclaim.study.sensitivity.conclusion import ComparedNames
from reclaim.study.sensitivity.judging import Key, Status, Variation, state_of
from reclaim.study.sensitivity.phases import Findings

MOST_KEYS = 14
ROW = 22
"""Pixels of a key."""
COLOURS: dict[str, str] = {
    "turns": "#D55E00",
    "leaves open": "#E69F00",
    "holds": "#0072B2",
    "unsteady, or nothing collected": "#8c959f",
    "gives it a direction": "#D55E00",
    "gives it none for sure": "#0072B2",
}
SHAPES = ("circle", "triangle-left", "triangle-right")
"""Of marks of a key that is moved for both, for the baseline alone, for the candidate alone."""


def _group(status: Status, each: Variation, key: Key, side: int) -> str:
    """What a mark says: of a base without a direction, nothing holds and nothing is left open."""
    if status in ("unsteady", "uncollected"):
        return "unsteady, or nothing collected"
    # Of a key that turns it, only the clearest variation was run again.
    turns = key.status == "turns" and each.is_beyond(side)
    if side == 0:
        return "gives it a direction" if turns else "gives it none for sure"
    if turns:
        return "turns"
    return "leaves open" if status == "open" else "holds"


def _records(study: Findings, names: ComparedNames) -> tuple[list[str], list[dict[str, Any]]]:
    """Names of the keys that move the ratio most, and their variations."""
    base = study.base.sample
    ranked: list[tuple[float, Key, list[dict[str, Any]]]] = []
    for key in study.keys:
        found: list[dict[str, Any]] = []
        for each in key.variations:
            sample = each.last.sample if each.last is not None else None
            if sample is None or base is None:
                continue
            status = state_of(each, study.side, study.expected, study.base)
            span = sample.interval() if each.full is not None else None
            found.append(
                {
                    "key": key.name,
                    "says": _group(status, each, key, study.side),
                    "for": names.whose(each.move).removeprefix(" for ") or "both",
                    "value": each.value,
                    "ratio": float(f"{math.exp(sample.median):.5g}"),
                    "low": None if span is None else float(f"{math.exp(span[0]):.5g}"),
                    "high": None if span is None else float(f"{math.exp(span[1]):.5g}"),
                    "shift": abs(sample.median - base.median),
                }
            )
        if found and key.status != "nothing":
            ranked.append((max(each["shift"] for each in found), key, found))
    ranked.sort(key=lambda row: -row[0])
    ranked = ranked[:MOST_KEYS]
    records = [{k: v for k, v in each.items() if k != "shift"} for _, _, found in ranked for each in found]
    return [key.name for _, key, _ in ranked], records


def tornado(names: ComparedNames, study: Findings) -> AnyChart | None:
    """Draw it, the keys that move the ratio most on top; None where nothing could be run."""
    order, records = _records(study, names)
    base = study.base.sample
    if not records or base is None:
        return None
    y = rows("key", order, 240)
    values = [each[name] for each in records for name in ("ratio", "low", "high") if each[name] is not None]
    domain = _domain([*values, math.exp(base.median)])
    title = f"{describe(names.objective).label}: {names.candidate} / {names.baseline} (log scale)"
    x = alt.X("ratio:Q", title=title, scale=alt.Scale(type="log", domain=domain, nice=False))
    shown = [name for name in COLOURS if any(each["says"] == name for each in records)]
    colour = told_apart(alt.Color, "says", shown, [COLOURS[name] for name in shown])
    shape = alt.Shape(
        "for:N",
        title="moved for",
        scale=alt.Scale(
            domain=["both", f"{names.baseline} alone", f"{names.candidate} alone"], range=list(SHAPES)
        ),
        legend=alt.Legend(orient="top"),
    )
    tooltip = ["key:N", "value:N", "for:N", "says:N", alt.Tooltip("ratio:Q", format=".4f")]
    reach = _reach(records, order, math.exp(base.median))
    bars = (
        chart_of(reach)
        .mark_bar(color="#d9dde1", height=12)
        .encode(x=alt.X("low:Q", scale=alt.Scale(type="log", domain=domain, nice=False)), x2="high:Q", y=y)
    )
    intervals = spans(records, mark={"strokeWidth": 1.2}, y=y, color=colour)
    marks = dots(records, 45, 0.9, x=x, y=y, color=colour, shape=shape, tooltip=tooltip)
    lines = [rule(1.0, color="#000000"), rule(math.exp(base.median), color="#0072B2", strokeDash=[4, 3])]
    return alt.layer(bars, *lines, *intervals, marks, width=640, height=ROW * len(order))


def _domain(values: Sequence[float]) -> list[float]:
    """Where the axis begins and ends: all that is drawn, and no difference, with a margin."""
    low, high = min([*values, 1.0]), max([*values, 1.0])
    margin = (high / low) ** 0.05
    return [low / margin, high * margin]


def _reach(records: Sequence[dict[str, Any]], order: Sequence[str], base: float) -> list[dict[str, Any]]:
    """From the lowest to the highest ratio of each key, the base's included."""
    found = []
    for name in order:
        ratios = [each["ratio"] for each in records if each["key"] == name] + [float(f"{base:.5g}")]
        found.append({"key": name, "low": min(ratios), "high": max(ratios)})
    return found
