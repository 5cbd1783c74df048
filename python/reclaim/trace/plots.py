"""The figures of a trace, as Altair charts with their data inside."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import altair as alt

from reclaim.charts import PALETTE, AnyChart, Records, chart_of, finished, in_units
from reclaim.units import SIZES, TIMES

Values = Mapping[str, Any]
Figure = tuple[Callable[[Values, Values], AnyChart | None], str, str]

PANEL_WIDTH = 400
FULL_WIDTH = 840
HEIGHT = 240
MIB = 1 << 20
COLOURS = {
    "reads": PALETTE[0],
    "writes": PALETTE[1],
    "trims": PALETTE[2],
    "flushes": PALETTE[3],
    "overwritten": PALETTE[1],
    "overwritten or trimmed": PALETTE[0],
}
LONG_TIMES = ((86400e9, "d"), (3600e9, "h"), (60e9, "min"), *TIMES)
TIME_TICKS = [*(10.0**power for power in range(11)), 6e10, 6e11, 3.6e12, 3.6e13, 8.64e13, 8.64e14]
DAYS = ((86400.0 * 2, 86400.0, "days"), (3600.0 * 2, 3600.0, "h"), (600.0, 60.0, "min"))
COUNTED = ("reads", "writes", "trims", "flushes")
KINDS = (("read", "reads"), ("write", "writes"), ("trim", "trims"))


def _colour(names: list[str], title: str | None = None) -> alt.Color:
    scale = alt.Scale(domain=names, range=[COLOURS[name] for name in names])
    legend = alt.Legend(title=title, orient="top") if len(names) > 1 else None
    return alt.Color("kind:N", scale=scale, legend=legend, sort=names)


def _share(title: str) -> alt.Y:
    return alt.Y("share:Q", title=title, scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(format="%"))


def _byte_axis(title: str, low: float, high: float) -> alt.X:
    """Logarithmic axis of bytes, with a tick at every second power of two at most."""
    exponents = range(9, 63)
    ticks = [2.0**k for k in exponents if low / 2 <= 2.0**k <= high * 2]
    while len(ticks) > 9:
        ticks = ticks[::2]
    return alt.X(
        "x:Q",
        title=title,
        scale=alt.Scale(type="log", base=2, domain=[low, high], nice=False),
        axis=alt.Axis(values=ticks, labelExpr=in_units(SIZES), labelOverlap=True),
    )


def _time_axis(title: str, low: float, high: float) -> alt.X:
    ticks = [tick for tick in TIME_TICKS if low / 10 <= tick <= high * 10]
    return alt.X(
        "x:Q",
        title=title,
        scale=alt.Scale(type="log", domain=[low, high], nice=False),
        axis=alt.Axis(values=ticks, labelExpr=in_units(LONG_TIMES), labelOverlap=True),
    )


def _steps(kind: str, points: list[tuple[float, int]], start: float) -> Records:
    """Cumulative shares of (value, count), from `start` where nothing is reached yet."""
    total = sum(count for _, count in points)
    records: Records = [{"kind": kind, "x": start, "share": 0.0}]
    below = 0
    for value, count in points:
        below += count
        records.append({"kind": kind, "x": max(value, start), "share": below / total})
    return records


def _thinned(records: Records) -> Records:
    """Leave out points that lie within half a percent of the one before, but never the ends."""
    kept: Records = []
    for index, record in enumerate(records):
        ends = index in (0, 1, len(records) - 1)
        if ends or record["share"] - kept[-1]["share"] >= 0.002:
            kept.append(record)
    return kept


def _lines(records: Records, x: alt.X, y: alt.Y, names: list[str], **properties: Any) -> AnyChart:
    top = max(record["x"] for record in records)
    # Every line goes on at 100 % to the right edge.
    ends = [{"kind": name, "x": top, "share": 1.0} for name in names]
    chart = chart_of(records + ends, **properties)
    return chart.mark_line(interpolate="step-after", clip=True).encode(x=x, y=y, color=_colour(names))


def sizes(of: Values, _picture: Values) -> AnyChart | None:
    """Sizes of requests: shares of the requests, and of the bytes they move."""
    kinds = [(key, name) for key, name in KINDS if of["sizes"][key]["count"]]
    transfers = [(key, name) for key, name in kinds if key != "trim"] or kinds
    if not kinds:
        return None
    panels = []
    for title, weighted in (("of the requests", False), ("of the bytes", True)):
        counts = {name: of["sizes"][key]["counts"] for key, name in transfers}
        low = min(size for each in counts.values() for size, _ in each) / 2
        high = max(size for each in counts.values() for size, _ in each) * 2
        records = [
            record
            for name, each in counts.items()
            for record in _thinned(
                _steps(name, [(size, count * size if weighted else count) for size, count in each], low)
            )
        ]
        for record in records:
            record["x"] = min(record["x"], high)
        x = _byte_axis("size of a request (log scale)", low, high)
        names = [name for _, name in transfers]
        chart = _lines(records, x, _share(f"share {title}"), names, width=PANEL_WIDTH, height=HEIGHT)
        panels.append(chart.properties(title=f"share {title} up to this size"))
    return alt.hconcat(*panels)


def _time_of(picture: Values) -> tuple[float, str]:
    """Nanoseconds of the unit in which the time axis counts, and its name."""
    seconds = picture["time_bin_ns"] * len(picture["timeline"]) / 1e9
    for least, unit, name in DAYS:
        if seconds >= least:
            return unit * 1e9, name
    return (1e9, "s") if seconds >= 0.5 else (1e6, "ms") if seconds >= 5e-4 else (1e3, "µs")


def _time_x(picture: Values, name: str, *, title: bool = True) -> alt.X:
    unit, unit_name = _time_of(picture)
    end = picture["time_bin_ns"] * len(picture["timeline"]) / unit
    return alt.X(
        f"{name}:Q",
        title=f"time ({unit_name})" if title else None,
        scale=alt.Scale(domain=[0, end], nice=False),
        axis=alt.Axis(format="~r", grid=False),
    )


def arrivals(_of: Values, picture: Values) -> AnyChart | None:
    """Requests and bytes per second over time."""
    unit, _ = _time_of(picture)
    width = picture["time_bin_ns"]
    names = [name for name in COUNTED if any(each[name] for each in picture["timeline"])]
    bytes_of = {"reads": "read_bytes", "writes": "write_bytes"}
    panels = []
    for keys, per, title in (({name: name for name in names}, 1, "requests / s"), (bytes_of, MIB, "MiB / s")):
        records = [
            {
                "kind": name,
                "order": COUNTED.index(name),
                "begin": index * width / unit,
                "end": (index + 1) * width / unit,
                "rate": each[key] / per * 1e9 / width,
            }
            for index, each in enumerate(picture["timeline"])
            for name, key in keys.items()
            if each[key]
        ]
        if records:
            chart = chart_of(records, width=FULL_WIDTH, height=130).mark_rect()
            stacked = chart.transform_stack(
                stack="rate", as_=["low", "high"], groupby=["begin"], sort=[alt.SortField("order")]
            )
            panels.append(
                stacked.encode(
                    x=_time_x(picture, "begin"),
                    x2="end:Q",
                    y=alt.Y("low:Q", title=title, axis=alt.Axis(format=",~r", tickCount=5)),
                    y2="high:Q",
                    color=_colour(names),
                )
            )
    return alt.vconcat(*panels)


def heat_map(_of: Values, picture: Values) -> AnyChart | None:
    """Where was read and written when."""
    unit, _ = _time_of(picture)
    width, height = picture["time_bin_ns"], picture["address_bin_bytes"]
    first = picture["first_address_bytes"]
    rows = 1 + max((cell[1] for key in ("read", "write") for cell in picture[key]), default=0)
    top = first + rows * height
    scale, name = next((size, name) for size, name in SIZES if top >= 2 * size or name == "KiB")
    most = max((cell[2] for key in ("read", "write") for cell in picture[key]), default=1)
    panels = []
    for key, title in (("read", "reads"), ("write", "writes")):
        records = [
            {
                "begin": time * width / unit,
                "end": (time + 1) * width / unit,
                "low": (first + address * height) / scale,
                "high": (first + (address + 1) * height) / scale,
                "rate": amount / MIB * 1e9 / width,
            }
            for time, address, amount in picture[key]
        ]
        if not records:
            continue
        peak = most / MIB * 1e9 / width
        chart = chart_of(records, title=title, width=FULL_WIDTH - 70, height=220).mark_rect()
        panels.append(
            chart.encode(
                x=_time_x(picture, "begin"),
                x2="end:Q",
                y=alt.Y(
                    "low:Q",
                    title=f"address ({name})",
                    scale=alt.Scale(domain=[first / scale, top / scale], nice=False),
                    axis=alt.Axis(format="~r", grid=False),
                ),
                y2="high:Q",
                color=alt.Color(
                    "rate:Q",
                    scale=alt.Scale(
                        type="log", scheme="viridis", domain=[peak / 10_000, peak], reverse=True, clamp=True
                    ),
                    legend=alt.Legend(title="MiB / s", format=".3~r", gradientLength=150, tickCount=5),
                ),
            )
        )
    return alt.vconcat(*panels) if panels else None


def interarrival(of: Values, _picture: Values) -> AnyChart | None:
    """Gaps between arrivals."""
    found = of["arrivals"]["interarrival_ns"]
    if not found["count"] or not found["max"]:
        return None
    points = [(min(to, found["max"]), count) for _, to, count in found["buckets"]]
    low = max(min(value for value, _ in points if value > 0) * 0.8, 1.0)
    records = _thinned(_steps("reads", points, low))
    x = _time_axis("gap between arrivals (log scale)", low, max(found["max"] * 1.1, low * 10))
    y = _share("share of gaps up to this long")
    return _lines(records, x, y, ["reads"], width=FULL_WIDTH, height=HEIGHT)


def lifetimes(of: Values, _picture: Values) -> AnyChart | None:
    """How long written data stays, in data written meanwhile and in time."""
    unit = of["options"]["unit_bytes"]
    names = {"update_interval": "overwritten", "lifetime": "overwritten or trimmed"}
    if (
        not of["lifetimes"]["lifetime_units"]["count"]
        and not of["lifetimes"]["update_interval_units"]["count"]
    ):
        return None
    panels = []
    for clock, factor, title in (
        ("units", unit, "data written by the trace meanwhile (log scale)"),
        ("ns", 1, "time (log scale)"),
    ):
        records: Records = []
        shown = [key for key in names if of["lifetimes"][f"{key}_{clock}"]["count"]]
        of_all = [of["lifetimes"][f"{key}_{clock}"] for key in shown]
        low = max(min(each["percentiles"]["p1"] for each in of_all) * factor / 4, 64.0)
        high = max(max(each["max"] for each in of_all) * factor, low * 10)
        for key, each in zip(shown, of_all, strict=True):
            points = [(min(to, each["max"]) * factor, count) for _, to, count in each["buckets"]]
            records += _thinned(_steps(names[key], points, low))
        x = (_byte_axis if clock == "units" else _time_axis)(title, low, high)
        y = _share("share of units up to this age")
        labels = [names[key] for key in shown]
        panels.append(_lines(records, x, y, labels, width=PANEL_WIDTH, height=HEIGHT))
    return alt.hconcat(*panels)


def skew(of: Values, _picture: Values) -> AnyChart | None:
    """How many writes go to the hottest part of the written space."""
    points = of["skew"]["lorenz"]
    if not points:
        return None
    records = [{"units": units, "share": share} for units, share in points]
    x = alt.X(
        "units:Q",
        title="hottest part of the written space",
        scale=alt.Scale(domain=[0, 1]),
        axis=alt.Axis(format="%"),
    )
    line = chart_of(records, width=FULL_WIDTH, height=HEIGHT).mark_line(color=COLOURS["writes"])
    even = chart_of([{"units": 0, "share": 0}, {"units": 1, "share": 1}]).mark_line(
        color="#999999", strokeDash=[4, 3]
    )
    y = _share("share of the writes that go there")
    return even.encode(x=x, y=y) + line.encode(x=x, y=y)


FIGURES: dict[str, Figure] = {
    "arrivals": (arrivals, "Over time", "Requests per second, and what they move."),
    "heat_map": (
        heat_map,
        "Where and when",
        "Dark is much. Horizontal lines are places that stay hot, slanted ones sequential streams.",
    ),
    "sizes": (
        sizes,
        "Sizes",
        "Read across: so many of the requests, or of the bytes, are in requests up to this size.",
    ),
    "interarrival": (
        interarrival,
        "Gaps between arrivals",
        "A curve that rises in steps shows a clock or a closed loop; a long tail to the right shows pauses.",
    ),
    "lifetimes": (
        lifetimes,
        "Lifetimes",
        "How much the trace writes, and how long it takes, before what it wrote is replaced or trimmed.",
    ),
    "skew": (
        skew,
        "Skew",
        "How unevenly writes are spread over the space that is written at all; dashed: evenly.",
    ),
}


def figures(characteristics: Values, picture: Values) -> dict[str, dict[str, Any]]:
    """Vega-Lite specifications of all figures that this trace has something to show in."""
    specs = {}
    for name, (draw, _, _) in FIGURES.items():
        drawn = draw(characteristics, picture)
        if drawn is not None:
            specs[name] = finished(drawn)
    return specs
