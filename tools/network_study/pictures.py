"""Maps of where a network is worth having: a panel for each network and flash, loads across, rates down."""

from __future__ import annotations

import json
import math
from typing import Any

import altair as alt

from network_study.measured import MARKS, Rows, stored
from network_study.study import BUS, RATES, ROOT, STUDY
from reclaim.charts import AnyChart, Records, chart_of

IMAGES = ROOT / "docs" / "images"
SHORTER, SAME, LONGER = "#2166ac", "#f7f7f7", "#b2182b"
FARTHEST = 2.0
"""Powers of two at which colours end: a quarter and four times."""
DARK = 1.1
"""Powers of two from which on a colour is dark."""
CELL = {"width": 27, "height": 20}


def records(rows: Rows, metric: str) -> Records:
    """A record for each cell of the map."""
    return [_record(row, metric) for row in rows if row["network"] != BUS and metric in row]


def _record(row: dict[str, Any], metric: str) -> dict[str, Any]:
    ratio = row[metric][0]
    return {
        "network": row["network"],
        "kind": f"{row['flash']}, {row['page'].replace('KiB', ' KiB')}",
        "rate": row["rate"].removesuffix(" MT/s"),
        "load": int(row["cell"].split()[0]),
        "log": max(-FARTHEST, min(FARTHEST, math.log2(ratio))),
        "text": _text(ratio) + MARKS[row["verdict"]],
    }


def _text(ratio: float) -> str:
    return (
        f"{ratio:.0f}" if ratio >= 10 else f"{ratio:.1f}" if ratio >= 2 else f"{ratio:.2f}".removeprefix("0")
    )


def heat_map(values: Records, title: str) -> dict[str, Any]:
    """The map: a panel for each network and flash."""
    kinds = list(dict.fromkeys(value["kind"] for value in values))
    shown = [rate.removesuffix(" MT/s") for rate in RATES]
    panels = alt.Row("network:N", sort=_networks(values), title=None, header=_header("left"))
    across = alt.Column("kind:N", sort=kinds, title=None, header=_header("center"))
    return spec_of(_squares(values, "rate", shown, title).facet(row=panels, column=across, spacing=8))


def strip(values: Records, title: str) -> dict[str, Any]:
    """A few drives of the map: a panel for each network."""
    named = [{**value, "drive": f"{value['kind']}, {value['rate']}"} for value in values]
    drives = sorted({value["drive"] for value in named})
    panels = alt.Column("network:N", sort=_networks(values), title=None, header=_header("center"))
    return spec_of(_squares(named, "drive", drives, title).facet(column=panels, spacing=8))


def _networks(values: Records) -> list[str]:
    return [name for name in STUDY["networks"] if any(value["network"] == name for value in values)]


def _squares(values: Records, down: str, order: list[str], title: str) -> AnyChart:
    loads = {value["load"] for value in values}
    axis = alt.Axis(labelAngle=0, ticks=False, domain=False, labelLimit=300)
    base = chart_of(values).encode(
        x=alt.X("load:O", title=None, axis=axis), y=alt.Y(f"{down}:O", sort=order, title=None, axis=axis)
    )
    colour = alt.Color(
        "log:Q",
        scale=alt.Scale(domain=[-FARTHEST, 0, FARTHEST], range=[SHORTER, SAME, LONGER]),
        legend=alt.Legend(
            title=title,
            orient="top",
            direction="horizontal",
            gradientLength=320,
            titleLimit=1100,
            titleFontSize=13,
            labelFontSize=11,
            values=[-2, -1, -0.5, 0, 0.5, 1, 2],
            labelExpr="format(pow(2, datum.value), '.2f')",
        ),
    )
    dark = f"abs(datum.log) > {DARK}"
    squares = base.mark_rect(stroke="white", strokeWidth=1).encode(color=colour)
    texts = base.mark_text(fontSize=9).encode(
        text="text:N", color=alt.condition(dark, alt.value("white"), alt.value("#222222"))
    )
    return alt.layer(squares, texts).properties(
        width=CELL["width"] * len(loads), height=CELL["height"] * len(order)
    )


def _header(align: Any) -> alt.Header:
    return alt.Header(
        labelFontSize=13, labelFontWeight="bold", labelPadding=4, labelAngle=0, labelAlign=align
    )


def spec_of(drawn: AnyChart) -> dict[str, Any]:
    """The specification of a picture of docs/images."""
    return on_white(drawn.configure_axis(labelFontSize=10).configure_view(stroke=None))


def on_white(drawn: AnyChart) -> dict[str, Any]:
    """The same of one that has its style."""
    spec: dict[str, Any] = drawn.to_dict(validate=False)
    return {**spec, "background": "white"}


def draw(spec: dict[str, Any], name: str) -> None:
    """Write a picture to docs/images."""
    import vl_convert

    (IMAGES / f"{name}.png").write_bytes(vl_convert.vegalite_to_png(json.dumps(spec), scale=1.5))


def pictures() -> None:
    """Every picture of the page."""
    mean = "Mean latency of reads beside the bus (load across, in % of what the bus does; MT/s down)"
    draw(heat_map(records(stored("coarse"), "mean"), mean), "networks-mean")
    where = "beside the bus (load across, in % of what the bus does; flash, page, MT/s down)"
    draw(strip(records(stored("fine"), "mean"), f"Mean latency of reads {where}"), "networks-fine")
    tail = f"p99.99 of reads {where}"
    draw(strip(records(stored("fine"), "tail"), tail), "networks-tail")
