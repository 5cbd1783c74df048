"""Schemes of data placement in a log, beside the programs that SepBIT and MiDAS were published with."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest

import reclaim
from placement_study import bounded, page
from placement_study.bounded import SCHEMES
from placement_study.loads import LOADS, MIDAS_SPARE, load, midas_load


@pytest.mark.parametrize(
    "name",
    [each if each in ("zipf-1.2", "mixed") else pytest.param(each, marks=pytest.mark.slow) for each in LOADS],
)
def test_as_many_pages_are_written_as_by_the_published_program(name: str, tmp_path: Path) -> None:
    with page.WITNESS.open() as lines:
        rows = [row for row in csv.DictReader(lines) if row["trace"] == name and row["scheme"] in SCHEMES]
    assert len(rows) == 2 * len(SCHEMES)
    trace = load(name, tmp_path)
    for row in rows:
        log = reclaim.replay_log(trace, victim=row["victim"], **SCHEMES[row["scheme"]])
        counts = [log.user_pages, log.pages_written, log.collections]
        assert counts == [int(row[key]) for key in ("user_pages", "pages_written", "collections")], row


@pytest.mark.parametrize(
    ("name", "writes"),
    [("mixed", 1_500_000), *(pytest.param(name, 4_000_000, marks=pytest.mark.slow) for name in LOADS)],
)
def test_midas_writes_as_many_pages_as_its_program(name: str, writes: int, tmp_path: Path) -> None:
    told = [row for row in page.midas_witnessed() if (row["trace"], int(row["writes"])) == (name, writes)]
    assert [row["victim"] for row in told] == ["cost-benefit", "greedy", "fifo"]
    trace = midas_load(name, tmp_path, writes)
    # The shortest load is for every day: two choices of groups, of which one is merged again.
    for row in told if writes == 4_000_000 else told[:1]:
        log = reclaim.replay_log(trace, separation="midas", spare=MIDAS_SPARE, victim=row["victim"])
        assert [log.user_pages, log.pages_written] == [int(row["user_pages"]), int(row["pages_written"])], row


@pytest.mark.slow
def test_other_schemes_write_as_many_pages_to_a_bounded_log_as_is_stored(tmp_path: Path) -> None:
    with bounded.STORED.open() as lines:
        stored = [row for row in csv.DictReader(lines) if row["trace"] == "mixed"]
    assert [row["scheme"] for row in stored] == list(SCHEMES)
    trace = midas_load("mixed", tmp_path)
    for row in stored:
        log = reclaim.replay_log(trace, victim=row["victim"], spare=MIDAS_SPARE, **SCHEMES[row["scheme"]])
        assert log.pages_written == int(row["pages_written"]), row


def test_the_page_is_made_of_what_is_stored() -> None:
    assert page.PAGE.read_text() == page.render(), "make placement"


def test_the_page_says_what_its_figures_say() -> None:
    found: dict[tuple[str, str], dict[str, float]] = {}
    for each in page.witnessed():
        found.setdefault((each["load"], each["victim"]), {})[each["scheme"]] = each["amplification"]
    for (load_name, _), of in found.items():
        assert load_name == "uniform" or max(of["DAC"], of["SepBIT"]) < of["no separation"]
    assert any(of["DAC"] < of["future knowledge"] for of in found.values())
    of_midas = page.compared()
    # The page says that it depends: neither writes less in nearly all cases.
    assert min(of_midas["fewer"], of_midas["more"]) >= 10
    ratios = page.midas_over_sepbit()
    assert all(ratio > 1.02 for place, ratio in ratios.items() if place[0] == "mixed")
    assert all(ratio < 1 for place, ratio in ratios.items() if place[0] == "zipf-1.2")


@pytest.mark.parametrize("scheme", bounded.PAIR)
def test_a_recording_writes_as_many_pages_as_is_stored(scheme: str) -> None:
    with bounded.VARIED.open() as lines:
        rows = [row for row in csv.DictReader(lines) if (row["trace"], row["scheme"]) == ("sqlite", scheme)]
    trace = bounded.recorded("sqlite")
    assert len(rows) == len(bounded.SPARES) * len(bounded.VICTIMS)
    for row in rows[:2]:
        log = bounded.compare(trace, float(row["spare"]), row["victim"], scheme)
        assert log.pages_written == int(row["pages_written"]), row


def _pages(*pages: int) -> reclaim.Trace:
    return reclaim.Trace.from_records((1000 * n, "write", 4096 * page, 4096) for n, page in enumerate(pages))


def test_parameters_of_a_scheme_are_taken() -> None:
    trace = reclaim.uniform_trace(footprint_bytes=1 << 22, count=20_000)
    two, eight = (
        reclaim.replay_log(trace, separation={"kind": "dac", "open_blocks": count}, segment_pages=16)
        for count in (2, 8)
    )
    assert two.user_pages == eight.user_pages == 20_000
    assert two.pages_written != eight.pages_written
    assert two.write_amplification == two.pages_written / 20_000


def test_a_trim_makes_garbage_and_a_read_does_not() -> None:
    def replayed(op: str) -> reclaim.LogReplay:
        last = [(9000, op, 0, 8192), (10_000, "write", 4096 * 9, 4096)]
        writes = [(1000 * n, "write", 4096 * n, 4096) for n in range(4)]
        return reclaim.replay_log(reclaim.Trace.from_records([*writes, *last]), segment_pages=2)

    assert (replayed("trim").collections, replayed("read").collections) == (1, 0)


def test_what_makes_no_sense_is_refused() -> None:
    trace = _pages(0, 1)
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"separation": "sepbits"}, "sepbit"),
        ({"separation": {"open_blocks": 3}}, "name a scheme"),
        ({"separation": {"kind": "dac", "open_blocks": 9}}, "from 2 to 8"),
        ({"separation": {"kind": "dac", "regions": 3}}, "regions"),
        ({"victim": "fifo"}, "cost-benefit"),
        ({"garbage_share": 1.0}, "garbage_share"),
        ({"garbage_share": float("nan")}, "garbage_share"),
        ({"segment_pages": 1}, "segment_pages"),
        ({"page_bytes": 100}, "page_bytes"),
        ({"spare": 0.0}, "spare = 0.0"),
        ({"spare": 0.01}, "spare: .* too few for"),
        ({"separation": "midas"}, "spare=0.07"),
        ({"separation": {"kind": "midas", "groups": 4}, "spare": 0.1}, "groups"),
        ({"separation": "midas", "spare": 0.1}, "segment_pages: 512: .* MiDAS takes from 100"),
        ({"separation": "midas", "spare": 0.1, "segment_pages": 10}, "multiple of 4"),
        ({"separation": "midas", "spare": 0.1, "victim": "best"}, "fifo"),
    ]
    for arguments, says in wrong:
        with pytest.raises(reclaim.InputError, match=says):
            reclaim.replay_log(trace, **arguments)
    with pytest.raises(reclaim.InputError, match=r"segment_pages: 512: makes 8766 .* from 100 to 4096"):
        reclaim.replay_log(_pages(0, 1 << 22), separation="midas", spare=0.07)
    nothing = reclaim.Trace.from_records([(0, "read", 0, 4096)])
    with pytest.raises(reclaim.InputError, match="writes nothing"):
        reclaim.replay_log(nothing)


def test_progress_can_stop_it() -> None:
    def stop(*_: int) -> None:
        raise KeyboardInterrupt

    trace = reclaim.uniform_trace(footprint_bytes=1 << 28, count=4_000_000)
    with pytest.raises(KeyboardInterrupt):
        reclaim.replay_log(trace, progress=stop)
