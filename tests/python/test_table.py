"""The rows that terminal and report share, of runs and of sets."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from rich.console import Console
from rich.table import Table

import reclaim
from conftest import DEVICE, Command
from reclaim.report import html
from reclaim.report.document import Block
from reclaim.report.terminal import drawn, show
from reclaim.result.report import document
from reclaim.result.sets.metrics import PADDED as PADDED_COLUMN
from reclaim.result.sets.report import document as document_of_set
from reclaim.result.table import (
    ASKED,
    BEYOND,
    BY_HOST,
    IN_BYTES,
    IN_PAGES,
    PADDED,
    FigureRow,
    brief_rows,
    comparison,
    remark_blocks,
    remarks,
    result_tables,
    rows,
)
from reclaim.units import written
from study.small import GENERATED, experiment


def text_of(*renderables: Table | Block, width: int = 120) -> str:
    console = Console(width=width, record=True, file=io.StringIO())
    for each in renderables:
        if isinstance(each, Table):
            console.print(each)
        else:
            show([each], console)
    return console.export_text()


def comparison_tables(results: list[reclaim.Result], width: int) -> list[Table]:
    """The tables of a comparison that fit a terminal."""
    return drawn(comparison(results), width)


def render(results: list[reclaim.Result]) -> str:
    """The page of runs, without figures."""
    return html.render(document(results, {}))


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
    assert BEYOND in render([few])


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
    lines = text_of(*remark_blocks(results), width=1000).splitlines()
    assert [line.partition(":")[0] for line in lines[1:6]] == [
        *("verdict greedy", "verdict fifo", "warning fifo", "doubt fifo", "note")
    ]
    verdict = results[1].verdict
    assert [line.partition(": ")[2] for line in lines[3:5]] == [
        verdict.warnings[0].text,
        verdict.doubts[0].text,
    ]


def test_doubted_figures_are_marked(results: list[reclaim.Result], doubtful: reclaim.Result) -> None:
    shown = text_of(*result_tables(doubtful), *remark_blocks([doubtful]))
    assert "? inconclusive" in shown
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


UNITS = {"config__flash__program_unit": "word-line", "config__flash__cell": "TLC"}
MEAN = "mean latency of all requests"
NOTHING = "Nothing was collected"


def shown_in(results: list[reclaim.Result]) -> list[str]:
    """The tables of a run, of a comparison, and the report."""
    tables = [text_of(*result_tables(each)) for each in results]
    return [*tables, text_of(*comparison_tables(results, 200), width=200), render(results)]


def test_padding_is_shown_where_pages_are_padded_or_could_be(results: list[reclaim.Result]) -> None:
    none = [edited(each, gc__padded_pages_per_host_page=0.0) for each in results]
    assert not any(PADDED in text for text in shown_in(none))
    assert all(PADDED in text for text in shown_in([edited(each, **UNITS) for each in none]))
    # One that pads shows it for all.
    some = [none[0], edited(none[1], gc__padded_pages_per_host_page=0.25)]
    row = next(row for row in rows(some) if row.label == PADDED)
    assert row.texts() == ["0", "0.250"]
    assert all(PADDED in text for text in shown_in(some)[1:])
    # Word lines of one page are no units of several.
    single = UNITS | {"config__flash__cell": "SLC"}
    assert PADDED not in text_of(*comparison_tables([edited(each, **single) for each in none], 120))


def test_what_was_asked_stands_beside_what_came_of_it(results: list[reclaim.Result]) -> None:
    shown = [BY_HOST, "die utilisation, mean"]
    assert not {BY_HOST, *ASKED} & {row.label for row in brief_rows(results)}
    for key, label in zip(("die_host_asked", "die_asked"), ASKED, strict=True):
        asked = [edited(each, **{f"utilisation__{key}": 0.6}) for each in results]
        labels = [row.label for row in brief_rows(asked)]
        assert labels[labels.index(label) :][:3] == [label, *shown]
        for text in shown_in(asked):
            assert all(each.replace("'", "&#39;") in text or each in text for each in (label, *shown))
            assert "60.0 %" in text


def test_mean_latency_is_in_every_table_and_no_collection_is_told(results: list[reclaim.Result]) -> None:
    assert all(MEAN in text for text in shown_in(results))
    assert results[0].summary()["mean_latency_ns"] == results[0].to_dict()["mean_latency_ns"]
    assert NOTHING not in render(results)
    idle = [edited(each, gc__jobs=0) for each in results]
    page = render(idle)
    assert page.index(NOTHING) < page.index('id="summary"')
    assert NOTHING in render(idle[:1])


def first_column(text: str) -> str:
    """The labels of a table in the terminal; a page as it is."""
    rows = [line.split("│")[1] for line in text.splitlines() if line.startswith("│")]
    return " ".join(rows) if rows else text


@pytest.fixture(scope="module")
def padding(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A set of a scheme that pads nothing and one that does, on two traces, at a utilisation in total."""
    warm = {"warmup.kind": "overwrite", "warmup.overwrites": 1}
    target = {"host.target_total_utilisation": "20%", "host.target_scheme": "greedy"}
    sections: dict[str, Any] = {"axes": {}, "repeats": {"count": 1}, "set": warm | target}
    traces = [GENERATED, {**GENERATED, "name": "other"}]
    made = experiment(traces=traces, schemes=["greedy", "coupledcb"], **sections)
    return reclaim.sweep(made, tmp_path_factory.mktemp("padding") / "set", workers=1).folder


def test_a_set_has_padding_mean_latency_and_utilisations(padding: Path, command: Command) -> None:
    results = reclaim.ResultSet.load(padding)
    found = dict(results.points.group_by("scheme").agg(pl.col(PADDED_COLUMN).mean()).iter_rows())
    assert found["greedy"] == 0
    assert found["coupledcb"] > 0
    shown = command("results", "show", padding)
    page = html.render(document_of_set(results))
    for text in (shown.stdout, page):
        for label in (PADDED, MEAN, ASKED[1], "die utilisation, mean"):
            # In the terminal, a long label goes on in the lines below, with cells of the row beside it.
            assert label in " ".join(first_column(text).split()), label
        assert written(found["coupledcb"], "ratio") in text
        assert NOTHING not in text
    assert results.points["utilisation_die_asked"].unique().to_list() == [0.2]
    scales = {
        json.loads(each.read_text())["config"]["host"]["time_scale"]
        for each in padding.glob("points/*/results.json")
    }
    assert len(scales) == 1, "both schemes and both traces, which are alike, are played as fast"
    ended = swept(command, padding)
    for label in ("read mean", "write mean", "padded per", written(found["coupledcb"], "ratio")):
        assert label in ended


def swept(command: Command, folder: Path) -> str:
    """What the terminal tells of a sweep whose points are all there."""
    done = command("sweep", folder / "experiment.toml", "-o", folder)
    assert done.returncode in (0, 1, 3), done.stderr
    return done.stdout


def test_a_set_that_pads_nothing(set_folder: Path, tmp_path: Path, command: Command) -> None:
    assert PADDED not in " ".join(first_column(command("results", "show", set_folder).stdout).split())
    assert PADDED not in html.render(document_of_set(reclaim.ResultSet.load(set_folder)))
    quiet = experiment(set={"warmup.kind": "empty"}, axes={}, repeats={"count": 1})
    folder = reclaim.sweep(quiet, tmp_path / "set", workers=1).folder
    terminal, shown = swept(command, folder), command("results", "show", folder).stdout
    page = html.render(document_of_set(reclaim.ResultSet.load(folder)))
    for text, after in ((terminal, "Ratios to greedy"), (shown, "write p99 latency"), (page, "<table")):
        assert text.index(NOTHING) < text.index(after)


TOTAL = "--target-total-utilisation"


def test_all_schemes_of_a_comparison_are_played_at_one_speed(command: Command, trace_file: Path) -> None:
    words = ("compare", trace_file, "-d", DEVICE, "--warmup", "overwrite:1", "--schemes", "random,greedy")
    done = command(*words, TOTAL, "20%:greedy", "--json")
    assert done.returncode in (0, 1, 3), done.stderr
    random, greedy = json.loads(done.stdout)["runs"]
    assert random["config"]["host"] == greedy["config"]["host"]
    assert abs(greedy["utilisation"]["die"] / 0.2 - 1) <= 0.01
    assert greedy["utilisation"]["die_host"] <= greedy["utilisation"]["die"]
    assert "under greedy" in random["transforms"][-1]
    # A drive written down finds the same.
    settings = {"host.target_total_utilisation": "20%", "host.target_scheme": "greedy"}
    drive = reclaim.Device.preset(DEVICE).with_scheme("random", settings=settings)
    file = trace_file.with_name("d.toml")
    file.write_text(drive.to_toml())
    assert reclaim.Device.load(file).config == drive.config
    # What says too little is refused.
    for given, says in (("60%", "60%:greedy"), ("much:greedy", f"{TOTAL} much"), ("60%:gredy", '"greedy"')):
        done = command("run", trace_file, "-d", DEVICE, TOTAL, given)
        assert (done.returncode, done.stdout) == (2, "")
        assert says in done.stderr


@pytest.mark.parametrize(
    ("concerns", "cells"),
    [
        ((None, "doubt", None), [("", ""), ("?", "×2.00"), ("", "×4.00")]),
        (("warning", None, "doubt"), [("!", ""), ("", "×2.00 !"), ("?", "×4.00")]),
    ],
)
def test_a_ratio_has_the_mark_of_the_first_run_unless_it_has_its_own(
    concerns: tuple[Any, ...], cells: list[tuple[str, str]]
) -> None:
    row = FigureRow("Requests", "mean latency", "time", (1e3, 2e3, 4e3), concerns)
    assert [(each.mark, each.beside) for each in row.cells()] == cells
    assert [each.text for each in row.cells()] == row.texts()
