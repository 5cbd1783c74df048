"""The waterfall: from one scheme to the other, part by part."""

from __future__ import annotations

import math
from collections.abc import Sequence

import altair as alt

from reclaim.charts import PALETTE, AnyChart, Records, chart_of, rule, spans, told_apart
from reclaim.result.encodings import FULL_WIDTH
from reclaim.result.sets.metrics import describe
from reclaim.study.ablation.result import Decomposition
from reclaim.study.ablation.words import in_log_units, named

STEP = 30
"""Pixels for a bar."""
WAYS = ("falls", "rises", "all together")
COLOURS = (PALETTE[0], PALETTE[1], "#8c959f")
BESIDE = 0.22
"""Share of the width that is left for the numbers beside the bars."""
MOST_TICKS = 8


def records(taken: Decomposition, target: str) -> Records:
    """Give a record for each bar: from where to where it goes, in log units, and its interval."""
    found: Records = []
    before = 0.0
    for row in taken.by_size():
        if row.share is None:
            continue
        after = before + row.share.value
        found.append(_bar(named(row.parts), before, row.share.value, row.share.low, row.share.high))
        before = after
    if taken.total is not None:
        total = taken.total
        found.append(_bar(f"{target}: all", 0.0, total.value, total.low, total.high) | {"way": WAYS[2]})
    return found


def _bar(name: str, before: float, share: float, low: float | None, high: float | None) -> dict[str, object]:
    places = [before, before + share]
    bar: dict[str, object] = {
        "part": name,
        "from": before,
        "to": before + share,
        "way": WAYS[int(share > 0)],
        "share": in_log_units(share),
        "text": f"×{math.exp(share):.3f}",
    }
    if low is not None and high is not None:
        bar |= {"low": before + low, "high": before + high}
        places += [before + low, before + high]
    return bar | {"right": max(places)}


def waterfall(taken: Decomposition, metric: str, ends: tuple[str, str], title: str = "") -> AnyChart | None:
    """Draw the shares of a metric, one below the other; None where no shares are known.

    Args:
        taken: the shares.
        metric: of what.
        ends: names of the two schemes.
        title: what stands above it; nothing if empty.
    """
    if not taken.has_shares:
        return None
    bars = records(taken, ends[1])
    domain = _domain(bars)
    scale = alt.Scale(domain=list(domain), nice=False)
    names = [str(each["part"]) for each in bars]
    axis = alt.Axis(
        title=f"{describe(metric).label}: factor from {ends[0]} (logarithmic)",
        labelExpr="'×' + format(exp(datum.value), '.3~r')",
        values=[math.log(each) for each in round_factors(*domain)],
    )
    vertical = alt.Y("part:N", sort=names, title=None, axis=alt.Axis(labelLimit=260, grid=False))
    base = chart_of(bars).encode(y=vertical)
    colour = told_apart(alt.Color, "way", WAYS, COLOURS)
    drawn = base.mark_bar(height=STEP * 0.55).encode(
        x=alt.X("from:Q", scale=scale, axis=axis),
        x2="to:Q",
        color=colour,
        tooltip=["part:N", "share:N", alt.Tooltip("text:N", title="factor")],
    )
    intervals = spans(bars, scale, mark={"strokeWidth": 1.5, "color": "#000000"}, y=vertical)
    numbers = base.mark_text(align="left", dx=6, color="#000000")
    numbers = numbers.encode(x=alt.X("right:Q", scale=scale), text="text:N")
    zero = rule(0.0, scale, strokeDash=[3, 2], color="#000000")
    chart = alt.layer(drawn, *intervals, numbers, zero).properties(
        width=FULL_WIDTH - 300, height=STEP * len(set(names))
    )
    return chart.properties(title=title) if title else chart


def _domain(bars: Sequence[dict[str, object]]) -> tuple[float, float]:
    """From the leftmost to the rightmost thing, with room for numbers on the right."""
    keys = ("from", "to", "low", "high")
    places = [0.0, *(float(str(each[key])) for each in bars for key in keys if key in each)]
    low, high = min(places), max(places)
    width = max(high - low, 1e-6)
    return low - 0.03 * width, high + BESIDE * width / (1 - BESIDE)


def round_factors(low: float, high: float) -> list[float]:
    """Give round factors whose logarithms lie between two: of many decades 1, 2 and 5, else equal steps.

    >>> round_factors(math.log(0.004), math.log(3))
    [0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0]
    >>> round_factors(math.log(0.93), math.log(1.02))
    [0.94, 0.96, 0.98, 1.0, 1.02]
    """
    first, last = math.exp(low), math.exp(high) * (1 + 1e-12)
    if high - low > math.log(4):
        decades = range(math.floor(low / math.log(10)), math.ceil(high / math.log(10)) + 1)
        digits = (1, 2, 5) if len(decades) <= 5 else (1,)
        every = [float(f"{digit}e{decade}") for decade in decades for digit in digits]
        return [each for each in every if first <= each <= last]
    steps = (float(f"{digit}e{decade}") for decade in range(-6, 1) for digit in (1, 2, 5))
    step = next(each for each in steps if (last - first) / each <= MOST_TICKS)
    return [float(f"{at * step:.9g}") for at in range(math.ceil(first / step), math.floor(last / step) + 1)]
