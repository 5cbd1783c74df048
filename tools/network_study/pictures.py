"""Maps of where a network is worth having: a panel for each network and flash, loads across, rates down."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from typing import Any

import altair as alt

from network_study.measured import MARKS, Rows, stored
from network_study.study import BUS, RATES, ROOT, STUDY
from reclaim.charts import Records, chart_of

IMAGES = ROOT / "docs" / "images"
SHORTER, SAME, LONGER = "#2166ac", "#f7f7f7", "#b2182b"
FARTHEST = 2.0
"""Powers of two at which colours end: a quarter and four times."""
CELL = {"width": 27, "height": 20}
NAMES = {name: name for name in STUDY["networks"]}


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


def heat_map(values: Records, title: str, rates: Iterable[str] = RATES) -> dict[str, Any]:
    """The Vega-Lite specification of a map."""
    shown = [rate.removesuffix(" MT/s") for rate in rates]
    kinds = list(dict.fromkeys(value["kind"] for value in values))
    networks = [name for name in STUDY["networks"] if any(value["network"] == name for value in values)]
    ticks = [-2, -1, -0.5, 0, 0.5, 1, 2]
    base = chart_of(values).encode(
        x=alt.X("load:O", title=None, axis=alt.Axis(labelAngle=0, ticks=False, domain=False)),
        y=alt.Y("rate:O", sort=shown, title=None, axis=alt.Axis(ticks=False, domain=False)),
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
            values=ticks,
            labelExpr="format(pow(2, datum.value), '.2f')",
        ),
    )
    squares = base.mark_rect(stroke="white", strokeWidth=1).encode(color=colour)
    texts = base.mark_text(fontSize=9).encode(
        text="text:N",
        color=alt.condition("abs(datum.log) > 1.1", alt.value("white"), alt.value("#222222")),
    )
    drawn = (
        alt.layer(squares, texts)
        .properties(width=CELL["width"] * len(STUDY["loads"]), height=CELL["height"] * len(shown))
        .facet(
            row=alt.Row("network:N", sort=networks, title=None, header=_header(0, "left")),
            column=alt.Column("kind:N", sort=kinds, title=None, header=_header(0, "center")),
            spacing=8,
        )
        .configure_axis(labelFontSize=10)
        .configure_view(stroke=None)
    )
    spec: dict[str, Any] = drawn.to_dict(validate=False)
    return {**spec, "background": "white"}


def _header(angle: int, align: Any) -> alt.Header:
    return alt.Header(
        labelFontSize=13, labelFontWeight="bold", labelPadding=4, labelAngle=angle, labelAlign=align
    )


def draw(values: Records, title: str, name: str, rates: Iterable[str] = RATES) -> None:
    """Write a map to docs/images."""
    import vl_convert

    spec = heat_map(values, title, rates)
    (IMAGES / f"{name}.png").write_bytes(vl_convert.vegalite_to_png(json.dumps(spec), scale=1.5))


def pictures() -> None:
    """Every picture of the page."""
    where = "(load across, in % of what the bus does; MT/s down)"
    draw(records(stored("coarse"), "mean"), f"Mean latency of reads beside the bus {where}", "networks-mean")
    fine = stored("fine")
    rates = [rate for rate in RATES if any(row["rate"] == rate for row in fine)]
    draw(records(fine, "tail"), f"p99.99 of reads beside the bus {where}", "networks-tail", rates)
