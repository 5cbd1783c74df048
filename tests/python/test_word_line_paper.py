"""The paper on word-line-aware GC as it ships: every printed number is there, and has a reading."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

from reclaim.papers.job_times import LOGS, with_job_times
from reclaim.papers.paper import load_paper
from word_line import READINGS, experiment, reductions
from word_line.curves import SERIES, csv_of
from word_line.experimental import half_interval
from word_line.normal import reduction
from word_line.pools import DIALS, OTHERWISE, PASSING, of_level
from word_line.reproduction import controls, figures
from word_line.tables import tables

# What the paper prints: abstract, sections III and IV, conclusion.
PRINTED = [
    "abstract-analytical-better-in-all-cases",
    "abstract-analytical-mean-gain",
    "abstract-experimental-best-gain",
    "s3-vanilla-slower-up-to",
    "s3-invalid-count-not-optimal",
    "f4-wla-picks-block-1",
    "f4-latency-block-1",
    "f4-vanilla-picks-block-0",
    "f4-latency-block-0",
    "f4-vanilla-slower",
    "f5-better-in-most-cases",
    "f5-worst-case-equal",
    "f5-share-equal",
    "f5-share-better",
    "f5-mean-latency-wla",
    "f5-mean-latency-vanilla",
    "f5-mean-gain",
    "f6-similar-to-analytical",
    "f6-worst-case-equal",
    "f6-max-gain",
    "f6-mean-gain",
    "f6-gain-shrinks-with-valid-pages",
    "f6-better-from-5-to-95",
    "conclusion-considerable-reduction",
    "conclusion-analytical-best-reduction",
    "conclusion-experimental-best-gain",
    "conclusion-worst-case-comparable",
]
OURS = ("drive-", "placement-", "replica-")
"""Beginnings of ids of claims that the paper does not make."""
BY_SEARCH = {"s3-vanilla-slower-up-to", "conclusion-analytical-best-reduction"}
"""37.5 %: a reading that was found by search is no derivation; ours is by the reading of the averages."""


def test_every_printed_claim_is_there_and_no_other() -> None:
    claims = load_paper("word-line-aware").expected.claims
    assert len(PRINTED) == 27
    assert [each.id for each in claims if not each.id.startswith(OURS)] == PRINTED


def test_every_claim_of_a_model_names_its_reading() -> None:
    for claim in load_paper("word-line-aware").expected.claims:
        if claim.figure and not claim.repeats and "vanilla-picks" not in claim.id:
            assert any(name in claim.remark for name in READINGS), claim.id


@pytest.fixture(scope="module")
def quick() -> dict[str, float]:
    """Value of every figure of level quick."""
    return {name: each.figure.value for name, each in figures("quick", lambda *_: None).items()}


def test_figures_are_those_of_the_models(quick: dict[str, float]) -> None:
    claims = [each for each in load_paper("word-line-aware").expected.claims if each.group in ("f4", "f5")]
    numbers = [each for each in claims if each.figure and isinstance(each.value, float)]
    assert len(numbers) == 11
    assert {each.id for each in numbers if not each.matches(quick[each.figure])} == BY_SEARCH
    assert quick["figure 5: largest slowdown"] == pytest.approx(400 / 3)
    assert quick["figure 5: largest reduction"] == pytest.approx(400 / 7)


def test_the_published_program_explains_the_headline(quick: dict[str, float]) -> None:
    assert abs(quick["published program: largest"] - 55.0) < 1.5
    assert abs(quick["published program: mean"] - 17.7) < 0.6
    assert 8.3 < quick["figure 6: largest gain"] < 8.6
    assert 2.4 < quick["figure 6: mean gain"] < 2.6
    assert 0.3 < quick["largest, beside greedy, 4096 pages"] < 0.4
    assert 16.4 < quick["largest, beside arbitrary, 1024 pages, published"] < 16.8


def test_the_fewest_valid_pages_save_nearly_as_much(quick: dict[str, float]) -> None:
    found = {name: each.figure.value for name, each in controls().items() if each.figure}
    for kind in ("largest", "mean"):
        ours, control = quick[f"figure 6: {kind} gain"], found[f"fewest valid pages: {kind} gain"]
        assert 0.9 * ours < control < ours
    assert found["figure 5: reduction beside the mean placement"] == pytest.approx(
        100 * (1 - 38.125 / 44.625)
    )


@pytest.mark.parametrize("name", SERIES)
def test_curves_are_those_of_the_page(name: str) -> None:
    """`python -m word_line.curves page.json` makes them anew."""
    folder = load_paper("word-line-aware").folder
    data = json.loads((folder / "page.json").read_text(encoding="utf-8"))
    assert (folder / name).read_text(encoding="utf-8") == csv_of(data, name)


def test_the_report_has_a_table_of_each_step_of_the_map() -> None:
    names = {each.name: each for each in tables(of_level("quick"))}
    assert list(names) == ["pools", "thresholds", "pools-choices"]
    assert [row[0] for row in names["pools"].rows] == [str(dial) for dial in DIALS]
    assert [row[0] for row in names["thresholds"].rows] == [str(each) for each in PASSING]
    assert [row[0] for row in names["pools-choices"].rows] == list(OTHERWISE)
    assert all(all(row) for table in names.values() for row in table.rows)


@pytest.mark.parametrize("baseline", ["greedy", "arbitrary", "worst"])
def test_the_closed_form_is_near_the_experiment(baseline: str) -> None:
    reading = READINGS["table-1-erase"]
    table = experiment(blocks=40_000, pages_per_block=16384, valid_percents=[25, 75], batches=2)
    for percent, ours in reductions(table).select("valid_percent", baseline).iter_rows():
        assert ours == pytest.approx(reduction(reading, 16384, percent / 100, baseline), rel=0.1)


def test_half_an_interval_is_that_of_the_mean() -> None:
    assert half_interval([1.0]) is None
    assert half_interval([0.0, 2.0]) == pytest.approx(12.706, rel=1e-3)


def test_times_of_jobs_come_of_their_log(tmp_path: Path) -> None:
    points = pl.DataFrame({"point": ["a", "b", "c"], "flash_host_programs": [10, 0, 5]})
    assert with_job_times(points, tmp_path).columns == points.columns
    log = {"point": ["a", "a", "b"], "start_ns": [0, 100, 7], "end_ns": [40, 160, 17]}
    log["written_back_ns"] = [50, 160, 17]
    unsigned = dict.fromkeys(("start_ns", "end_ns", "written_back_ns"), pl.UInt64)
    pl.DataFrame(log, schema_overrides=unsigned).write_parquet(tmp_path / LOGS)
    found = with_job_times(points, tmp_path)
    assert found["gc_job_written_back_mean_ns"].to_list() == [55.0, 10.0, None]
    assert found["gc_job_mean_ns"].to_list() == [50.0, 10.0, None]
    assert found["gc_job_p99_ns"].to_list() == [60.0, 10.0, None]
    assert found["gc_jobs_ns_per_host_page"].to_list() == [10.0, None, None]
    assert found["point"].to_list() == ["a", "b", "c"]
