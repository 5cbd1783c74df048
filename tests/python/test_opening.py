"""The sentence that a report begins with says no more than was measured; rows that say nothing fold."""

from __future__ import annotations

import pytest

import reclaim
from reclaim.report.html import render
from reclaim.result.folding import MOST_ROWS, fold, full_label
from reclaim.result.opening import opening
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


def test_it_says_who_is_ahead_by_how_much_and_what_is_as_good(base: reclaim.Result) -> None:
    said = opening([run(base, "a", 2000, 1000), run(base, "b", 1500, 1005), run(base, "c", 3000, 2000)])
    parts = said.split("; ")
    assert "without repeats" in parts[0]
    assert "b has the lowest p99.9 read latency (1.500 ms, 25 % below a)" in parts[0]
    assert parts[1] == "a and b share the lowest p99.9 write latency within 1 % (1 ms)"
    assert parts[2] == "write amplification (bytes) is the same for all schemes within 1 % (1.500)."
    next_is = opening([run(base, "a", 1000, 1000), run(base, "b", 2000, 1000), run(base, "c", 1250, 1000)])
    assert "a has the lowest p99.9 read latency (1 ms, 20 % below the next, c)" in next_is


def test_what_is_not_established_wins_nothing_and_is_named(base: reclaim.Result) -> None:
    doubted = doubting("requests.read.p99_9_ns", "gc.nand_write_amplification")
    found = [
        run(base, "a", 2000, 1000),
        run(base, "b", 100, 500, gc__nand_write_amplification=1.1, verdict=doubted),
        run(base, "c", 3000, 2000),
    ]
    said = opening(found)
    assert "a has the lowest established p99.9 read latency (2 ms, 33 % below the next, c)" in said
    assert "b has the lowest p99.9 write latency (500 µs, 50 % below a)" in said
    assert said.endswith("; not established: p99.9 read latency and write amplification (bytes) of b.")


def test_runs_that_are_not_trustworthy_take_no_part(base: reclaim.Result) -> None:
    found = [run(base, "a", 2000, 1000), run(base, "b", 100, 100, verdict=WARNED), run(base, "c", 3000, 2000)]
    said = opening(found)
    assert said.endswith("; not trustworthy: b.")
    assert "b has" not in said
    assert "lowest" not in opening([run(each, each.label, 1, 1, verdict=WARNED) for each in found])
    assert "nothing is established" in opening(found[:2])


def test_a_tail_is_one_that_ten_requests_lie_beyond_in_every_run(base: reclaim.Result) -> None:
    few = run(base, "b", 1, 1, requests__read__count=9_999, requests__write__count=900)
    said = opening([run(base, "a", 1, 1), few])
    assert ("p99 read latency" in said, "p99.9 read latency" in said) == (True, False)
    assert "mean write latency" in said


def test_a_single_run_is_ahead_of_nobody(base: reclaim.Result) -> None:
    figures = "requests.read.p99_9_ns", "requests.write.p99_9_ns", "gc.nand_write_amplification"
    one = opening([run(base, "a", 2000, 1000, verdict=doubting(figures[0]))])
    assert (
        "p99.9 write latency is 1 ms and write amplification (bytes) is 1.500; not established: p99.9 r"
        in one
    )
    none = opening([run(base, "a", 2000, 1000, verdict=doubting(*figures))])
    assert "none of p99.9 read latency, p99.9 write latency and write amplification (bytes) is" in none
    assert "establish nothing" in opening([run(base, "a", 1, 1, verdict=WARNED)])


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
