"""Verdicts in Python: levels, warnings, percentiles, and the page that explains them."""

from __future__ import annotations

import json
import re
import warnings
from pathlib import Path

import pytest

import reclaim
from conftest import DEVICE
from reclaim.results.verdict import Verdict, worst

REPOSITORY = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def short() -> reclaim.Trace:
    """Writes all over a drive, but few."""
    return reclaim.uniform_trace(footprint_bytes=32 << 20, count=200, mean_interarrival_ns=1_000_000)


def test_a_doubt_is_issued_as_a_warning_and_a_trusted_result_says_nothing(short: reclaim.Trace) -> None:
    drive = reclaim.Device.preset(DEVICE)
    with pytest.warns(reclaim.ResultWarning) as issued:
        result = reclaim.simulate(drive, short, warmup="steady")
    assert result.verdict.level == "not-established"
    assert not result.verdict.trustworthy
    doubts = [f"{doubt.code}: {doubt.text}" for doubt in result.verdict.doubts]
    assert [str(each.message) for each in issued] == doubts
    assert all(each.filename == __file__ for each in issued), "it points at the caller"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        trusted = reclaim.simulate(drive, short, warmup="steady", warn=False)
    assert trusted.to_json() == result.to_json()


def test_a_remark_names_figures_that_are_there(short: reclaim.Trace) -> None:
    result = reclaim.simulate(reclaim.Device.preset(DEVICE), short, warmup="steady", warn=False)
    data = result.to_dict()
    named = {figure for doubt in result.verdict.doubts for figure in doubt.figures}
    assert {"gc.nand_write_amplification", "gc.write_amplification"} <= set(named)
    for figure in named:
        inner = data
        for key in figure.split("."):
            inner = inner[key]
        assert inner is None or isinstance(inner, int | float), figure
    assert result.verdict.concerning("gc.nand_write_amplification") == "doubt"
    assert result.verdict.concerning("flash.erases") is None


def test_ten_requests_beyond_make_a_percentile(results: list[reclaim.Result]) -> None:
    data = results[0].to_dict()
    read = results[0].read
    assert (read.count, data["requests"]["read"]["not_established"]) == (7088, ["p99_9_ns", "p99_99_ns"])
    assert [read.latency.is_established(each) for each in (99, 99.9, 100)] == [True, False, True]
    for count, percent, expected in (
        (100_000, 99.99, True),
        (99_999, 99.99, False),
        (1000, 99, True),
        (999, 99, False),
        (0, 50, False),
    ):
        data["requests"]["read"]["count"] = count
        found = reclaim.Result(json.dumps(data)).read.latency
        assert found.is_established(percent) is expected, (count, percent)


def test_the_worst_of_several_runs_counts(results: list[reclaim.Result], doubtful: reclaim.Result) -> None:
    good, bad = (result.verdict for result in results)
    assert worst([good]) == "trustworthy"
    assert worst([good, doubtful.verdict]) == "not-established"
    assert worst([doubtful.verdict, bad, good]) == "not-trustworthy"


def test_the_verdict_of_an_earlier_version_is_refused(results: list[reclaim.Result], tmp_path: Path) -> None:
    data = results[0].to_dict()
    data["verdict"] = {"trustworthy": True, "warnings": [], "notes": []}
    (tmp_path / "results.json").write_text(json.dumps(data))
    with pytest.raises(reclaim.InputError, match=r"results\.json: .*verdict.doubts"):
        reclaim.Result.load(tmp_path)
    with pytest.raises(reclaim.InputError):
        Verdict.of(data["verdict"])


def test_every_code_has_its_paragraph_and_no_paragraph_is_of_a_code_that_is_gone() -> None:
    source = "\n".join(path.read_text() for path in (REPOSITORY / "crates" / "sim" / "src").rglob("codes.rs"))
    codes = set(re.findall(r'^    [A-Z]\w+ "([a-z-]+)",$', source, flags=re.MULTILINE))
    assert len(codes) > 10
    page = (REPOSITORY / "docs" / "verdicts.md").read_text().split("## Every code")[1]
    described = set(re.findall(r"^\| `([a-z-]+)` \|", page, flags=re.MULTILINE))
    assert described == codes
