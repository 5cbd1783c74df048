"""The rows that terminal and report share."""

from __future__ import annotations

import io
import json
import re

import pytest
from rich.console import Console

import reclaim
from reclaim.results.fitted_table import comparison_tables
from reclaim.results.report import render
from reclaim.results.table import BEYOND, IN_BYTES, IN_PAGES, remark_lines, remarks, result_tables, rows


def text_of(*renderables: object, width: int = 120) -> str:
    console = Console(width=width, record=True, file=io.StringIO())
    for each in renderables:
        console.print(each)
    return console.export_text()


def edited(result: reclaim.Result, **changes: object) -> reclaim.Result:
    data = result.to_dict()
    for path, value in changes.items():
        *parents, last = path.split("__")
        inner = data
        for parent in parents:
            inner = inner[parent]
        inner[last] = value
    return reclaim.Result(json.dumps(data))


def test_values_and_ratios_come_from_the_results(results: list[reclaim.Result]) -> None:
    by_label = {(row.section, row.label): row for row in rows(results)}
    greedy, fifo = (result.to_dict() for result in results)
    p99 = by_label["read", "p99 latency"]
    assert p99.values == (greedy["requests"]["read"]["p99_ns"], fifo["requests"]["read"]["p99_ns"])
    assert p99.ratios() == [1.0, p99.values[1] / p99.values[0]]
    amplification = [each["gc"]["write_amplification"] for each in (greedy, fifo)]
    assert by_label["drive", IN_PAGES].texts() == [f"{value:.3f}" for value in amplification]
    in_bytes = [each["gc"]["nand_write_amplification"] for each in (greedy, fifo)]
    assert by_label["drive", IN_BYTES].texts() == [f"{value:.3f}" for value in in_bytes]


def test_a_class_without_requests_is_left_out(results: list[reclaim.Result]) -> None:
    untrimmed = edited(results[0], requests__trim__count=0)
    assert {row.section for row in rows([untrimmed])} == {"read", "write", "flush", "drive"}
    assert {row.section for row in rows(results)} == {"read", "write", "trim", "flush", "drive"}


def test_the_last_percentile_says_how_many_lie_beyond(results: list[reclaim.Result]) -> None:
    few = edited(results[0], requests__read__count=9_999, requests__write__count=123_456)
    by_label = {(row.section, row.label): row for row in rows([few])}
    assert by_label["read", BEYOND].values == (0,)
    assert by_label["write", BEYOND].values == (12,)
    assert by_label["trim", BEYOND].values == (None,), "trims take no time here"
    for table in (result_tables(few)[0], comparison_tables([few], 120)[0]):
        assert f" {BEYOND} " in text_of(table)
    assert BEYOND in render([few], {})


def test_flushes_are_a_class_like_the_others(results: list[reclaim.Result]) -> None:
    by_label = {(row.section, row.label): row for row in rows(results[:1])}
    flushes = results[0].to_dict()["requests"]["flush"]
    assert by_label["flush", "p99 latency"].values == (flushes["p99_ns"],)
    assert " flush " in text_of(*result_tables(results[0]))
    assert "│ flush " in text_of(*comparison_tables(results, 120))


def test_what_a_policy_declares_is_a_row_whatever_its_name(results: list[reclaim.Result]) -> None:
    mine = {"blocks_weighed": {"value": 1234, "unit": "blocks", "about": "Blocks weighed."}}
    waited = {"time_waited": {"value": 5_000, "unit": "ns", "about": "Time."}}
    with_mine = edited(results[0], policies={"gc.victim": mine, "gc.trigger": waited})
    by_label = {row.label: row for row in rows([with_mine, results[1]])}
    assert by_label["gc.victim: blocks weighed"].texts() == ["1\u202f234", "–"]
    assert by_label["gc.trigger: time waited"].texts() == ["5 µs", "–"]


def test_a_counter_of_the_drive_is_a_row_without_being_named(results: list[reclaim.Result]) -> None:
    counted = edited(results[0], flash__lifted_pages=17)
    assert "flash: lifted pages" in {row.label for row in rows([counted])}


def test_a_class_one_run_lacks_shows_a_dash(results: list[reclaim.Result]) -> None:
    untrimmed = edited(results[1], requests__trim__count=0)
    mean = next(
        row for row in rows([results[0], untrimmed]) if (row.section, row.label) == ("trim", "mean latency")
    )
    assert mean.texts()[1] == "–"
    assert mean.ratios()[1] is None


def test_one_run_shows_every_latency_with_its_unit(results: list[reclaim.Result]) -> None:
    shown = text_of(*result_tables(results[0]))
    for label in ("p50", "p90", "p95", "p99", "p99.9", "p99.99"):
        assert f"{label} latency" in shown
    assert "µs" in shown
    assert "write amplification" in shown


def test_comparison_fits_an_ordinary_terminal_and_has_ratios(results: list[reclaim.Result]) -> None:
    shown = text_of(*comparison_tables(results, 80), width=80)
    amplification = [result.to_dict()["gc"]["write_amplification"] for result in results]
    assert f"×{amplification[1] / amplification[0]:.2f}" in shown
    assert "…" not in shown


SIX = ("greedy", "adaptive", "word-line", "copyback-odd-even", "gc-bypass", "raid5")


def six(results: list[reclaim.Result]) -> list[reclaim.Result]:
    named = [edited(results[index % 2]) for index in range(len(SIX))]
    for each, name in zip(named, SIX, strict=True):
        each.label = name
    return named


@pytest.mark.parametrize(("width", "tables"), [(200, 1), (120, 1), (100, 1), (80, 2), (60, 5)])
def test_six_schemes_fit_a_terminal_and_no_word_is_broken(
    results: list[reclaim.Result], width: int, tables: int
) -> None:
    made = comparison_tables(six(results), width)
    assert len(made) == tables
    for table in made:
        # Drawn with room to spare, it is no wider; drawn as wide as it is, nothing is cut.
        assert max(map(len, text_of(table, width=400).rstrip().splitlines()[1:])) <= width
    shown = text_of(*made, width=width)
    assert "…" not in shown
    words = set(re.findall(r"[\w.]+", shown))
    whole = set(re.findall(r"[\w.]+", text_of(*comparison_tables(six(results), 400), width=400)))
    assert words == whole


def test_the_widest_columns_are_folded_first(results: list[reclaim.Result]) -> None:
    named = six(results)
    heads = {
        width: text_of(*comparison_tables(named, width), width=width).splitlines() for width in (116, 100)
    }
    assert any("copyback-" in line and "odd-even" not in line for line in heads[100])
    [ratios] = {
        line.count("×") for line in heads[116] if " mean latency " in line and "│" in line and "ms" in line
    }
    assert 0 < ratios < 5, "some are beside their figures, others below"
    assert not any("×" in line for line in heads[100] if " p99 latency " in line)
    # A table that fits is not folded at all.
    assert "copyback-odd-even" in text_of(*comparison_tables(named, 160), width=160)


def test_tables_that_follow_begin_with_the_first_scheme_again(results: list[reclaim.Result]) -> None:
    first, second = comparison_tables(six(results), 80)
    assert [table.columns[1].header for table in (first, second)] == ["greedy", "greedy"]
    shown = [str(column.header).replace("\n", "") for each in (first, second) for column in each.columns[2:]]
    assert shown == list(SIX[1:])


def test_a_remark_is_made_once_and_names_whom_it_concerns(results: list[reclaim.Result]) -> None:
    found = remarks(results)
    assert list(found["warning"].values()) == [["fifo"]]
    assert list(found["doubt"].values()) == [["fifo"]]
    # Both have the same number of reads and writes.
    samples = next(text for text in found["note"] if text.startswith("Percentiles"))
    assert found["note"][samples] == []
    lines = [line.plain for line in remark_lines(results)]
    assert lines[:3] == [
        "! not to be trusted, ? not established",
        "verdict greedy: trustworthy",
        "verdict fifo: not trustworthy",
    ]
    assert lines[3] == f"warning fifo: {results[1].verdict.warnings[0].text}"
    assert lines[4] == f"doubt fifo: {results[1].verdict.doubts[0].text}"
    assert lines[5] == f"note {samples}"


def test_figures_that_are_not_established_are_marked(
    results: list[reclaim.Result], doubtful: reclaim.Result
) -> None:
    shown = text_of(*result_tables(doubtful), *remark_lines([doubtful]))
    assert "verdict: some figures are not established" in shown
    assert "? not established" in shown
    line = next(line for line in shown.splitlines() if IN_BYTES in line)
    assert re.search(r"\d \?", line), line
    assert "To settle it: --warmup workload." in " ".join(shown.split())
    of_row = {(row.section, row.label): row.marks() for row in rows([*results, doubtful])}
    assert of_row["drive", IN_BYTES] == of_row["drive", IN_PAGES] == ["", "?", "?"]
    # A class of its own few samples: p99.99 of 7,088 reads.
    assert of_row["read", "p99.99 latency"] == ["?", "!", "?"]
    assert of_row["read", "p50 latency"] == ["", "!", ""]
    assert of_row["drive", "blocks erased"] == ["", "", ""], "what was counted was counted"


def test_a_missing_figure_has_no_mark(doubtful: reclaim.Result) -> None:
    unwritten = edited(doubtful, gc__nand_write_amplification=None)
    row = next(row for row in rows([unwritten]) if row.label == IN_BYTES)
    assert (row.texts(), row.marks()) == (["–"], [""])
