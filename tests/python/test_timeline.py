"""The figure of timelines, drawn from hand-made ones."""

from __future__ import annotations

import json
from typing import Any

import reclaim
from conftest import Recorded, timeline_of
from reclaim.results.timeline_plots import MOST_DRAWN, drawn_intervals, has_timeline, over_time

QUIET: dict[str, int] = {}
BUSY = {
    "completed_requests": 4,
    "latency_sum_ns": 2_000_000,
    "latency_max_ns": 900_000,
    "gc_channels": 3,
    "used_pages": 131_072,
}


def recorded(result: reclaim.Result, *rows: dict[str, int], label: str = "one", **how: int) -> Recorded:
    made = Recorded(result.to_json(), timeline_of(*rows, **how))
    made.label = label
    return made


def panels(*results: Recorded) -> list[dict[str, Any]]:
    """The three panels; those that share data have it from the level above."""
    spec = over_time(results).to_dict()
    drawn: list[dict[str, Any]] = spec["vconcat"]
    for panel in drawn:
        for layer in (panel, *panel.get("layer", [])):
            name = layer.get("data", panel["data"])["name"]
            layer["values"] = spec["datasets"][name]
    return drawn


def test_an_interval_is_one_row_where_rows_are_few(results: list[reclaim.Result]) -> None:
    found = drawn_intervals(recorded(results[0], BUSY, QUIET))
    columns = ("start_ns", "end_ns", "latency_us", "latency_max_us", "channels", "erased")
    # A quarter of the drive's 524 288 pages is in use.
    assert found.rows(named=True) == [
        dict(zip(columns, row, strict=True))
        for row in ((0, 10_000, 500.0, 900.0, 3.0, 0.75), (10_000, 20_000, None, None, 0.0, 1.0))
    ]
    slow = {"completed_requests": 1, "latency_sum_ns": 7_000_000, "latency_max_ns": 7_000_000}
    rows = [QUIET, BUSY, slow] * MOST_DRAWN
    found = drawn_intervals(recorded(results[0], *rows))
    assert found.height == MOST_DRAWN
    # Of five requests, not of two means; erased as it is at the end of the last row.
    assert found.select(columns).row(1) == (30_000, 60_000, 1800.0, 7000.0, 1.0, 1.0)
    assert drawn_intervals(recorded(results[0], *rows, BUSY)).height <= MOST_DRAWN
    # Requests that took no time have no place on a logarithmic axis.
    none = recorded(results[0], {"completed_requests": 3})
    assert drawn_intervals(none)["latency_us"].to_list() == [None]
    assert "NaN" not in json.dumps(panels(none))


def test_all_panels_have_one_axis_of_time_and_every_scheme(results: list[reclaim.Result]) -> None:
    longer = recorded(results[1], BUSY, BUSY, BUSY, label="two", interval_ns=2_000_000)
    latency, collecting, free = panels(recorded(results[0], BUSY, label="one"), longer)
    for chart in (*latency["layer"], collecting, free):
        assert chart["encoding"]["x"]["scale"] == {"domain": [0.0, 6.0], "nice": False}
        assert chart["encoding"]["color"]["scale"]["domain"] == ["one", "two"]
        assert {each["scheme"] for each in chart["values"]} == {"one", "two"}
    assert free["encoding"]["x"]["title"] == "simulated time (ms)"


def test_time_counts_from_the_start_of_the_trace(results: list[reclaim.Result]) -> None:
    late = recorded(results[0], BUSY | {"start_ns": 3_000_000_000, "length_ns": 1_000_000_000})
    *_, free = panels(late)
    assert free["encoding"]["x"]["scale"]["domain"] == [3.0, 4.0]
    assert free["encoding"]["x"]["title"] == "simulated time (s)"
    # A run that was never measured has nothing to draw.
    assert has_timeline(late)
    assert not has_timeline(recorded(results[0]))
    assert not has_timeline(results[0])
