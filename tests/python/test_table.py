"""The rows that terminal and report share."""

from __future__ import annotations

import io
import json
import re
from typing import Any

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
    by_label = rows_by_label(results)
    greedy, fifo = (result.to_dict() for result in results)
    p99 = by_label["read", "p99 latency"]
    assert p99.values == (greedy["requests"]["read"]["p99_ns"], fifo["requests"]["read"]["p99_ns"])
    assert p99.ratios() == [1.0, p99.values[1] / p99.values[0]]
    for label, key in ((IN_PAGES, "write_amplification"), (IN_BYTES, "nand_write_amplification")):
        assert by_label["drive", label].texts() == [f"{each['gc'][key]:.3f}" for each in (greedy, fifo)]
    ratio = f"×{fifo['gc']['write_amplification'] / greedy['gc']['write_amplification']:.2f}"
    assert ratio in text_of(*comparison_tables(results, 80), width=80)


def rows_by_label(results: list[reclaim.Result]) -> dict[tuple[str, str], Any]:
    return {(row.section, row.label): row for row in rows(results)}


def test_a_class_without_requests_is_left_out(results: list[reclaim.Result]) -> None:
    assert {row.section for row in rows(results)} == {"read", "write", "trim", "flush", "drive"}
    untrimmed = edited(results[0], requests__trim__count=0)
    assert {row.section for row in rows([untrimmed])} == {"read", "write", "flush", "drive"}
    # Of a class that one run lacks, a dash.
    mean = rows_by_label([results[1], untrimmed])["trim", "mean latency"]
    assert (mean.texts()[1], mean.ratios()[1]) == ("–", None)
    flushes = results[0].to_dict()["requests"]["flush"]
    assert rows_by_label(results[:1])["flush", "p99 latency"].values == (flushes["p99_ns"],)
    assert " flush " in text_of(*result_tables(results[0]))
    assert "│ flush " in text_of(*comparison_tables(results, 120))


def test_the_last_percentile_says_how_many_lie_beyond(results: list[reclaim.Result]) -> None:
    few = edited(results[0], requests__read__count=9_999, requests__write__count=123_456)
    by_label = rows_by_label([few])
    # Trims take no time here.
    for name, beyond in (("read", 0), ("write", 12), ("trim", None)):
        assert by_label[name, BEYOND].values == (beyond,)
    for table in (result_tables(few)[0], comparison_tables([few], 120)[0]):
        assert f" {BEYOND} " in text_of(table)
    assert BEYOND in render([few], {})


def test_what_a_policy_or_the_drive_counts_is_a_row_whatever_its_name(results: list[reclaim.Result]) -> None:
    mine = {"blocks_weighed": {"value": 1234, "unit": "blocks", "about": "Blocks weighed."}}
    waited = {"time_waited": {"value": 5_000, "unit": "ns", "about": "Time."}}
    policies = {"gc.victim": mine, "gc.trigger": waited}
    with_mine = edited(results[0], policies=policies, flash__lifted_pages=17)
    by_label = {row.label: row for row in rows([with_mine, results[1]])}
    assert by_label["gc.victim: blocks weighed"].texts() == ["1\u202f234", "–"]
    assert by_label["gc.trigger: time waited"].texts() == ["5 µs", "–"]
    assert "flash: lifted pages" in by_label


def test_one_run_shows_every_latency_with_its_unit(results: list[reclaim.Result]) -> None:
    shown = text_of(*result_tables(results[0]))
    for label in ("p50", "p90", "p95", "p99", "p99.9", "p99.99"):
        assert f"{label} latency" in shown
    assert "µs" in shown


SIX = ("greedy", "adaptive", "word-line", "copyback-odd-even", "gc-bypass", "raid5")


def six(results: list[reclaim.Result]) -> list[reclaim.Result]:
    named = [edited(results[index % 2]) for index in range(len(SIX))]
    for each, name in zip(named, SIX, strict=True):
        each.label = name
    return named


@pytest.mark.parametrize(("width", "tables"), [(200, 1), (120, 1), (100, 1), (80, 2), (60, 5)])
def test_six_schemes_fit_a_terminal(results: list[reclaim.Result], width: int, tables: int) -> None:
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
    means = [line for line in heads[116] if " mean latency " in line and "│" in line and "ms" in line]
    assert {0 < line.count("×") < 5 for line in means} == {True}, (
        "some are beside their figures, others below"
    )
    assert not any("×" in line for line in heads[100] if " p99 latency " in line)
    # A table that fits is not folded at all.
    assert "copyback-odd-even" in text_of(*comparison_tables(named, 160), width=160)
    # Tables that follow begin with the first scheme again.
    both = comparison_tables(named, 80)
    assert [table.columns[1].header for table in both] == ["greedy", "greedy"]
    shown = [str(column.header).replace("\n", "") for each in both for column in each.columns[2:]]
    assert shown == list(SIX[1:])


def test_a_remark_is_made_once_and_names_whom_it_concerns(results: list[reclaim.Result]) -> None:
    found = remarks(results)
    assert list(found["warning"].values()) == [["fifo"]]
    assert list(found["doubt"].values()) == [["fifo"]]
    # Both have the same number of reads and writes.
    samples = next(text for text in found["note"] if text.startswith("Percentiles"))
    assert found["note"][samples] == []
    lines = [line.plain for line in remark_lines(results)]
    assert [line.partition(":")[0] for line in lines[1:6]] == [
        *(
            "verdict greedy",
            "verdict fifo",
            "warning fifo",
            "doubt fifo",
            f"note {samples.partition(':')[0]}",
        ),
    ]
    verdict = results[1].verdict
    assert [line.partition(": ")[2] for line in lines[3:5]] == [
        verdict.warnings[0].text,
        verdict.doubts[0].text,
    ]


def test_doubted_figures_are_marked(results: list[reclaim.Result], doubtful: reclaim.Result) -> None:
    shown = text_of(*result_tables(doubtful), *remark_lines([doubtful]))
    assert "? not established" in shown
    line = next(line for line in shown.splitlines() if IN_BYTES in line)
    assert re.search(r"\d \?", line), line
    assert "--warmup workload" in " ".join(shown.split())
    of_row = {key: row.marks() for key, row in rows_by_label([*results, doubtful]).items()}
    assert of_row["drive", IN_BYTES] == of_row["drive", IN_PAGES] == ["", "?", "?"]
    # A class of its own few samples: p99.99 of 7,088 reads.
    assert of_row["read", "p99.99 latency"] == ["?", "!", "?"]
    assert of_row["read", "p50 latency"] == ["", "!", ""]
    assert of_row["drive", "blocks erased"] == ["", "", ""], "what was counted was counted"
    # A figure that is missing has no mark.
    unwritten = edited(doubtful, gc__nand_write_amplification=None)
    row = next(row for row in rows([unwritten]) if row.label == IN_BYTES)
    assert (row.texts(), row.marks()) == (["–"], [""])
