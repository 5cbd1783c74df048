"""Views of a network: its figures in the report, and the Perfetto trace, read by Perfetto's own classes."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import reclaim
from browser import running
from reclaim.cli.options import window_of
from reclaim.result.network_plots import _reservations, _sentence
from reclaim.result.perfetto import link_names
from reclaim.result.plots import figures
from reclaim.result.report import write_report

WINDOW = (0, 20_000_000)
LINKS = 1
OPERATIONS = 2
DRAWN = {"network", "way_lengths", "reservations"}


def run(schemes: tuple[str, ...], every_ns: int, **options: Any) -> reclaim.Result:
    settings = {"geometry.spare_factor": "12.5%", "geometry.pages_per_block": 16}
    if "buffered" in schemes:
        settings |= {"host.mode": "closed-loop", "host.queue_depth": 64}
    drive = reclaim.Device.preset("gc-bypass-mini").with_scheme(*schemes).with_settings(settings)
    trace = reclaim.uniform_trace(footprint_bytes=400 << 20, count=6000, mean_interarrival_ns=every_ns)
    return reclaim.simulate(drive, trace, warmup="overwrite:1", warn=False, **options)


@pytest.fixture(scope="module")
def result() -> reclaim.Result:
    """A busy run on a mesh of 4 x 8 routers that records 20 ms, buffers and collection included."""
    return run(("venice", "buffered"), 1000, record_spans=WINDOW)


def spans(result: reclaim.Result, kind: int) -> pl.DataFrame:
    assert result.spans is not None
    return pl.DataFrame(result.spans).filter(pl.col("kind") == kind)


def test_a_link_is_never_reserved_twice_at_a_time(result: reclaim.Result) -> None:
    links = spans(result, LINKS).sort("track", "start_ns")
    assert links.height > 1000
    before = links.select(pl.col("end_ns").shift(1).over("track").alias("end"), "start_ns").drop_nulls()
    assert (before["start_ns"] >= before["end"]).all()
    assert (links["start_ns"] < WINDOW[1]).all()


class Counted:
    """A result of which only the network's counts are known."""

    def __init__(self, **counts: int) -> None:
        self._counts = counts

    def to_dict(self) -> dict[str, Any]:
        counts = {name: {"value": value} for name, value in self._counts.items()}
        return {"policies": {"interconnect": counts}, "network": {"link": 0.125}}


def test_the_sentence_counts_scouts_that_were_not_turned() -> None:
    counted = Counted(transfers=200, first_try_transfers=150, scouts_sent=80, scouts_turned=20)
    assert _sentence(counted) == (
        "links in use 12.5% of the time, 75.00% of transfers at first try, 75.00% of scouts found a way"
    )


def test_links_are_named_by_row_and_column_of_both_ends() -> None:
    assert link_names({"links": [[[1, 2], [3, 4]], [[5, 6], [7, 8]]]}) == ["link 1,2 – 3,4", "link 5,6 – 7,8"]


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


@pytest.mark.slow
def test_the_slider_shows_the_reservations_of_its_instant(result: reclaim.Result, tmp_path: Path) -> None:
    page = write_report([result], tmp_path)
    rows = _reservations(result)
    begin = rows["start_ns"].min()
    with running(tmp_path / "profile") as browser:
        opened = browser.open(page)
        told = [browser.evaluate(f"{SLIDE}({share})") for share in ("null", 0.5, 1)]
    assert opened.complaints == []
    for each in told:
        at = begin + pl.lit(each["at"] * 1000)
        there = rows.filter((pl.col("start_ns") <= at) & (at < pl.col("end_ns")))
        assert each["drawn"] == there.height, each
    # It begins where most links are in use.
    assert told[0]["drawn"] == max(each["drawn"] for each in told) > 3
    assert len({each["at"] for each in told}) == len(told)


def test_the_map_tells_how_many_circuits_were_taken_away(result: reclaim.Result) -> None:
    specs = figures([result])
    assert set(specs) >= DRAWN
    assert "taken away" not in json.dumps(specs["network"])
    bypass = run(("gc-bypass",), 30_000)
    taken_away = bypass.to_dict()["policies"]["interconnect"]["preemptions"]["value"]
    assert taken_away > 0
    assert f"{taken_away:,} circuits taken away" in json.dumps(figures([bypass])["network"])


def test_without_a_network_and_spans_nothing_of_it_is_drawn(results: list[reclaim.Result]) -> None:
    assert not DRAWN & set(figures(results))
    with pytest.raises(reclaim.InputError, match="no spans were recorded"):
        results[0].to_perfetto()


def test_perfetto_reads_tracks_that_nest(result: reclaim.Result) -> None:
    proto = pytest.importorskip("perfetto.protos.perfetto.trace.perfetto_trace_pb2")
    trace = proto.Trace()
    trace.ParseFromString(result.to_perfetto())
    tracks = [each.track_descriptor for each in trace.packet if each.HasField("track_descriptor")]
    packets = [each for each in trace.packet if not each.HasField("track_descriptor")]
    times = [each.timestamp for each in packets]
    assert times == sorted(times)
    open_slices: dict[int, list[str]] = {}
    counted: Counter[str] = Counter()
    for event in (each.track_event for each in packets):
        stack = open_slices.setdefault(event.track_uuid, [])
        if event.type == proto.TrackEvent.TYPE_SLICE_BEGIN:
            stack.append(event.name)
            counted[" > ".join(stack)] += 1
        elif event.type == proto.TrackEvent.TYPE_SLICE_END:
            assert stack.pop()
        else:
            assert event.type == proto.TrackEvent.TYPE_COUNTER
    assert not any(open_slices.values()), "every slice ends"
    roots = [each.name for each in tracks if not each.parent_uuid]
    assert roots[:2] == ["controllers", "links"]
    assert {"collection jobs", "dies", "write buffer", "collector's buffer"} <= set(roots)
    for nested in ("program (host) > array", "program (host) > transfer", "read (collection) > array"):
        assert counted[nested] > 0
    operations = sum(counted[path] for path in counted if path.endswith(("(host)", "(collection)")))
    assert operations == spans(result, OPERATIONS).height


@pytest.mark.parametrize("given", ["", "1ms", "2ms..1ms", "1..2", "1ms..2ms..3ms", "-1ms..1ms"])
def test_a_window_that_is_none_is_refused(given: str) -> None:
    with pytest.raises(reclaim.InputError, match="two instants of simulated time"):
        window_of(given)
