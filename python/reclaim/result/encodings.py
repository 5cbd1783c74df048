"""What the figures of results have in common: widths, the colours of schemes, and axes of latency."""

from __future__ import annotations

import math
from collections.abc import Sequence

import altair as alt

from reclaim.charts import PALETTE, in_units
from reclaim.result.reported import Reported
from reclaim.units import TIMES

FULL_WIDTH = 920
NOT_FROM_ZERO = "(axis does not begin at 0)"
"""What stands at an axis that is drawn so that small differences can be seen."""
WITH_UNIT = in_units([(nanoseconds / 1e3, unit) for nanoseconds, unit in TIMES])


def from_zero(values: Sequence[float]) -> bool:
    """Whether an axis shows `values` well from 0 on; otherwise it says that it does not.

    >>> from_zero([1.0, 2.0]), from_zero([1.9, 2.0])
    (True, False)
    """
    return 2 * min(values, default=0) <= max(values, default=0)


def scheme_colour(results: Sequence[Reported]) -> alt.Color:
    """A colour for each scheme, the same in every figure of `results`."""
    names = [result.label for result in results]
    scale = alt.Scale(domain=names, range=PALETTE[: len(names)] if len(names) <= len(PALETTE) else PALETTE)
    # Opaque where the marks are not: a colour of the legend is looked for in other panels, too.
    legend = alt.Legend(title="scheme", orient="top", labelLimit=300, symbolOpacity=1)
    return alt.Color("scheme:N", scale=scale, legend=legend if len(names) > 1 else None)


def latency_ticks(microseconds: Sequence[float]) -> list[float]:
    """Where to tick a logarithmic scale of latency: at 1, 2 and 5 of every decade, over many decades at 1.

    >>> latency_ticks([80.0, 300.0])
    [10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1000.0, 2000.0, 5000.0]
    """
    values = microseconds or [1.0]
    decades = range(math.floor(math.log10(min(values))), math.ceil(math.log10(max(values))) + 1)
    every = (1, 2, 5) if len(decades) <= 6 else (1,)
    return [digit * 10.0**decade for decade in decades for digit in every]


def latency_axis(ticks: Sequence[float]) -> alt.Axis:
    """The axis of a scale of latency in microseconds, labelled with units."""
    return alt.Axis(values=list(ticks), labelExpr=WITH_UNIT, labelOverlap=True)
