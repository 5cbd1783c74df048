"""The figures of a report, as Altair charts with their data inside."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import altair as alt

from reclaim.charts import AnyChart, Records, chart_of, finished
from reclaim.result.encodings import (
    FULL_WIDTH,
    NOT_FROM_ZERO,
    from_zero,
    latency_axis,
    latency_ticks,
    scheme_colour,
)
from reclaim.result.network_plots import (
    has_network,
    has_reservations,
    link_map,
    reservations,
    way_lengths,
)
from reclaim.result.reported import Reported
from reclaim.result.table import BREAKDOWN
from reclaim.result.timeline_plots import has_timeline, over_time

PARTS = ["#7F7F7F", "#B0305C", "#EFD87A", "#86BCB6", "#6F4E37", "#DDDDDD"]
"""Colours of the parts of `BREAKDOWN`: none is that of a scheme."""
PANEL_WIDTH = 430
TAIL_FLOOR = 1e-5
LEFT_OF_FASTEST = 0.9
SLOWER_THAN = (
    "datum.value >= 0.5 ? '50 %' : datum.value >= 0.09 ? '90 %' : datum.value >= 0.009 ? '99 %' : "
    "datum.value >= 0.0009 ? '99.9 %' : datum.value >= 0.00009 ? '99.99 %' : '99.999 %'"
)


def _latency(records: Records) -> alt.X:
    """Logarithmic axis of latency, labelled with units."""
    axis = latency_axis(latency_ticks([each["us"] for each in records]))
    return alt.X("us:Q", title="latency (log scale)", scale=alt.Scale(type="log", nice=False), axis=axis)


def _cdf_records(results: Sequence[Reported], name: str) -> Records:
    """Points of the distributions.

    Requests answered without touching flash take no time, which a logarithmic axis cannot show: they stand
    at its left end, a little before the fastest of the others, where every line starts.
    """
    cdfs = {result.label: result.to_dict()["latency_cdf"][name] for result in results}
    positive = [latency for points in cdfs.values() for latency, _ in points if latency > 0]
    start = LEFT_OF_FASTEST * min(positive, default=1)
    records = []
    for label, points in cdfs.items():
        at_once = max((fraction for latency, fraction in points if latency == 0), default=0.0)
        shown = [(start, at_once), *(point for point in points if point[0] > 0)]
        records += [
            {"scheme": label, "us": latency / 1000, "fraction": fraction, "slower": max(1 - fraction, 0.0)}
            for latency, fraction in shown
        ]
    return records


def _panels(results: Sequence[Reported]) -> list[str]:
    """Request classes worth a panel."""
    data = [result.to_dict()["requests"] for result in results]
    return [name for name in ("read", "write") if any(each[name]["count"] for each in data)]


def latency_cdf(results: Sequence[Reported]) -> AnyChart:
    """How many requests were at most this slow: one line per scheme, one panel per class."""
    height = alt.Y("fraction:Q", title="share of requests at most this slow", axis=alt.Axis(format="%"))
    panels = ((f"{name}s", _cdf_records(results, name)) for name in _panels(results))
    return _distributions(results, panels, height, alt.Tooltip("fraction:Q", format=".4%"))


def latency_tail(results: Sequence[Reported]) -> AnyChart:
    """The same, magnified towards the slowest requests: percentiles on a logarithmic axis."""
    height = alt.Y(
        "slower:Q",
        title="percentile of requests",
        scale=alt.Scale(type="log", domain=[1, TAIL_FLOOR]),
        axis=alt.Axis(values=[0.5, 0.1, 0.01, 0.001, 0.0001, 0.00001], labelExpr=SLOWER_THAN),
    )
    # A curve ends at the floor, not above it: one that falls straight through it would not be seen.
    panels = (
        (
            f"{name}s, tail",
            [each | {"slower": max(each["slower"], TAIL_FLOOR)} for each in _cdf_records(results, name)],
        )
        for name in _panels(results)
    )
    return _distributions(results, panels, height, alt.Tooltip("slower:Q", format=".3%"))


def _distributions(
    results: Sequence[Reported], panels: Iterable[tuple[str, Records]], height: alt.Y, told: alt.Tooltip
) -> AnyChart:
    tooltip = [alt.Tooltip("scheme:N"), alt.Tooltip("us:Q", format=".4s"), told]
    return alt.hconcat(
        *(
            chart_of(records, title=title, width=PANEL_WIDTH, height=280)
            .mark_line(interpolate="step-after", clip=True)
            .encode(x=_latency(records), y=height, color=scheme_colour(results), tooltip=tooltip)
            for title, records in panels
        )
    )


def timed_classes(results: Sequence[Reported]) -> list[str]:
    """Classes of requests that took any time in the mean: writes that the buffer answers often take none."""
    return [
        name
        for name in _panels(results)
        if any(result.to_dict()["requests"][name]["mean_ns"] for result in results)
    ]


def time_spent(results: Sequence[Reported]) -> AnyChart:
    """Where the mean request spent its time."""
    names = [label for label, _ in BREAKDOWN]
    panels = []
    for name in timed_classes(results):
        records = [
            {"scheme": result.label, "part": label, "us": part[key] / 1000, "order": order}
            for result in results
            for part in [result.to_dict()["requests"][name]["breakdown"]]
            for order, (label, key) in enumerate(BREAKDOWN)
        ]
        chart = chart_of(records, title=f"{name}s", width=FULL_WIDTH - 120, height=alt.Step(26))
        panels.append(
            chart.mark_bar().encode(
                x=alt.X("us:Q", title="mean time per request (µs)", stack=True, axis=alt.Axis(tickCount=8)),
                y=alt.Y("scheme:N", title=None, sort=None, axis=alt.Axis(labelLimit=160)),
                color=alt.Color(
                    "part:N",
                    sort=names,
                    scale=alt.Scale(domain=names, range=PARTS),
                    legend=alt.Legend(title=None, orient="top"),
                ),
                order=alt.Order("order:Q"),
                tooltip=[
                    alt.Tooltip("scheme:N"),
                    alt.Tooltip("part:N"),
                    alt.Tooltip("us:Q", format=".4s", title="µs"),
                ],
            )
        )
    return alt.vconcat(*panels)


def _with_first_twice(values: list[float | None]) -> list[float | None]:
    """A step line needs a point where its first step begins."""
    return [*values[:1], *values]


def write_amplification(results: Sequence[Reported]) -> AnyChart:
    """Write amplification while it was measured; dashed: over all of that.

    In bytes; in pages where one of the results is too old to have bytes.
    """
    in_bytes = all("nand_write_amplification" in result.to_dict()["windows"] for result in results)
    key, unit = ("nand_write_amplification", "bytes") if in_bytes else ("write_amplification", "pages")
    windows = []
    for result in results:
        data = result.to_dict()
        ends = [0, *data["windows"]["host_pages"]]
        values = _with_first_twice(data["windows"][key])
        windows += [
            {"scheme": result.label, "capacities": end / data["facts"]["logical_pages"], "wa": value}
            for end, value in zip(ends, values, strict=False)
            if value is not None
        ]
    totals = [
        {"scheme": result.label, "wa": total}
        for result in results
        if (total := getattr(result, key)) is not None
    ]
    zero = from_zero([each["wa"] for each in windows + totals])
    title = [f"write amplification ({unit})", *([] if zero else [NOT_FROM_ZERO])]
    amplification = alt.Y("wa:Q", title=title, scale=alt.Scale(zero=zero))
    lines = chart_of(windows, width=FULL_WIDTH - 60, height=220).mark_line(interpolate="step-before")
    lines = lines.encode(
        x=alt.X(
            "capacities:Q",
            title="drive capacities written by the host",
            axis=alt.Axis(format=".4~f"),
            scale=alt.Scale(zero=True),
        ),
        y=amplification,
        color=scheme_colour(results),
        tooltip=[alt.Tooltip("scheme:N"), alt.Tooltip("capacities:Q"), alt.Tooltip("wa:Q", format=".4f")],
    )
    means = (
        chart_of(totals).mark_rule(strokeDash=[4, 3]).encode(y=amplification, color=scheme_colour(results))
    )
    return lines + means


def utilisation(results: Sequence[Reported]) -> AnyChart:
    """Utilisation of every die and every channel."""
    panels = []
    for key, unit in (("per_die", "die"), ("per_channel", "channel")):
        records = [
            {"scheme": result.label, "unit": index, "busy": value}
            for result in results
            for index, value in enumerate(result.to_dict()["utilisation"][key])
        ]
        highest = max((each["busy"] for each in records), default=1.0) or 1.0
        chart = chart_of(records, title=f"{unit}s", width=FULL_WIDTH - 180, height=alt.Step(26))
        panels.append(
            chart.mark_rect(stroke="white", strokeWidth=0.5).encode(
                x=alt.X(
                    "unit:O",
                    title=f"{unit} number",
                    axis=alt.Axis(labelAngle=0, labelOverlap=True, labelSeparation=6),
                ),
                y=alt.Y("scheme:N", title=None, sort=None, axis=alt.Axis(labelLimit=160)),
                color=alt.Color(
                    "busy:Q",
                    scale=alt.Scale(scheme="viridis", domain=[0, highest]),
                    legend=alt.Legend(title="utilisation", format=".0%", gradientLength=90),
                ),
                tooltip=[alt.Tooltip("scheme:N"), alt.Tooltip("unit:O"), alt.Tooltip("busy:Q", format=".1%")],
            )
        )
    return alt.vconcat(*panels).resolve_scale(color="independent")


def wear(results: Sequence[Reported]) -> AnyChart:
    """Blocks by their erases; below, from fewest to most, with one standard deviation around the mean."""
    ranges = _range_of_erases(results)
    shares = [each for result in results for each in _shares_of_erases(result)]
    if not shares:
        # An earlier version has counted no blocks.
        return ranges
    curve = chart_of(shares, width=FULL_WIDTH - 120, height=220).encode(
        x=alt.X("erases:Q", title="erases per block", scale=alt.Scale(zero=False, nice=False)),
        y=alt.Y("share:Q", title="share of blocks with so many", axis=alt.Axis(format=".3~%"), stack=None),
        color=scheme_colour(results),
    )
    filled = curve.mark_area(interpolate="step-after", opacity=0.25)
    drawn = alt.vconcat(filled + curve.mark_line(interpolate="step-after"), ranges)
    return drawn.resolve_scale(x="shared")


def _shares_of_erases(result: Reported) -> Records:
    """Edges of a histogram: a block of n erases lies between n - 1/2 and n + 1/2."""
    each = result.to_dict()["wear"]
    blocks, step = each.get("histogram", []), each.get("histogram_step", 1)
    first, total = each["min_erases"] - 0.5, sum(blocks)
    heights = enumerate([0, *blocks, 0] if blocks else [], -1)
    return [
        {"scheme": result.label, "erases": first + max(place, 0) * step, "share": count / step / total}
        for place, count in heights
    ]


def _range_of_erases(results: Sequence[Reported]) -> AnyChart:
    records = []
    for result in results:
        each = result.to_dict()["wear"]
        spread, mean = each["stddev_erases"], each["mean_erases"]
        times = f", {each['max_erases'] / mean:.2f} × mean" if mean else ""
        records.append(
            {
                "scheme": result.label,
                "fewest": each["min_erases"],
                "most": each["max_erases"],
                "mean": mean,
                "low": max(mean - spread, each["min_erases"]),
                "high": min(mean + spread, each["max_erases"]),
                "worst": f"{each['max_erases']}{times}",
            }
        )
    base = chart_of(records, width=FULL_WIDTH - 120, height=alt.Step(40)).encode(
        y=alt.Y("scheme:N", title=None, sort=None, axis=alt.Axis(labelLimit=160)),
        color=scheme_colour(results),
        tooltip=[
            alt.Tooltip("scheme:N"),
            alt.Tooltip("fewest:Q"),
            alt.Tooltip("mean:Q", format=".2f"),
            alt.Tooltip("worst:N"),
        ],
    )
    fewest = alt.X("fewest:Q", title="erases per block", scale=alt.Scale(zero=False))
    span = base.mark_rule().encode(x=fewest, x2=alt.X2("most:Q"))
    spread = base.mark_bar(opacity=0.5, size=12).encode(x=alt.X("low:Q"), x2=alt.X2("high:Q"))
    mean = base.mark_tick(thickness=3, size=18).encode(x=alt.X("mean:Q"))
    worst = base.mark_text(align="right", dy=-9).encode(x=alt.X("most:Q"), text=alt.Text("worst:N"))
    return span + spread + mean + worst


def _ages(result: Reported) -> list[dict[str, Any]]:
    """What was measured at each age of a drive that was worn out; nothing of other runs."""
    windows = result.to_dict()["config"]["measure"].get("windows") or {}
    return result.to_dict()["measure"]["windows"] if windows.get("until") == "worn" else []


LIFE: dict[str, tuple[str, float]] = {
    "write_amplification": ("write amplification (pages)", 1),
    "read_p99_9_ns": ("p99.9 of reads (ms)", 1e6),
    "write_p99_9_ns": ("p99.9 of writes (ms)", 1e6),
    "failed_blocks": ("failed blocks", 1),
}
"""Of a window, what is drawn over the life of the drive, with its title and what it is divided by."""


def life(results: Sequence[Reported]) -> AnyChart:
    """Write amplification, tails and failed blocks over what the host has written."""
    panels = []
    written = alt.X("tb:Q", title="written by the host (TB)", axis=alt.Axis(format=".4~g"))
    for key, (title, by) in LIFE.items():
        records = [
            {"scheme": result.label, "tb": window["host_bytes_before"] / 1e12, "value": window[key] / by}
            for result in results
            for window in _ages(result)
            if window[key] is not None
        ]
        if not records:
            continue
        panel = chart_of(records, width=PANEL_WIDTH - 140, height=150).mark_line(point=True)
        panels.append(
            panel.encode(
                x=written,
                y=alt.Y("value:Q", title=title),
                color=scheme_colour(results),
                tooltip=[alt.Tooltip("scheme:N"), alt.Tooltip("tb:Q"), alt.Tooltip("value:Q", format=".5~g")],
            )
        )
    return alt.concat(*panels, columns=2)


FIGURES = {
    "latency_tail": (
        latency_tail,
        "Tail latency",
        "The slowest requests: read across from 99 % to the latency that one request in a hundred exceeds.",
    ),
    "time_spent": (
        time_spent,
        "Where the time went",
        "Mean time of a request, by what it was waiting for or being served by.",
    ),
    "latency_cdf": (
        latency_cdf,
        "Latency",
        "One line per scheme; up and to the left is better. What took no time is at the left edge.",
    ),
    "over_time": (
        over_time,
        "Over simulated time",
        "What the drive did while requests were slow, in up to 512 intervals of equal length.",
    ),
    "write_amplification": (
        write_amplification,
        "Write amplification over the run",
        "Bytes programmed per byte the host wrote, in equal windows, the last of what is left; dashed: all.",
    ),
    "life": (
        life,
        "The life of the drive",
        "What measured plays of the trace were like, from a new drive to one that is worn out.",
    ),
    "utilisation": (
        utilisation,
        "Dies and channels",
        "Utilisation: the share of the run in which each worked; uneven colours mean imbalance.",
    ),
    "network": (
        link_map,
        "The network",
        "Each link by the share of the time for which it was in use; squares are routers, numbers are chips.",
    ),
    "way_lengths": (
        way_lengths,
        "Lengths of ways",
        "Of every hundred transfers, how many took a way of so many links; detours make ways longer.",
    ),
    "reservations": (
        reservations,
        "Who has which link",
        "The slider goes through the first reservations recorded; it begins where most links are in use.",
    ),
    "wear": (
        wear,
        "Wear",
        "Of all blocks, warm-up included. Below: fewest to most; bar: mean ± standard deviation; tick: mean.",
    ),
}
"""Name, function, title and caption of every figure, in reading order."""
OF_SOME_RUNS = ("network", "way_lengths", "reservations", "life")
"""Those that only runs with a network of routers have, or until the drive is worn out."""


def _has_life(results: Sequence[Reported]) -> bool:
    return any(map(_ages, results))


def _has_windows(results: Sequence[Reported]) -> bool:
    return any(result.to_dict()["windows"]["host_pages"] for result in results)


NEEDS: dict[str, Callable[[Sequence[Reported]], bool]] = {
    "latency_cdf": lambda results: bool(_panels(results)),
    "latency_tail": lambda results: bool(_panels(results)),
    "time_spent": lambda results: bool(timed_classes(results)),
    "over_time": lambda results: any(map(has_timeline, results)),
    "network": lambda results: any(map(has_network, results)),
    "way_lengths": lambda results: any(map(has_network, results)),
    "reservations": lambda results: any(map(has_reservations, results)),
    "write_amplification": _has_windows,
    "life": _has_life,
}
"""What runs must have for a figure to show anything; other figures always do."""


def has_something(name: str, results: Sequence[Reported]) -> bool:
    """Whether a figure has anything to show of these runs."""
    return name not in NEEDS or NEEDS[name](results)


def figures(results: Sequence[Reported]) -> dict[str, dict[str, Any]]:
    """Vega-Lite specifications of all figures that have something to show."""
    specs: dict[str, dict[str, Any]] = {}
    for name, (draw, _, _) in FIGURES.items():
        if not has_something(name, results):
            continue
        specs[name] = finished(draw(results))
    return specs
