"""What the figures of a trace and those of results share: colours, and charts with their data inside."""

from __future__ import annotations

from typing import Any

import altair as alt

Records = list[dict[str, Any]]
AnyChart = Any  # composed charts are untyped in Altair

# Okabe and Ito's colours, told apart by colour-blind readers too.
PALETTE = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#F0E442"]


def chart_of(values: Records, **properties: Any) -> alt.Chart:
    """Begin a chart that carries its own data, so that a report opens offline."""
    return alt.Chart(alt.InlineData(values=values), **properties)


def finished(drawn: AnyChart) -> dict[str, Any]:
    """The Vega-Lite specification of a chart, with the font sizes and frames that all figures have."""
    spec: dict[str, Any] = (
        drawn.configure_axis(labelFontSize=11, titleFontSize=12).configure_view(stroke="#cccccc").to_dict()
    )
    return spec
