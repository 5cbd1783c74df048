"""Charts of a reproduction: for each table or figure of the paper, what is printed beside what came out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt

from reclaim.charts import PALETTE, AnyChart, Records, chart_of, finished, panels_of
from reclaim.paper.decisions import NAMES, Name
from reclaim.paper.evaluation import JudgedClaim, Reproduction
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
COLOURS: dict[Name, str] = dict.fromkeys(NAMES, GREY) | {
    "matches": "#1a7f37",
    "same direction": "#0969da",
    "below resolution": "#bf8700",
    "not reproduced": "#cf222e",
    "depends on a choice": "#9a6700",
    "not established": "#9a6700",
    "not trustworthy": "#a40e26",
    "artefact": "#8250df",
    "open": "#9a6700",
    "error in the paper": "#8250df",
}


def charts(found: Reproduction) -> dict[str, dict[str, Any]]:
    """Panels of charts by group, of groups that have numbers on both sides."""
    drawn = {}
    for index, rows in enumerate(found.groups().values()):
        measured = [row for row in rows if row.figure is not None]
        shown = [row for row in measured if isinstance(row.claim.value, float)]
        ordered = [row for row in measured if row.claim.kind == "order"]
        parts = [_chart(shown[:MOST])] if shown else []
        parts += [_orders(ordered[:MOST])] if ordered else []
        if parts:
            drawn[f"group_{index}"] = panels_of(finished(alt.vconcat(*parts) if len(parts) > 1 else parts[0]))
    return drawn


def _orders(rows: Sequence[JudgedClaim]) -> AnyChart:
    """Ratios that are claimed to lie on one side of 1: of all workloads together, and of each, small."""
    of_all: Records = []
    of_each: Records = []
    for row in rows:
        if row.figure is None:
            continue
        known = {"claim": row.claim.what, "agreement": row.judgement.agreement, "why": row.judgement.why}
        for name, part in (("all workloads", row.figure), *row.parts):
            low, high = part.interval
            record = {**known, "workload": name, "ratio": part.value, "low": low, "high": high}
            (of_all if name == "all workloads" else of_each).append(record)
    order = list(dict.fromkeys(each["claim"] for each in of_all))
    present = [name for name in NAMES if any(each["agreement"] == name for each in of_all)]
    down = alt.Y("claim:N", sort=order, title=None, axis=alt.Axis(labelLimit=LABELS))
    values = [each[key] for each in (*of_all, *of_each) for key in ("low", "high")]
    log = min(values) > 0 and max(values) / min(values) > FAR
    scale = alt.Scale(type="log", nice=False, padding=10) if log else alt.Scale(zero=False, nice=True)
    colour = alt.Color(
        "agreement:N", scale=alt.Scale(domain=present, range=[COLOURS[name] for name in present])
    )
    tips = ["claim:N", "workload:N", "ratio:Q", "low:Q", "high:Q", "agreement:N", "why:N"]

    def across(key: str) -> alt.X:
        title = f"ratio; below 1 is less{' (log scale)' if log else ''}"
        return alt.X(f"{key}:Q", scale=scale, title=title)

    size = {"width": WIDTH, "height": STEP * len(order)}
    one = chart_of([{"ratio": 1.0}], **size).mark_rule(color="#8c959f").encode(x=across("ratio"))
    each = chart_of(of_each, **size).mark_tick(size=8, thickness=1.5, opacity=0.6)
    whole = chart_of(of_all, **size)
    interval = whole.mark_rule(strokeWidth=2).encode(x=across("low"), x2="high:Q", y=down, color=colour)
    dot = whole.mark_circle(size=42, opacity=1).encode(x=across("ratio"), y=down, color=colour, tooltip=tips)
    ticks = [each.encode(x=across("ratio"), y=down, color=colour, tooltip=tips)] if of_each else []
    return alt.layer(one, *ticks, interval, dot)


def _records(rows: Sequence[JudgedClaim]) -> Records:
    """What is printed, what is within its tolerance, what is ours."""
    records = []
    for row in rows:
        if row.figure is None:
            continue
        least, most = row.figure.interval
        bottom, top = row.claim.band
        records.append(
            {
                "claim": row.claim.what,
                "unit": row.claim.unit or "ratio",
                "printed": float(row.claim.value),
                "bottom": bottom,
                "top": top,
                "ours": row.figure.value,
                "low": least,
                "high": most,
                "agreement": row.judgement.agreement,
                "why": row.judgement.why,
            }
        )
    return records


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
    present = [name for name in NAMES if any(each["agreement"] == name for each in records)]
    panels = [_panel([each for each in records if each["unit"] == unit], unit, present) for unit in units]
    return alt.vconcat(*panels, spacing=24) if len(panels) > 1 else panels[0]


def _panel(records: Records, unit: str, present: Sequence[Name]) -> AnyChart:
    values = [each[key] for each in records for key in ACROSS]
    log = min(values) > 0 and max(values) / min(values) > WIDE
    # Deviations have their zero wherever it falls.
    zero = not log and min(values) > 0 and from_zero(values)
    scale = alt.Scale(type="log") if log else alt.Scale(zero=zero, nice=True)
    noted = " (log scale)" if log else "" if zero or min(values) <= 0 else f" {NOT_FROM_ZERO}"
    order = list(dict.fromkeys(each["claim"] for each in records))
    down = alt.Y("claim:N", sort=order, title=None, axis=alt.Axis(labelLimit=LABELS))
    base = chart_of(records, width=WIDTH, height=STEP * len(order))
    tips = ["claim:N", "printed:Q", "ours:Q", "low:Q", "high:Q", "agreement:N", "why:N"]

    def across(key: str) -> alt.X:
        return alt.X(f"{key}:Q", scale=scale, title=f"{unit}{noted}")

    colour = alt.Color(
        "agreement:N",
        scale=alt.Scale(domain=list(present), range=[COLOURS[name] for name in present]),
    )
    band = base.mark_bar(color="#8c959f", opacity=0.35, height=STEP - 5).encode(
        x=across("bottom"), x2="top:Q", y=down, tooltip=tips
    )
    mark = base.mark_tick(thickness=2, size=STEP - 4, color=PALETTE[6]).encode(x=across("printed"), y=down)
    interval = base.mark_rule(strokeWidth=2).encode(x=across("low"), x2="high:Q", y=down, color=colour)
    dot = base.mark_circle(size=42, opacity=1).encode(x=across("ours"), y=down, color=colour, tooltip=tips)
    return band + mark + interval + dot
