"""Figures of a network of routers: how busy its links were, how long ways were, and who had what when."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt
import polars as pl

from reclaim.charts import AnyChart, Records, chart_of
from reclaim.result.encodings import FULL_WIDTH, scheme_colour
from reclaim.result.reported import Reported

STEP = 46
"""Pixels between two routers."""
LINK_SPANS = 1
MOST_RESERVATIONS = 4000
"""More of them make a page slow."""
HOST, GC = "#0072B2", "#D55E00"


def has_network(result: Reported) -> bool:
    """Whether the run had a network of routers."""
    return result.to_dict().get("network") is not None


def has_reservations(result: Reported) -> bool:
    """Whether it was recorded who had which link of a network when."""
    return has_network(result) and result.spans is not None and not _reservations(result).is_empty()


def _places(network: dict[str, Any]) -> Records:
    """What hangs where: each router once."""
    chips = {tuple(place): number for number, place in enumerate(network["chips"])}
    controllers: dict[tuple[int, ...], list[int]] = {}
    for number, place in enumerate(network["controllers"]):
        controllers.setdefault(tuple(place), []).append(number)
    found = []
    for place in ((row, column) for row in range(network["rows"]) for column in range(network["columns"])):
        here = controllers.get(place, [])
        of_gc = [number for number in here if number >= network["host_controllers"]]
        kind = "router and chip" if place in chips else "router only"
        if here:
            kind = "with a controller for collection" if of_gc else "with a controller"
        about = [f"chip {chips[place]}"] if place in chips else []
        about += [f"controller {number}" for number in here]
        label = str(chips[place]) if place in chips else ""
        found.append(
            {"row": place[0], "column": place[1], "kind": kind, "about": ", ".join(about), "label": label}
        )
    return found


def _axes(network: dict[str, Any]) -> tuple[alt.X, alt.Y]:
    def scale(count: int) -> alt.Scale:
        return alt.Scale(domain=[-0.5, count - 0.5], nice=False, zero=False)

    def axis(count: int) -> alt.Axis:
        return alt.Axis(grid=False, values=list(range(count)), format="d")

    rows, columns = network["rows"], network["columns"]
    row_scale = alt.Scale(domain=[rows - 0.5, -0.5], nice=False, zero=False)
    x = alt.X("column:Q", title="column", scale=scale(columns), axis=axis(columns))
    return x, alt.Y("row:Q", title="row", scale=row_scale, axis=axis(rows))


def _routers(network: dict[str, Any]) -> AnyChart:
    kinds = [
        "router and chip",
        "router only",
        "with a controller",
        "with a controller for collection",
    ]
    places = _places(network)
    there = [kind for kind in kinds if any(each["kind"] == kind for each in places)]
    colours = dict(zip(kinds, ["#cfd6dd", "#ffffff", "#009E73", "#CC79A7"], strict=True))
    x, y = _axes(network)
    base = chart_of(places).encode(x=x, y=y)
    squares = base.mark_square(size=420, stroke="#57606a", strokeWidth=1, opacity=1).encode(
        fill=alt.Fill(
            "kind:N",
            scale=alt.Scale(domain=there, range=[colours[kind] for kind in there]),
            legend=alt.Legend(title="routers"),
        ),
        tooltip=[alt.Tooltip("about:N"), alt.Tooltip("row:Q"), alt.Tooltip("column:Q")],
    )
    return squares + base.mark_text(fontSize=10, color="#1b1f24").encode(text=alt.Text("label:N"))


def _ends(link: list[list[int]]) -> dict[str, int]:
    (row, column), (to_row, to_column) = link
    return {"row": row, "column": column, "to_row": to_row, "to_column": to_column}


def link_map(results: Sequence[Reported]) -> AnyChart:
    """One mesh for each run, its links coloured by the share of the time for which they were in use."""
    shown = [result for result in results if has_network(result)]
    networks = [result.to_dict()["network"] for result in shown]
    highest = max((max(each["per_link"], default=0) for each in networks), default=1) or 1
    panels = []
    for result, network in zip(shown, networks, strict=True):
        records = [
            _ends(link) | {"busy": busy}
            for link, busy in zip(network["links"], network["per_link"], strict=True)
        ]
        x, y = _axes(network)
        size = {"width": STEP * network["columns"], "height": STEP * network["rows"]}
        lines = chart_of(records).mark_rule(strokeWidth=7)
        lines = lines.encode(
            x=x,
            y=y,
            x2=alt.X2("to_column:Q"),
            y2=alt.Y2("to_row:Q"),
            color=alt.Color(
                "busy:Q",
                scale=alt.Scale(scheme="viridis", domain=[0, highest]),
                legend=alt.Legend(title="in use", format=".1%", gradientLength=90),
            ),
            tooltip=[alt.Tooltip("busy:Q", title="in use", format=".2%")],
        )
        layered = alt.layer(lines, _routers(network)).resolve_scale(fill="independent")
        panels.append(layered.properties(title=f"{result.label}: {_sentence(result)}", **size))
    return alt.vconcat(*panels)


def _sentence(result: Reported) -> str:
    """How often the first try got a circuit, where that is counted."""
    data = result.to_dict()
    counts = {name: each["value"] for name, each in data["policies"].get("interconnect", {}).items()}
    transfers = counts.get("transfers", 0)
    mean = f"links in use {data['network']['link']:.1%} of the time"
    if not transfers:
        return mean
    parts = [mean, f"{counts['first_try_transfers'] / transfers:.2%} of transfers at first try"]
    if counts.get("scouts_sent"):
        found = 1 - counts["scouts_turned"] / counts["scouts_sent"]
        parts.append(f"{found:.2%} of scouts found a way")
    if "preemptions" in counts:
        parts.append(f"{counts['preemptions']:,} circuits taken away")
    return ", ".join(parts)


def way_lengths(results: Sequence[Reported]) -> AnyChart:
    """How many links the ways of transfers had."""
    records = []
    for result in results:
        if not has_network(result):
            continue
        counts = result.to_dict()["network"]["transfers_by_hops"]
        total = sum(counts) or 1
        records += [
            {"scheme": result.label, "links": hops, "share": count / total}
            for hops, count in enumerate(counts)
        ]
    chart = chart_of(records, width=FULL_WIDTH - 160, height=180).mark_line(point=True)
    return chart.encode(
        x=alt.X("links:Q", title="links of the way", axis=alt.Axis(format="d", tickMinStep=1)),
        y=alt.Y("share:Q", title="share of transfers", axis=alt.Axis(format="%")),
        color=scheme_colour(results),
        tooltip=[alt.Tooltip("scheme:N"), alt.Tooltip("links:Q"), alt.Tooltip("share:Q", format=".2%")],
    )


def _reservations(result: Reported) -> pl.DataFrame:
    """The first reservations of links that were recorded."""
    if result.spans is None:
        return pl.DataFrame()
    links = pl.DataFrame(result.spans).filter(pl.col("kind") == LINK_SPANS)
    return links.sort("start_ns").head(MOST_RESERVATIONS)


def reservations(results: Sequence[Reported]) -> AnyChart:
    """Who has which link at an instant that a slider chooses."""
    result = next(each for each in results if has_reservations(each))
    network = result.to_dict()["network"]
    rows = _reservations(result)
    begin, end = min(rows["start_ns"].to_list()), max(rows["end_ns"].to_list())
    records = [
        _ends(network["links"][row["track"]])
        | {
            "from": (row["start_ns"] - begin) / 1000,
            "to": (row["end_ns"] - begin) / 1000,
            "whose": "collection" if row["for_gc"] else "host",
            "die": row["value"],
        }
        for row in rows.iter_rows(named=True)
    ]
    span = (end - begin) / 1000
    busiest = _busiest(records)
    at = alt.param(
        name="instant",
        value=busiest,
        bind=alt.binding_range(min=0, max=span, step=span / 2000, name=f"us from {begin / 1e6:.3f} ms on "),
    )
    x, y = _axes(network)
    idle = chart_of([_ends(link) for link in network["links"]]).mark_rule(strokeWidth=2, color="#c5ccd3")
    idle = idle.encode(x=x, y=y, x2=alt.X2("to_column:Q"), y2=alt.Y2("to_row:Q"))
    taken = chart_of(records).mark_rule(strokeWidth=7).add_params(at)
    taken = taken.transform_filter("datum.from <= instant && instant < datum.to").encode(
        x=x,
        y=y,
        x2=alt.X2("to_column:Q"),
        y2=alt.Y2("to_row:Q"),
        color=alt.Color(
            "whose:N",
            scale=alt.Scale(domain=["host", "collection"], range=[HOST, GC]),
            legend=alt.Legend(title="in use for"),
        ),
        tooltip=[alt.Tooltip("whose:N"), alt.Tooltip("die:Q"), alt.Tooltip("from:Q"), alt.Tooltip("to:Q")],
    )
    size = {"width": STEP * network["columns"], "height": STEP * network["rows"]}
    layers = alt.layer(idle, taken, _routers(network)).resolve_scale(fill="independent")
    return layers.properties(title=f"{result.label}, {len(records)} reservations of links", **size)


def _busiest(records: Records) -> float:
    """An instant at which most links are in use."""
    changes = sorted([(each["from"], 1) for each in records] + [(each["to"], -1) for each in records])
    most, now, instant = 0, 0, 0.0
    for time, change in changes:
        now += change
        if now > most:
            most, instant = now, time
    return float(instant)
