"""The figure of recorded timelines: latency, collection and free space over one axis of simulated time."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt
import polars as pl

from reclaim.charts import AnyChart, Records, chart_of
from reclaim.result.encodings import (
    FULL_WIDTH,
    NOT_FROM_ZERO,
    from_zero,
    latency_axis,
    latency_ticks,
    scheme_colour,
)
from reclaim.result.reported import Reported
from reclaim.units import TIMES

MOST_DRAWN = 512
"""More points than this are not told apart in a figure that is FULL_WIDTH wide."""
ROOM_FOR_LABELS = 52
"""Pixels left of every panel, so that all begin at the same place."""
PANEL_WIDTH = FULL_WIDTH - 100


def has_timeline(result: Reported) -> bool:
    """Whether a timeline was recorded, and the run was measured."""
    return result.timeline is not None and pl.DataFrame(result.timeline).height > 0


def drawn_intervals(result: Reported) -> pl.DataFrame:
    """The timeline of `result` in at most `MOST_DRAWN` intervals, each of several rows where there are more.

    `latency_us` and `latency_max_us` are null where no request was completed, or none took any time: a
    logarithmic axis has no place for it.
    """
    rows = pl.DataFrame(result.timeline)
    per_interval = -(-rows.height // MOST_DRAWN)
    physical_pages = result.to_dict()["facts"]["physical_pages"]
    intervals = rows.group_by(pl.int_range(pl.len()) // per_interval, maintain_order=True).agg(
        pl.col("start_ns").first(),
        pl.col("length_ns", "completed_requests", "latency_sum_ns").sum(),
        pl.col("latency_max_ns").max(),
        # How it stood at the end of each row; many of them say for which part of the time.
        pl.col("gc_channels").mean().alias("channels"),
        (1 - pl.col("used_pages").last() / physical_pages).alias("erased"),
    )
    took_time = pl.col("latency_max_ns") > 0
    mean_us = pl.col("latency_sum_ns") / pl.col("completed_requests") / 1000
    return intervals.select(
        "start_ns",
        (pl.col("start_ns") + pl.col("length_ns")).alias("end_ns"),
        pl.when(took_time).then(mean_us).alias("latency_us"),
        pl.when(took_time).then(pl.col("latency_max_ns") / 1000).alias("latency_max_us"),
        "channels",
        "erased",
    )


@dataclass(frozen=True)
class Panels:
    """What the panels share: what is drawn, the axis of time, the colours of schemes."""

    records: Records
    unit: str
    """Of `middle` and `end` of the records."""
    span: tuple[float, float]
    colour: alt.Color

    @classmethod
    def of(cls, results: Sequence[Reported]) -> Panels:
        """Take up the timelines of those `results` that have one."""
        recorded = {result.label: drawn_intervals(result) for result in results if has_timeline(result)}
        last = max(int(intervals["end_ns"].item(-1)) for intervals in recorded.values())
        first = min(int(intervals["start_ns"].item(0)) for intervals in recorded.values())
        factor, unit = next((step for step in TIMES if last >= step[0]), TIMES[-1])
        records: Records = [
            {
                "scheme": label,
                "end": row["end_ns"] / factor,
                "middle": (row["start_ns"] + row["end_ns"]) / 2 / factor,
                "us": row["latency_us"],
                "max": row["latency_max_us"],
                "channels": row["channels"],
                "erased": row["erased"],
            }
            for label, intervals in recorded.items()
            for row in intervals.iter_rows(named=True)
        ]
        return cls(records, unit, (first / factor, last / factor), scheme_colour(results))

    def panel(self, title: str, fields: tuple[str, ...], height: int) -> alt.Chart:
        """Begin a panel that carries these fields of the records."""
        kept = [{field: each[field] for field in ("scheme", *fields)} for each in self.records]
        return chart_of(kept, title=title, width=PANEL_WIDTH, height=height)

    def encoding(
        self, time: str, value: str, title: str, y: alt.Y, *, lowest: bool = False
    ) -> dict[str, Any]:
        """Encode `value` over `time`; the lowest panel labels the axis of time for all."""
        time_title = f"simulated time ({self.unit})"
        axis = alt.Axis(labels=lowest, ticks=lowest, labelOverlap=True)
        scale = alt.Scale(domain=list(self.span), nice=False)
        return {
            "x": alt.X(f"{time}:Q", title=time_title if lowest else None, scale=scale, axis=axis),
            "y": y,
            "color": self.colour,
            "tooltip": [
                alt.Tooltip("scheme:N"),
                alt.Tooltip(f"{time}:Q", title=time_title, format=".4~f"),
                alt.Tooltip(f"{value}:Q", title=title, format=".4~g"),
            ],
        }

    def latency(self) -> AnyChart:
        """Mean and maximum of the requests of each interval."""
        found = [each[field] for each in self.records for field in ("us", "max") if each[field] is not None]
        ticks = latency_ticks(found)
        # From tick to tick, so that an axis of less than a decade has at least two labels.
        lowest = max((tick for tick in ticks if tick <= min(found, default=tick)), default=ticks[0])
        highest = min((tick for tick in ticks if tick > max(found, default=tick)), default=ticks[-1])
        scale = alt.Scale(type="log", nice=False, domain=[lowest, highest])
        axis = latency_axis(ticks)
        axis.minExtent = ROOM_FOR_LABELS
        title = "latency of the requests completed: mean (strong), maximum (pale)"
        base = self.panel(title, ("middle", "us", "max"), 190)
        # Lines have gaps where no request was completed. Where most of it is gaps, dots are easier to see.
        sparse = 2 * sum(each["us"] is None for each in self.records) > len(self.records)
        lines = []
        for field, name, opacity, width in (("max", "maximum", 0.35, 1), ("us", "mean", 1, 1.5)):
            y = alt.Y(f"{field}:Q", title="latency (log scale)", scale=scale, axis=axis)
            dots = alt.OverlayMarkDef(size=10, opacity=opacity) if sparse else False
            line = base.mark_line(opacity=opacity, strokeWidth=width, strokeCap="round", point=dots)
            lines.append(line.encode(**self.encoding("middle", field, f"{name} latency (µs)", y)))
        return alt.layer(*lines)

    def collecting(self) -> AnyChart:
        """How many channels were collecting."""
        most = max(1, *(math.ceil(each["channels"]) for each in self.records))
        steps = (digit * 10**power for power in range(9) for digit in (1, 2, 5))
        step = next(step for step in steps if most <= 5 * step)
        axis = alt.Axis(minExtent=ROOM_FOR_LABELS, values=list(range(0, most + 1, step)), format="d")
        y = alt.Y("channels:Q", title="channels", scale=alt.Scale(domain=[0, most]), axis=axis)
        base = self.panel("garbage collection: channels with a job under way", ("middle", "channels"), 110)
        line = base.mark_line(strokeWidth=1.2, interpolate="step")
        return line.encode(**self.encoding("middle", "channels", "channels", y))

    def free_space(self) -> AnyChart:
        """How much of the flash was erased."""
        axis = alt.Axis(format=".3~%", minExtent=ROOM_FOR_LABELS)
        zero = from_zero([each["erased"] for each in self.records])
        y = alt.Y("erased:Q", title="erased pages", scale=alt.Scale(zero=zero), axis=axis)
        title = f"free space: share of all physical pages that are erased {'' if zero else NOT_FROM_ZERO}"
        base = self.panel(title.strip(), ("end", "erased"), 110)
        return base.mark_line(strokeWidth=1.5).encode(
            **self.encoding("end", "erased", "share erased", y, lowest=True)
        )


def over_time(results: Sequence[Reported]) -> AnyChart:
    """Three panels, one line per scheme in each; latency has a pale line of the maximum, too."""
    panels = Panels.of(results)
    return alt.vconcat(panels.latency(), panels.collecting(), panels.free_space(), spacing=8)
