"""Views of a network: its figures in the report, and the Perfetto trace, read by Perfetto's own classes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import reclaim
from browser import running
from reclaim.cli.options import window_of
from reclaim.results.network_plots import _reservations
from reclaim.results.plots import figures
from reclaim.results.report import write_report

WINDOW = (0, 20_000_000)
LINKS = 1
OPERATIONS = 2


@pytest.fixture(scope="module")
def result() -> reclaim.Result:
    """A busy run on a mesh of 4 x 8 routers that records 20 ms, buffers and collection included."""
    drive = reclaim.Device.preset("gc-bypass-mini").with_scheme("venice", "buffered")
    settings = {
        "geometry.spare_factor": "12.5%",
        "geometry.pages_per_block": 16,
        "host.mode": "closed-loop",
        "host.queue_depth": 64,
    }
    trace = reclaim.uniform_trace(footprint_bytes=400 << 20, count=6000, mean_interarrival_ns=1000)
    return reclaim.simulate(
        drive.with_settings(settings), trace, warmup="overwrite:1", record_spans=WINDOW, warn=False
    )


def spans(result: reclaim.Result) -> pl.DataFrame:
    assert result.spans is not None
    return pl.DataFrame(result.spans)


def test_a_link_is_never_reserved_twice_at_a_time(result: reclaim.Result) -> None:
    links = spans(result).filter(pl.col("kind") == LINKS).sort("track", "start_ns")
    assert links.height > 1000
    before = links.select(pl.col("end_ns").shift(1).over("track").alias("end"), "start_ns").drop_nulls()
    assert (before["start_ns"] >= before["end"]).all()
    assert links["start_ns"].max() < WINDOW[1]  # type: ignore[operator]  # polars: a column of any type


def test_the_network_section_says_where_everything_is(result: reclaim.Result) -> None:
    network = result.to_dict()["network"]
    assert (network["rows"], network["columns"], len(network["chips"])) == (4, 8, 32)
    assert network["controllers"] == [[row, 0] for row in range(4)]
    assert len(network["links"]) == len(network["per_link"]) == 4 * 7 + 3 * 8
    counts = result.to_dict()["policies"]["interconnect"]
    assert sum(network["transfers_by_hops"]) == counts["transfers"]["value"]
    hops = sum(hops * count for hops, count in enumerate(network["transfers_by_hops"]))
    assert hops == counts["hops_travelled"]["value"]
    assert network["link_max"] == max(network["per_link"]) > network["link"] > 0


def test_the_report_draws_the_network(result: reclaim.Result) -> None:
    specs = figures([result])
    assert {"network", "way_lengths", "reservations"} <= set(specs)
    assert "of transfers at first try" in json.dumps(specs["network"])
    assert "taken away" not in json.dumps(specs["network"])
    assert "instant" in json.dumps(specs["reservations"])


SLIDE = """(share => new Promise(resolve => {
  const found = document.querySelector("#reservations input[type=range]");
  const span = found.max - found.min;
  if (share !== null) found.value = Number(found.min) + share * span;
  found.dispatchEvent(new Event("input"));
  setTimeout(() => resolve({
    at: Number(found.value),
    drawn: document.querySelectorAll("#reservations .layer_1_marks line").length,
  }), 300);
}))"""
"""Moves the slider to a share of its way, or leaves it; tells the instant, and how many links are in use."""


def test_the_slider_shows_the_reservations_of_its_instant(result: reclaim.Result, tmp_path: Path) -> None:
    page = write_report([result], tmp_path)
    rows = _reservations(result)
    begin = rows["start_ns"].min()
    with running(tmp_path / "profile") as browser:
        opened = browser.open(page)
        told = [browser.evaluate(f"{SLIDE}({share})") for share in ("null", 0.25, 0.5, 0.9, 1)]
    assert opened.complaints == []
    for each in told:
        at = begin + pl.lit(each["at"] * 1000)
        there = rows.filter((pl.col("start_ns") <= at) & (at < pl.col("end_ns")))
        assert each["drawn"] == there.height, each
    assert told[0]["drawn"] == max(each["drawn"] for each in told) > 3, (
        "it begins where most links are in use"
    )
    assert len({each["at"] for each in told}) == len(told)


def test_the_map_tells_how_many_circuits_were_taken_away() -> None:
    drive = reclaim.Device.preset("gc-bypass-mini").with_scheme("gc-bypass")
    drive = drive.with_settings({"geometry.spare_factor": "12.5%", "geometry.pages_per_block": 16})
    trace = reclaim.uniform_trace(footprint_bytes=400 << 20, count=6000, mean_interarrival_ns=30_000)
    result = reclaim.simulate(drive, trace, warmup="overwrite:1", warn=False)
    taken_away = result.to_dict()["policies"]["interconnect"]["preemptions"]["value"]
    assert taken_away > 0
    assert f"{taken_away:,} circuits taken away" in json.dumps(figures([result])["network"])


def test_without_a_network_nothing_of_it_is_drawn(results: list[reclaim.Result]) -> None:
    assert not {"network", "way_lengths", "reservations"} & set(figures(results))


def test_without_spans_there_is_no_trace(results: list[reclaim.Result]) -> None:
    with pytest.raises(reclaim.InputError, match="no spans were recorded"):
        results[0].to_perfetto()


def test_perfetto_reads_tracks_that_nest(result: reclaim.Result) -> None:
    proto = pytest.importorskip("perfetto.protos.perfetto.trace.perfetto_trace_pb2")
    trace = proto.Trace()
    trace.ParseFromString(result.to_perfetto())
    names: dict[int, str] = {}
    parents: dict[int, int] = {}
    open_slices: dict[int, list[str]] = {}
    counted: dict[str, int] = {}
    last = 0
    for packet in trace.packet:
        if packet.HasField("track_descriptor"):
            track: Any = packet.track_descriptor
            names[track.uuid] = track.name
            parents[track.uuid] = track.parent_uuid
            continue
        event: Any = packet.track_event
        assert packet.timestamp >= last, "in the order of time"
        last = packet.timestamp
        stack = open_slices.setdefault(event.track_uuid, [])
        if event.type == proto.TrackEvent.TYPE_SLICE_BEGIN:
            stack.append(event.name)
            counted[" > ".join(stack)] = counted.get(" > ".join(stack), 0) + 1
        elif event.type == proto.TrackEvent.TYPE_SLICE_END:
            assert stack.pop()
        else:
            assert event.type == proto.TrackEvent.TYPE_COUNTER
    assert not any(open_slices.values()), "every slice ends"
    roots = [names[uuid] for uuid, parent in parents.items() if not parent]
    assert roots[:2] == ["controllers", "links"]
    assert {"collection jobs", "dies", "write buffer", "collector's buffer"} <= set(roots)
    for nested in ("program (host) > array", "program (host) > transfer", "read (collection) > array"):
        assert counted[nested] > 0
    operations = spans(result).filter(pl.col("kind") == OPERATIONS)
    assert sum(count for path, count in counted.items() if path.endswith(("(host)", "(collection)"))) == (
        operations.height
    )


@pytest.mark.parametrize("given", ["", "1ms", "2ms..1ms", "1..2", "1ms..2ms..3ms", "-1ms..1ms"])
def test_a_window_that_is_none_is_refused(given: str) -> None:
    with pytest.raises(reclaim.InputError, match="two instants of simulated time"):
        window_of(given)
