"""Placement handles by address range: `trace.streams`."""

from __future__ import annotations

from typing import Any

import pytest

import reclaim
from reclaim.parsing import toml_value

PAGE = 4096
RANGES = [
    {"first": "8 KiB", "bytes": "8 KiB", "stream": 2},
    {"first": "0 B", "bytes": "8 KiB", "stream": 1},
]
BY_STREAM = {"ftl.separation": "by-stream", "ftl.separation.open_blocks": 4}


def trace(*writes: tuple[int, int]) -> reclaim.Trace:
    """Writes of a page, each of a stream."""
    records = [(1_000_000 * k, "write", PAGE * page, PAGE, stream) for k, (page, stream) in enumerate(writes)]
    return reclaim.Trace.from_records(records)


def run(given: reclaim.Trace, ranges: list[dict[str, Any]] = RANGES, **settings: Any) -> reclaim.Result:
    drive = reclaim.Device.preset("small").with_settings({"trace.streams": toml_value(ranges), **settings})
    return reclaim.simulate(drive, given, warmup="empty", warn=False)


@pytest.mark.parametrize("untimed", [False, True])
def test_requests_are_of_the_stream_of_their_range(untimed: bool) -> None:
    result = run(
        trace((0, 0), (1, 3), (2, 0), (3, 0), (3, 0), (4, 0), (5, 3)),
        **BY_STREAM,
        **{"measure.untimed": untimed},
    )
    pages = {name: of.host_bytes // PAGE for name, of in result.streams.items()}
    assert pages == {0: 1, 1: 2, 2: 3, 3: 1}, "beyond the ranges streams are those of the trace"


def test_handles_by_address_do_as_those_of_the_trace() -> None:
    pages = [k * k % 7 for k in range(400)]
    named = trace(*((page, 1 if page < 2 else 2 if page < 4 else 0) for page in pages))
    by_trace = run(named, [], **BY_STREAM).to_dict()
    by_range = run(trace(*((page, 0) for page in pages)), **BY_STREAM).to_dict()
    for figures in ("flash", "written", "streams", "requests"):
        assert by_range[figures] == by_trace[figures], figures


def test_figures_of_tenants_without_handles_are_told_too() -> None:
    assert list(run(trace((0, 0), (2, 0))).streams) == [1, 2]


@pytest.mark.parametrize(
    ("ranges", "says"),
    [
        ([{"first": "0 B", "bytes": "0 B", "stream": 1}], "is empty"),
        ([*RANGES, {"first": "12 KiB", "bytes": "1 GiB", "stream": 0}], "overlap"),
        ([{"first": "0 B", "bytes": "4 KiB", "stream": 256}], "stream"),
        ([{"first": "0 B", "bytes": "4 KiB"}], "stream"),
        ([{"begin": "0 B", "bytes": "4 KiB", "stream": 1}], "begin"),
        (
            [{"first": "0 B", "bytes": "4 KiB", "stream": 4}],
            r"stream 4.*0 to 3 with ftl.separation.open_blocks",
        ),
    ],
)
def test_ranges_that_make_no_sense_are_refused(ranges: list[dict[str, Any]], says: str) -> None:
    with pytest.raises(reclaim.ReclaimError, match=says):
        run(trace((0, 0)), ranges, **BY_STREAM)
