"""The sentence that a report begins with says no more than was measured; rows that say nothing fold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

import reclaim
from reclaim.report.html import render
from reclaim.result.folding import MOST_ROWS, fold, full_label
from reclaim.result.opening import compared, opening, told_of
from reclaim.result.repeated import Repeated
from reclaim.result.report import document
from reclaim.result.table import rows
from test_table import edited

READ, WRITE, AMPLIFICATION = (
    "requests__read__p99_9_ns",
    "requests__write__p99_9_ns",
    "gc__nand_write_amplification",
)
COUNTS = {"requests__read__count": 50_000, "requests__write__count": 50_000}
CLEAN = {"level": "trustworthy", "warnings": [], "doubts": [], "notes": []}
WARNED = CLEAN | {"level": "not-trustworthy"}


def doubting(*figures: str) -> dict[str, object]:
    doubt = {"code": "drift", "message": "It drifts.", "figures": list(figures), "remedy": None}
    return CLEAN | {"level": "not-established", "doubts": [doubt]}


def run(result: reclaim.Result, label: str, read: int, write: int, **changes: object) -> reclaim.Result:
    """A run with these tails in microseconds, and a write amplification of 1.5 if no other is given."""
    tails = {READ: 1000 * read, WRITE: 1000 * write, AMPLIFICATION: 1.5, "verdict": CLEAN}
    made = edited(result, **(COUNTS | tails | changes))
    made.label = label
    return made


@pytest.fixture
def base(results: list[reclaim.Result]) -> reclaim.Result:
    return results[0]


def repeated(result: reclaim.Result, label: str, factors: Sequence[float], **changes: Any) -> Repeated:
    """Repeats whose read latencies are those of 2 ms by these factors."""
    runs = [run(result, label, round(2000 * each), 1000, **changes) for each in factors]
    return Repeated(runs, label)


SAME = [1.0, 1.01, 1.02, 1.03, 1.04, 1.05]


def test_the_largest_effect_is_told_with_its_interval_and_what_goes_the_other_way(
    base: reclaim.Result,
) -> None:
    faster = [0.7, 0.71, 0.72, 0.73, 0.74, 0.75]
    found = [repeated(base, "a", SAME), repeated(base, "b", faster), repeated(base, "c", SAME)]
    said = opening(found)
    assert said.startswith(
        "b, compared with a in 6 repeats, lowers read p99.9 latency by 29 % (95 % interval"
    )
    assert said.endswith(": the only clear effect.")
    assert [each.candidate for each in compared(found)] == ["b", "c"]
    shown = {ratio.figure: ratio.shown for ratio in compared(found)[1].ratios}
    assert shown["read p99.9 latency"] == "no interval", "all repeats measured the same"


def test_one_run_of_each_is_no_evidence(base: reclaim.Result) -> None:
    found = [run(base, "a", 2000, 1000), run(base, "b", 1500, 1005)]
    said = opening(found)
    assert said == (
        "One run of each is a look, no evidence: b lowers read p99.9 latency by 25 % compared with a."
    )
    assert {ratio.shown for ratio in compared(found)[0].ratios} == {"no interval"}
    page = render(document(found, {}))
    assert 'class="verdict neutral"' in page
    assert "--repeats 6" in page.replace('<span class="option">', "").replace("</span>", "")
    alike = opening([run(base, "a", 2000, 1000), run(base, "b", 2001, 1000)])
    assert alike.endswith("a differ by less than 1 %.")


def test_a_doubted_figure_is_marked_and_claimed_by_no_sentence(base: reclaim.Result) -> None:
    doubted = doubting("requests.read.p99_9_ns")
    half = [each / 2 for each in SAME]
    found = [repeated(base, "a", SAME), repeated(base, "b", half, verdict=doubted)]
    marks = {ratio.figure: ratio.mark for ratio in compared(found)[0].ratios}
    assert marks["read p99.9 latency"] == "?"
    assert "lowers read p99.9" not in opening(found)
    distrusted = [repeated(base, "a", SAME), repeated(base, "b", half, verdict=WARNED)]
    assert {ratio.mark for ratio in compared(distrusted)[0].ratios} == {"!"}
    assert opening(distrusted).startswith("Not to be trusted (!): b, compared with a, lowers read p99.9")


def test_a_tail_is_one_that_ten_requests_lie_beyond_in_every_run(base: reclaim.Result) -> None:
    few = run(base, "b", 1, 1, requests__read__count=9_999, requests__write__count=900)
    figures = [each.name for each in told_of([run(base, "a", 1, 1), few])]
    assert figures[:3] == ["read mean latency", "read p99 latency", "write mean latency"]
    assert not any("write p9" in each for each in figures)


def test_of_one_run_figures_are_told_and_none_that_is_doubted(base: reclaim.Result) -> None:
    one = opening([run(base, "a", 2000, 1000, verdict=doubting("requests.read.p99_9_ns"))])
    assert "write p99.9 latency is 1 ms" in one
    assert one.endswith("inconclusive: read p99.9 latency.")
    assert "not trustworthy" in opening([run(base, "a", 1, 1, verdict=WARNED)])


def test_at_most_twelve_rows_are_in_sight_and_none_is_lost(results: list[reclaim.Result]) -> None:
    for shown in (results, results[:1]):
        folded = fold(shown)
        assert 0 < len(folded.first) <= MOST_ROWS
        grouped = [row for _, group in folded.groups for row in group]
        known = [row for row in rows(shown) if any(value is not None for value in row.values)]
        sorted_in = [*folded.first, *grouped, *folded.alike]
        assert sorted(map(full_label, sorted_in)) == sorted(map(full_label, known))
    assert {"read mean latency", "write amplification (bytes)"} <= {
        full_label(row) for row in fold(results).first
    }


def test_rows_that_are_equal_everywhere_are_folded_away(base: reclaim.Result) -> None:
    same = [run(base, "a", 2000, 1000), run(base, "b", 1500, 1000)]
    folded = fold(same)
    assert [full_label(row) for row in folded.first] == ["read p99.9 latency"]
    assert folded.groups == []
    assert "write p99.9 latency" in map(full_label, folded.alike)
    page = render(document(same, {}))
    table, rest = page.split('id="summary"')[1].split("</table>", 1)
    assert table.count("<tr>") == 2
    assert "The same for all schemes" in rest
    # One that a remark speaks against for one scheme alone is not the same.
    doubted = run(base, "b", 1500, 1000, verdict=doubting("requests.write.p99_9_ns"))
    assert "write p99.9 latency" in map(full_label, fold([same[0], doubted]).first)
    assert "All figures are the same for all schemes." in render(
        document([same[0], run(base, "b", 2000, 1000)], {})
    )


def test_a_report_opens_with_the_sentence_and_the_pictures(results: list[reclaim.Result]) -> None:
    page = render(
        document(results, {name: {} for name in ("latency_tail", "time_spent", "latency_cdf", "wear")})
    )
    places = [
        page.index(f'id="{name}"')
        for name in ("opening", "latency_tail", "time_spent", "summary", "latency_cdf", "wear")
    ]
    assert places == sorted(places)
    assert f'<p id="opening">{opening(results)}</p>' in page


def test_doubts_and_notes_are_counted_where_they_are_folded(base: reclaim.Result) -> None:
    page = render(document([run(base, "a", 1, 1, verdict=doubting()), run(base, "b", 2, 1)], {}))
    assert "<summary>1 doubt</summary>" in page
    assert "It drifts." in page
