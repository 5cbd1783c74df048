"""Charts of a tuning: how the search went, what was traded, how it was judged, what is around the best."""

from __future__ import annotations

import math
from typing import Any

import altair as alt

from reclaim.charts import PALETTE, AnyChart, Records, chart_of, dots, rows, rule, spans, told_apart
from reclaim.result.sets.metrics import describe
from reclaim.statistics.samples import Sample
from reclaim.study.ablation.plots import round_factors
from reclaim.study.tuning.study import JudgedTrial, Tuned
from reclaim.study.tuning.trials import Trial, sign
from reclaim.study.tuning.words import factor, named

WIDTH = 640
HEIGHT = 260
STEP = 26
"""Pixels of a row."""
SAYS = ("found", "on the front", "fits", "breaks a constraint")
COLOURS = (PALETTE[1], PALETTE[4], PALETTE[0], "#8c959f")
SHAPES = ("diamond", "circle", "circle", "cross")
BESIDE = 0.02
"""Marks of one parameter that are no farther from each other than this share of the axis are one."""
LEAST = 1e-3
"""Log ratios that an axis covers at least."""


def _axis(title: str, values: list[float]) -> tuple[alt.Axis, alt.Scale]:
    """An axis of log ratios, with round factors on it, that shows no difference, too."""
    low, high = min([*values, -LEAST]), max([*values, LEAST])
    margin = 0.05 * (high - low)
    low, high = low - margin, high + margin
    ticks = [math.log(each) for each in round_factors(low, high)]
    axis = alt.Axis(title=title, labelExpr="'×' + format(exp(datum.value), '.3~r')", values=ticks)
    return axis, alt.Scale(domain=[low, high], nice=False)


def _title(metric: str, where: str) -> str:
    return f"{describe(metric).label}, to as it is ({where})"


def _says(trial: Trial, found: Tuned) -> str:
    # By their numbers: what changed nothing was put back in what was found.
    if found.found is not None and trial.number == found.found.number:
        return SAYS[0]
    if not trial.fits:
        return SAYS[3]
    return (
        SAYS[1]
        if trial.number in [each.number for each in found.front] and len(found.prepared.entry.objective) > 1
        else SAYS[2]
    )


def _encoded(records: Records) -> tuple[Any, Any]:
    """Colour and shape of trials, of what is there; what matters most is put last, on top of the others."""
    records.sort(key=lambda each: -SAYS.index(each["says"]))
    shown = [name for name in SAYS if any(each["says"] == name for each in records)]
    places = [SAYS.index(name) for name in shown]
    colour = told_apart(alt.Color, "says", shown, [COLOURS[at] for at in places])
    return colour, told_apart(alt.Shape, "says", shown, [SHAPES[at] for at in places])


def _records(found: Tuned) -> Records:
    """Trials that have figures, the scheme as it is first."""
    return [
        {
            "trial": each.number,
            "says": _says(each, found),
            "set": named(each.values),
            **{
                f"at{number}": each.logs[metric]
                for number, metric in enumerate(found.prepared.entry.objective)
            },
            **{
                f"ratio{number}": factor(each.logs[metric])
                for number, metric in enumerate(found.prepared.entry.objective)
            },
        }
        for each in (found.base, *found.trials)
        if not each.fault
    ]


def progress(found: Tuned) -> AnyChart:
    """Draw every trial by its first objective, and the best so far that keeps the constraints."""
    metric = found.prepared.entry.objective[0]
    records = _records(found)
    side, lead, best = sign(metric), [], math.inf
    for each, trial in zip(records, [t for t in (found.base, *found.trials) if not t.fault], strict=True):
        if trial.fits:
            best = min(best, side * each["at0"])
        if best < math.inf:
            lead.append({"trial": each["trial"], "at0": side * best})
    axis, scale = _axis(_title(metric, "tuned on"), [each["at0"] for each in records])
    colour, shape = _encoded(records)
    x = alt.X("trial:Q", title="trial; 0 is the scheme as it is", axis=alt.Axis(tickMinStep=1, format="d"))
    y = alt.Y("at0:Q", axis=axis, scale=scale)
    tooltip = ["trial:Q", "set:N", "says:N", alt.Tooltip("ratio0:N", title="ratio")]
    marks = dots(records, opacity=0.85, x=x, y=y, color=colour, shape=shape, tooltip=tooltip)
    line = chart_of(lead).mark_line(interpolate="step-after", color="#000000", strokeWidth=1.2)
    return alt.layer(line.encode(x=x, y=alt.Y("at0:Q", scale=scale)), marks, width=WIDTH, height=HEIGHT)


def traded(found: Tuned) -> AnyChart | None:
    """Draw two objectives of every trial against each other, with the front; None of one objective."""
    objectives = found.prepared.entry.objective
    if len(objectives) < 2:
        return None
    records = _records(found)
    axes = [
        _axis(_title(metric, "tuned on"), [each[f"at{number}"] for each in records])
        for number, metric in enumerate(objectives[:2])
    ]
    colour, shape = _encoded(records)
    x, y = (
        kind(f"at{number}:Q", axis=axes[number][0], scale=axes[number][1])
        for number, kind in enumerate((alt.X, alt.Y))
    )
    tooltip = ["trial:Q", "set:N", "ratio0:N", "ratio1:N"]
    marks = dots(records, 70, 0.85, x=x, y=y, color=colour, shape=shape, tooltip=tooltip)
    ahead = [each for each in records if each["says"] in SAYS[:2]]
    line = chart_of(ahead).mark_line(color=PALETTE[4], strokeWidth=1.2, strokeDash=[4, 3])
    zero = (
        rule(0.0, axes[number][1], across=number == 0, color="#000000", strokeWidth=0.8)
        for number in range(2)
    )
    front_only = len(objectives) == 2
    layers = [*zero, *([line.encode(x=x, y=y)] if front_only else []), marks]
    return alt.layer(*layers, width=WIDTH, height=HEIGHT + 80)


def judging(found: Tuned, judged: JudgedTrial) -> AnyChart | None:
    """Draw each objective on every workload that was not tuned on, and on all; None without figures."""
    records: Records = []
    for metric in found.prepared.entry.objective:
        measured = judged.metrics.get(metric)
        if measured is None or measured.sample is None:
            continue
        places = {trace: Sample.of(logs) for trace, logs in measured.by_trace.items()}
        if len(places) > 1:
            places["all of them"] = measured.sample
        records += [_row(metric, place, sample) for place, sample in places.items()]
    if not records:
        return None
    metrics = list(dict.fromkeys(each["metric"] for each in records))
    title = f"to {found.prepared.scheme.name} as it is, where it was judged"
    values = [each[key] for each in records for key in ("at", "low", "high") if each[key] is not None]
    axis, scale = _axis(title, values)
    y = rows("row", [each["row"] for each in records])
    colour = told_apart(alt.Color, "metric", metrics, PALETTE[: len(metrics)])
    x = alt.X("at:Q", axis=axis, scale=scale)
    marks = dots(records, x=x, y=y, color=colour, tooltip=["row:N", "ratio:N"])
    intervals = spans(records, scale, mark={"strokeWidth": 1.6}, y=y, color=colour)
    zero = rule(0.0, scale, color="#000000", strokeDash=[3, 2])
    return alt.layer(zero, *intervals, marks, width=WIDTH - 160, height=STEP * len(records))


def _row(metric: str, place: str, sample: Sample) -> dict[str, Any]:
    span = sample.interval()
    label = describe(metric).label
    low, high = span or (None, None)
    return {
        "row": f"{place}: {label}",
        "metric": label,
        "at": sample.median,
        "low": low,
        "high": high,
        "ratio": factor(sample.median),
    }


def around(found: Tuned) -> AnyChart | None:
    """Draw what the first objective becomes if one parameter is moved; None where nothing was."""
    metric = found.prepared.entry.objective[0]
    records: Records = []
    known = [each for each in found.around if metric in each.logs and not each.trial.fault]
    places = [0.0, *(each.logs[metric] for each in known)]
    near = BESIDE * (max(places) - min(places))
    for each in sorted(known, key=lambda each: each.logs[metric]):
        key, value = f"{each.key} = {each.present or 'left out'}", each.value or "left out"
        twin = next(
            (one for one in records if one["key"] == key and each.logs[metric] - one["at"] <= near), None
        )
        if twin is not None:
            twin["value"] += f", {value}"
            continue
        says = SAYS[2] if each.trial.fits else SAYS[3]
        at = each.logs[metric]
        records.append({"key": key, "value": value, "at": at, "ratio": factor(at), "says": says})
    if not records:
        return None
    reach = {
        each["key"]: max(abs(other["at"]) for other in records if other["key"] == each["key"])
        for each in records
    }
    order = sorted(reach, key=lambda key: -reach[key])
    axis, scale = _axis(
        f"{describe(metric).label} to what was found, where it was tuned", [each["at"] for each in records]
    )
    y = rows("key", order)
    x = alt.X("at:Q", axis=axis, scale=scale)
    colour, shape = _encoded(records)
    tooltip = ["key:N", "value:N", "ratio:N", "says:N"]
    marks = dots(records, opacity=0.9, x=x, y=y, color=colour, shape=shape, tooltip=tooltip)
    # From the dot on to the right: what lies near the left edge would run into the names of the parameters.
    words = (
        chart_of(records).mark_text(align="left", dx=-4, dy=-9, fontSize=9).encode(x=x, y=y, text="value:N")
    )
    zero = rule(0.0, scale, color=COLOURS[0], strokeDash=[4, 3])
    return alt.layer(zero, words, marks, width=WIDTH - 160, height=(STEP + 6) * len(order))
