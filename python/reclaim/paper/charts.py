"""Charts of a reproduction: for each table or figure of the paper, what is printed beside what came out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import altair as alt

from reclaim.charts import PALETTE, AnyChart, Records, chart_of
from reclaim.paper.decisions import NAMES, Name
from reclaim.paper.evaluation import JudgedClaim
from reclaim.paper.measured import Figure
from reclaim.paper.text import TONES
from reclaim.report.document import Tone
from reclaim.result.encodings import NOT_FROM_ZERO, from_zero

WIDTH = 520
LABELS = 340
"""Pixels for the names of claims."""
STEP = 17
MOST = 120
"""Rows of a chart; a larger group is told apart by its table."""
FEW = 30
"""Rows up to which figures are drawn; of more, by how much they are off."""
ACROSS = ("printed", "bottom", "top", "ours", "low", "high")
DEVIATION = "% off the printed figure"
MULTIPLE = "times the printed figure"
WIDE = 30.0
"""Largest over smallest value from which on the axis is logarithmic."""
FAR = 4.0
"""Largest over smallest ratio from which on the axis of orders is logarithmic."""
GREY = "#8c959f"
OF_TONES: Mapping[Tone, str] = {
    "good": "#1a7f37",
    "near": "#0969da",
    "doubt": "#9a6700",
    "bad": "#cf222e",
    "odd": "#8250df",
}
COLOURS: Mapping[Name, str] = {name: OF_TONES.get(TONES[name], GREY) for name in NAMES}


def chart_of_claims(rows: Sequence[JudgedClaim]) -> AnyChart | None:
    """A group's claims that have numbers on both sides; None where there are none."""
    measured = [row for row in rows if row.figure is not None]
    shown = [row for row in measured if isinstance(row.claim.value, float)]
    ordered = [row for row in measured if row.claim.kind == "order"]
    parts = [_chart(shown[:MOST])] if shown else []
    parts += [_orders(ordered[:MOST])] if ordered else []
    return alt.vconcat(*parts) if len(parts) > 1 else parts[0] if parts else None


def _colour(records: Records) -> alt.Color:
    """The colours of agreements, of those that are there."""
    there = [name for name in NAMES if any(each["agreement"] == name for each in records)]
    scale = alt.Scale(domain=there, range=[COLOURS[name] for name in there])
    return alt.Color("agreement:N", scale=scale)


def _claims(records: Records) -> tuple[alt.Y, Mapping[str, float]]:
    """Claims from the top down, and the size of their chart."""
    order = list(dict.fromkeys(each["claim"] for each in records))
    down = alt.Y("claim:N", sort=order, title=None, axis=alt.Axis(labelLimit=LABELS))
    return down, {"width": WIDTH, "height": STEP * len(order)}


def _ours(base: AnyChart, across: Callable[[str], alt.X], tips: Sequence[str], **at: Any) -> list[AnyChart]:
    """Our figures with their intervals."""
    interval = base.mark_rule(strokeWidth=2).encode(x=across("low"), x2="high:Q", **at)
    dot = base.mark_circle(size=42, opacity=1).encode(x=across("ours"), tooltip=tips, **at)
    return [interval, dot]


def _record(row: JudgedClaim, figure: Figure, **more: Any) -> dict[str, Any]:
    low, high = figure.interval
    known = {"claim": row.claim.what, "agreement": row.judgement.agreement, "why": row.judgement.why}
    return {**known, "ours": figure.value, "low": low, "high": high, **more}


def _orders(rows: Sequence[JudgedClaim]) -> AnyChart:
    """Ratios that are claimed to lie on one side of 1: of all workloads together, and of each, small."""
    of_all = [_record(row, row.figure, workload="all workloads") for row in rows if row.figure is not None]
    of_each = [_record(row, part, workload=name) for row in rows for name, part in row.parts]
    down, size = _claims(of_all)
    values = [each[key] for each in (*of_all, *of_each) for key in ("low", "high")]
    log = min(values) > 0 and max(values) / min(values) > FAR
    scale = alt.Scale(type="log", nice=False, padding=10) if log else alt.Scale(zero=False, nice=True)
    at = {"y": down, "color": _colour(of_all)}
    tips = ["claim:N", "workload:N", "ours:Q", "low:Q", "high:Q", "agreement:N", "why:N"]

    def across(key: str) -> alt.X:
        title = f"ratio; below 1 is less{' (log scale)' if log else ''}"
        return alt.X(f"{key}:Q", scale=scale, title=title)

    one = chart_of([{"ours": 1.0}], **size).mark_rule(color=GREY).encode(x=across("ours"))
    each = chart_of(of_each, **size).mark_tick(size=8, thickness=1.5, opacity=0.6)
    ticks = [each.encode(x=across("ours"), tooltip=tips, **at)] if of_each else []
    return alt.layer(one, *ticks, *_ours(chart_of(of_all, **size), across, tips, **at))


def _records(rows: Sequence[JudgedClaim]) -> Records:
    """What is printed, what is within its tolerance, what is ours."""
    return [
        _record(
            row,
            row.figure,
            unit=row.claim.unit or "ratio",
            printed=float(row.claim.value),
            bottom=row.claim.band[0],
            top=row.claim.band[1],
        )
        for row in rows
        if row.figure is not None
    ]


def as_deviations(records: Records) -> Records:
    """The same figures by how far they are off the printed one: in percent of it, or as multiples if far."""
    ratios = [{key: each[key] / each["printed"] for key in ACROSS} for each in records]
    values = [value for each in ratios for value in each.values()]
    if min(values) > 0 and max(values) / min(values) > WIDE:
        return [{**each, **ratio, "unit": MULTIPLE} for each, ratio in zip(records, ratios, strict=True)]
    return [
        {**each, **{key: 100 * (value - 1) for key, value in ratio.items()}, "unit": DEVIATION}
        for each, ratio in zip(records, ratios, strict=True)
    ]


def _chart(rows: Sequence[JudgedClaim]) -> AnyChart:
    records = _records(rows)
    if len(records) > FEW and all(each["printed"] > 0 for each in records):
        records = as_deviations(records)
    units = list(dict.fromkeys(each["unit"] for each in records))
    # One scale for all panels, or the same colour would mean different agreements.
    colour = _colour(records)
    panels = [_panel([each for each in records if each["unit"] == unit], unit, colour) for unit in units]
    return alt.vconcat(*panels, spacing=24) if len(panels) > 1 else panels[0]


def _panel(records: Records, unit: str, colour: alt.Color) -> AnyChart:
    values = [each[key] for each in records for key in ACROSS]
    log = min(values) > 0 and max(values) / min(values) > WIDE
    # Deviations have their zero wherever it falls.
    zero = not log and min(values) > 0 and from_zero(values)
    scale = alt.Scale(type="log") if log else alt.Scale(zero=zero, nice=True)
    noted = " (log scale)" if log else "" if zero or min(values) <= 0 else f" {NOT_FROM_ZERO}"
    down, size = _claims(records)
    base = chart_of(records, **size)
    tips = ["claim:N", "printed:Q", "ours:Q", "low:Q", "high:Q", "agreement:N", "why:N"]

    def across(key: str) -> alt.X:
        return alt.X(f"{key}:Q", scale=scale, title=f"{unit}{noted}")

    band = base.mark_bar(color=GREY, opacity=0.35, height=STEP - 5)
    mark = base.mark_tick(thickness=2, size=STEP - 4, color=PALETTE[6])
    return alt.layer(
        band.encode(x=across("bottom"), x2="top:Q", y=down, tooltip=tips),
        mark.encode(x=across("printed"), y=down),
        *_ours(base, across, tips, y=down, color=colour),
    )
