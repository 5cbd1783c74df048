"""Altair charts of a set: distributions, normalised bars, lines over an axis, what went on over time."""

from __future__ import annotations

import json
from collections.abc import Sequence
from textwrap import wrap
from typing import Any

import altair as alt
import polars as pl

from reclaim.arguments import checks
from reclaim.charts import PALETTE, AnyChart, Records, chart_of, dots, rule, spans
from reclaim.errors import InputError
from reclaim.result.encodings import NOT_FROM_ZERO, from_zero, latency_axis, latency_ticks
from reclaim.result.sets.axis_scale import axis_scale, name_of
from reclaim.result.sets.curves import TICKS, TOP, Curve, curves, pooled, stretched
from reclaim.result.sets.measured import MeasuredSet
from reclaim.result.sets.metrics import Metric, check, describe
from reclaim.result.sets.names import ALL_TRACES
from reclaim.result.sets.selection import Selection, base, select, values
from reclaim.result.table import CLASSES
from reclaim.result.timeline_plots import has_timeline, over_time

PANEL_WIDTH = 430
WIDE = 920
IN_TWO_LINES = f"datum.label == '{ALL_TRACES}' ? split(datum.label, ' ') : datum.label"
MOST_BARS_TRACES = 16
TITLE_LETTERS = 80
"""Of a line above a panel."""
MARGIN = 8
"""How many times the distance between schemes is left free on both sides of a value of an axis."""
PERCENTILE_LABELS = " : ".join(
    [
        f"datum.value < {(stretched(at) + stretched(after)) / 2:.3f} ? '{TICKS[at]}'"
        for at, after in zip(TICKS, list(TICKS)[1:], strict=False)
    ]
    + [f"'{TICKS[99.99]}'"]
)


def scheme_colour(schemes: Sequence[str]) -> alt.Color:
    """A colour for each scheme, the same in every figure of a set."""
    scale = alt.Scale(
        domain=list(schemes), range=[PALETTE[index % len(PALETTE)] for index in range(len(schemes))]
    )
    legend = alt.Legend(title=None, orient="top", labelLimit=300) if len(schemes) > 1 else None
    return alt.Color("scheme:N", scale=scale, legend=legend, sort=list(schemes))


def scheme_width(schemes: Sequence[str]) -> alt.StrokeWidth:
    """Thinner lines for later schemes, which are drawn over earlier ones: where both agree, both are seen."""
    widths = [max(1.2, 3.2 - 0.7 * index) for index in range(len(schemes))] if len(schemes) > 1 else [2.0]
    return alt.StrokeWidth("scheme:O", scale=alt.Scale(domain=list(schemes), range=widths), legend=None)


def _said(chart: AnyChart, setting: Sequence[str]) -> AnyChart:
    """A composed chart with a title that says which of several values of an axis it shows."""
    if not setting:
        return chart
    lines = [line for each in setting for line in wrap(each, TITLE_LETTERS)]
    title = alt.TitleParams(text=lines, anchor="start", fontSize=11, fontWeight="normal")
    return chart.properties(title=title)


@checks
class Plots:
    """Charts of the points of one set, at the first value of every axis; `filter` the set for others."""

    def __init__(self, results: MeasuredSet) -> None:
        self._results = results

    def cdf(self, classes: Sequence[str] = ("read", "write")) -> AnyChart:
        """How many requests were at most this slow, the tail stretched to 99.99 %; all repeats together.

        Raises:
            InputError: if there are no histograms, or no such requests.
        """
        check(classes, CLASSES, "class of requests")
        return cdf(select(self._results), classes)

    def bars(
        self, metrics: Sequence[str] | str | None = None, by: str = "scheme", to: str | None = None
    ) -> AnyChart:
        """Ratios to a scheme for every trace, with 95 % intervals where there are any."""
        chosen = select(self._results, traces=MOST_BARS_TRACES)
        if by != "scheme":
            raise InputError(f'bars are of schemes; for ratios by "{by}" see normalize')
        return bars(chosen, self._named(metrics) or chosen.results.headline(), to)

    def lines(self, axis: str, metrics: Sequence[str] | str | None = None) -> AnyChart:
        """Medians over the values of an axis, all else at its first value, with 95 % intervals."""
        check([axis], self._results.axes, "axis")
        return lines(self._results, axis, self._named(metrics) or self._results.headline())

    def _named(self, metrics: Sequence[str] | str | None) -> list[str]:
        return [] if metrics is None else self._results.metrics(metrics)

    def timeline(self, trace: str | None = None) -> AnyChart:
        """Latency, collection and free space over simulated time, of the first repeat of every scheme.

        Raises:
            InputError: if no timeline was recorded.
        """
        chosen = select(self._results)
        if trace is not None:
            check([trace], values(self._results.points, "trace"), "trace")
        results = chosen.of_trace(trace or chosen.traces[0])
        recorded = [each for each in results if has_timeline(each)]
        if not recorded:
            raise InputError(
                "no timeline was recorded: set timeline = true in [record] and run the sweep again"
            )
        return _said(over_time(recorded), chosen.setting)


def _curve_records(found: dict[str, Curve]) -> tuple[Records, Records]:
    """Points of the curves as far as they are established, and of what is chance beyond."""
    parts: tuple[Records, Records] = ([], [])
    for scheme, curve in found.items():
        for records, part in zip(parts, (curve.sure, curve.chance), strict=True):
            pairs = zip(curve.us[part], curve.heights[part], strict=True)
            records += [{"scheme": scheme, "us": float(f"{us:.5g}"), "y": round(y, 4)} for us, y in pairs]
    return parts


def cdf(chosen: Selection, classes: Sequence[str]) -> AnyChart:
    """A panel for each trace and class."""
    histograms = chosen.results.histograms
    if histograms is None:
        raise InputError(f"{chosen.results.folder}: no histograms.parquet in it")
    requests = pooled(histograms, chosen.results.points)
    colour, width = scheme_colour(chosen.schemes), scheme_width(chosen.schemes)
    panels = []
    of_class = {name: curves(requests, name) for name in classes}
    for trace in chosen.traces:
        for name in classes:
            found = {s: of_class[name][trace, s] for s in chosen.schemes if (trace, s) in of_class[name]}
            if not found:
                continue
            sure, chance = _curve_records(found)
            title = f"{trace}: {name}s" if len(chosen.traces) > 1 else f"{name}s"
            ticks = latency_ticks([each["us"] for each in sure + chance])
            top = max(2.1, min(TOP, 0.1 + max(each["y"] for each in sure + chance)))
            height = alt.Y(
                "y:Q",
                title="percentile of requests",
                scale=alt.Scale(domain=[0, top], nice=False),
                axis=alt.Axis(
                    values=[at for at in map(stretched, TICKS) if at <= top], labelExpr=PERCENTILE_LABELS
                ),
            )
            latency = alt.X(
                "us:Q",
                title="latency (log scale)",
                scale=alt.Scale(type="log", nice=False),
                axis=latency_axis(ticks),
            )
            tooltip = [alt.Tooltip("scheme:N"), alt.Tooltip("us:Q", title="µs", format=".4~s")]
            parts = [
                chart_of(records)
                .mark_line(interpolate="step-after", clip=True, strokeDash=dash, opacity=opacity)
                .encode(x=latency, y=height, color=colour, strokeWidth=width, tooltip=tooltip)
                for records, dash, opacity in ((sure, [1, 0], 1.0), (chance, [3, 3], 0.7))
                if records
            ]
            panels.append(alt.layer(*parts, title=title, width=PANEL_WIDTH, height=260))
    if not panels:
        raise InputError(f"no requests of class {' or '.join(classes)} in these points")
    return _said(alt.concat(*panels, columns=2), chosen.setting)


def _bar_records(chosen: Selection, metric: str, to: str | None) -> Records:
    results = chosen.results
    frames = [results.normalize(baseline=to, metrics=metric)]
    if len(chosen.traces) > 1:
        mean = results.normalize(baseline=to, metrics=metric, over="trace")
        frames.append(mean.with_columns(pl.lit(ALL_TRACES).alias("trace")).select(frames[0].columns))
    return [
        {
            key: row[key] if key in ("trace", "scheme") else _short(row[key])
            for key in ("trace", "scheme", "value", "low", "high")
        }
        for row in pl.concat(frames).iter_rows(named=True)
        if row["value"] is not None
    ]


def _short(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.5g}")


def bars(chosen: Selection, metrics: Sequence[str], to: str | None = None) -> AnyChart:
    """A panel for each metric, traces along it, a bar for each scheme."""
    against = to or values(chosen.results.points, "scheme")[0]
    colour = scheme_colour(chosen.schemes)
    places = [*chosen.traces, *([ALL_TRACES] if len(chosen.traces) > 1 else [])]
    short = len(places) <= 5 and max(map(len, places)) <= len(ALL_TRACES)
    panels = []
    for name in metrics:
        records = _bar_records(chosen, name, to)
        metric = describe(name)
        offset = alt.XOffset("scheme:N", sort=chosen.schemes, scale=alt.Scale(domain=chosen.schemes))
        axis = alt.Axis(labelAngle=0 if short else -35, labelLimit=130, ticks=False, labelExpr=IN_TWO_LINES)
        x = alt.X("trace:N", title=None, sort=places, axis=axis)
        y_title = f"ratio to {against}"
        tooltip = [
            alt.Tooltip("trace:N"),
            alt.Tooltip("scheme:N"),
            *(
                alt.Tooltip(f"{key}:Q", title=title, format=".4f")
                for key, title in (("value", "ratio"), ("low", "from"), ("high", "to"))
            ),
        ]
        bar = (
            chart_of(records)
            .mark_bar()
            .encode(
                x=x,
                xOffset=offset,
                y=alt.Y("value:Q", title=y_title, scale=alt.Scale(zero=True)),
                color=colour,
                tooltip=tooltip,
            )
        )
        black = {"strokeWidth": 1.4, "color": "#000000"}
        span = spans(records, across=False, mark=black, x=x, xOffset=offset, tooltip=tooltip)
        one = rule(1, across=False, strokeDash=[3, 3], color="#8c959f")
        better = "more is better" if metric.more_is_better else "less is better"
        parts = [bar, *span, one]
        panels.append(alt.layer(*parts, title=f"{metric.label} ({better})", width=PANEL_WIDTH, height=190))
    return _said(alt.concat(*panels, columns=2), chosen.setting)


def lines(results: MeasuredSet, axis: str, metrics: Sequence[str], traces: int = 2) -> AnyChart:
    """A panel for each metric and trace, the values of the axis along it, a line for each scheme."""
    along, setting = base(results, axis)
    schemes = values(along.points, "scheme")[: len(PALETTE)]
    shown = values(along.points, "trace")[:traces]
    order = values(along.points, axis)
    scale_of = axis_scale(order)
    found = along.intervals(list(metrics)).filter(pl.col("scheme").is_in(schemes))
    panels = []
    for name in metrics:
        metric = describe(name)
        scale = 1000 if metric.kind == "time" else 1
        for trace in shown:
            rows = found.filter((pl.col("trace") == trace) & (pl.col("metric") == name)).drop_nulls("value")
            records = [
                {
                    "at": row[axis],
                    "number": scale_of.at[row[axis]] if scale_of else None,
                    "scheme": row["scheme"],
                    **{
                        key: None if row[key] is None else _short(row[key] / scale)
                        for key in ("value", "low", "high")
                    },
                }
                for row in rows.iter_rows(named=True)
            ]
            if records:
                title = f"{trace}: {metric.label}" if len(shown) > 1 else metric.label
                panels.append(_line_panel(records, axis, order, metric, schemes).properties(title=title))
    if not panels:
        raise InputError(f'nothing was measured along axis "{axis}"')
    return _said(alt.concat(*panels, columns=2), setting)


def _place(axis: str, order: Sequence[str], schemes: Sequence[str]) -> dict[str, Any]:
    """Where a point lies along an axis: at its number, or beside others at the name of its value."""
    scale = axis_scale(order)
    if scale is not None:
        label = " : ".join(f"datum.value == {at!r} ? {json.dumps(text)}" for text, at in scale.at.items())
        ticks = alt.Axis(
            values=list(scale.at.values()), labelExpr=f"{label} : ''", labelOverlap=True, grid=False
        )
        kind = alt.Scale(type="log" if scale.logarithmic else "linear", zero=False, nice=False, padding=14)
        return {"x": alt.X("number:Q", title=scale.title(name_of(axis)), scale=kind, axis=ticks)}
    x = alt.X("at:N", title=name_of(axis), sort=list(order), axis=alt.Axis(labelAngle=0, labelLimit=120))
    # Side by side, so that intervals at the same place are told apart.
    margin = range(MARGIN)
    domain = [*(f"left {each}" for each in margin), *schemes, *(f"right {each}" for each in margin)]
    return {"x": x, "xOffset": alt.XOffset("scheme:N", scale=alt.Scale(domain=domain))}


def _line_panel(
    records: Records, axis: str, order: Sequence[str], metric: Metric, schemes: Sequence[str]
) -> AnyChart:
    colour = scheme_colour(schemes)
    place = _place(axis, order, schemes)
    time = metric.kind == "time"
    axis_of_times = latency_axis([]) if time else alt.Axis()
    if time:
        axis_of_times.values = alt.Undefined
    drawn = [each[key] for each in records for key in ("value", "low", "high") if each[key] is not None]
    zero = from_zero(drawn)
    scale = alt.Scale(zero=True) if zero else alt.Scale(zero=False, padding=8)
    y = alt.Y("value:Q", title=None if zero else NOT_FROM_ZERO, scale=scale, axis=axis_of_times)
    unit = " (µs)" if time else ""
    tooltip = [
        alt.Tooltip("at:N", title=name_of(axis)),
        alt.Tooltip("scheme:N"),
        alt.Tooltip("value:Q", title=f"median{unit}", format=".5~g"),
        alt.Tooltip("low:Q", title="from", format=".5~g"),
        alt.Tooltip("high:Q", title="to", format=".5~g"),
    ]
    line = chart_of(records).mark_line().encode(**place, y=y, color=colour, strokeWidth=scheme_width(schemes))
    medians = dots(records, 40, **place, y=y, color=colour, tooltip=tooltip)
    width = {"strokeWidth": 1.4}
    span = spans(records, across=False, mark=width, **place, color=colour, tooltip=tooltip)
    return alt.layer(line, medians, *span, width=PANEL_WIDTH, height=200)
