"""Figures of a set that a verdict speaks against have a mark wherever they are printed; no others have."""

from __future__ import annotations

import json
import re
import shutil
from io import StringIO
from pathlib import Path

import polars as pl
import pytest
from rich.console import Console

import reclaim
from conftest import Command
from reclaim.report.document import Cell, Table
from reclaim.report.terminal import drawn, show
from reclaim.result.sets import ResultSet
from reclaim.result.sets.brief import ratio_tables
from reclaim.result.sets.remarks import top_reason
from reclaim.result.sets.report_tables import legend, of_trace, over_traces
from reclaim.result.table import comparison
from reclaim.result.verdict import Verdict, column
from small_set import write_set

WA, READS = "gc.write_amplification", "requests.read.mean_ns"
IN_BYTES = "gc.nand_write_amplification"


@pytest.fixture(scope="module")
def trusted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A set of three schemes, two repeats each, against which nothing speaks; not to be changed."""
    folder = write_set(tmp_path_factory.mktemp("trusted"), axis=("1",), repeats=2)
    _judge(folder, pl.lit(value=True), "trustworthy", {})
    return folder


def _judge(folder: Path, chosen: pl.Expr, level: str, named: dict[str, list[str]]) -> ResultSet:
    """Give points another verdict: for each kind, the figures that one remark of it names."""
    points = pl.read_parquet(folder / "points.parquet")
    verdict: dict[str, object] = {"level": level, "warnings": [], "doubts": [], "notes": []}
    for kind, figures in named.items():
        remark = {"code": f"a-{kind}", "message": f"This is a {kind}.", "figures": figures, "remedy": None}
        verdict[f"{kind}s"] = [remark]
    # Of an earlier version, which read every point for what it says.
    (folder / "remarks.parquet").unlink(missing_ok=True)
    for point in points.filter(chosen)["point"].to_list():
        file = folder / "points" / point / "results.json"
        content = json.loads(file.read_text()) | {"verdict": verdict}
        for requests in content["requests"].values():
            requests["not_established"] = []
        file.write_text(json.dumps(content))
    changed = pl.when(chosen).then(pl.lit(level)).otherwise("verdict").alias("verdict")
    points.with_columns(changed).write_parquet(folder / "points.parquet")
    return ResultSet.load(folder)


def _with(folder: Path, to: Path, scheme: str, level: str, **named: list[str]) -> ResultSet:
    """The same set, in which the last repeat of a scheme on each trace has another verdict."""
    if not to.exists():
        shutil.copytree(folder, to)
    return _judge(to, (pl.col("scheme") == scheme) & (pl.col("repeat") == 1), level, named)


PAGES = "write amplification (pages)"


def _row(table: Table, label: str) -> list[Cell]:
    return next(cells for name, *cells in table.body if name.text == label)


def _marks(results: ResultSet, label: str = PAGES) -> list[str]:
    return [each.mark for each in _row(of_trace(results, "quiet", ""), label)]


def _marks_over(results: ResultSet, label: str = PAGES) -> list[str]:
    return [each.mark for each in _row(over_traces(results, ""), label)]


def test_a_doubt_marks_the_figures_that_it_names_and_no_others(trusted: Path, tmp_path: Path) -> None:
    assert top_reason(ResultSet.load(trusted)) == ""
    results = _with(trusted, tmp_path / "set", "fifo", "not-established", doubt=[WA])
    assert top_reason(results) == "doubt: fifo (2 of 12 points): for example: This is a doubt."
    assert _marks(results) == ["", "?", ""]
    assert _marks(results, "write mean latency") == ["", "", ""]
    assert _marks(results, "write p99.99 latency") == ["?", "?", "?"], "too few requests"
    assert _marks(results, "blocks erased") == ["", "", ""]
    results = _with(trusted, tmp_path / "set", "suspend", "not-trustworthy", warning=[READS, WA])
    assert _marks(results) == _marks_over(results) == ["", "?", "!"]
    assert _marks(results, "mean latency of all requests") == ["", "", "!"], "it is made of reads, too"
    assert legend([over_traces(results, "")]) == "! not to be trusted, ? inconclusive"
    assert top_reason(results).startswith("warning: suspend (2 of 12 points)")
    # Where the folders of points are gone, their level marks all.
    shutil.rmtree(tmp_path / "set" / "points")
    assert _marks(ResultSet.load(tmp_path / "set"), "write mean latency") == ["", "?", "!"]


def test_a_doubt_of_the_first_scheme_is_one_of_every_ratio_to_it(trusted: Path, tmp_path: Path) -> None:
    results = _with(trusted, tmp_path / "set", "greedy", "not-established", doubt=[WA])
    row = _row(of_trace(results, "quiet", ""), PAGES)
    ratios = ["".join(below.mark for below in each.below) for each in row]
    assert [(each.mark, ratio) for each, ratio in zip(row, ratios, strict=True)] == [
        ("?", ""),
        ("", "?"),
        ("", "?"),
    ]
    assert _marks_over(results) == ["?"] * 3
    assert _marks_over(results, "write mean latency") == [""] * 3


def test_whatever_shows_a_set_has_marks(command: Command, trusted: Path, tmp_path: Path) -> None:
    results = _with(trusted, tmp_path / "set", "fifo", "not-established", doubt=[WA, IN_BYTES])
    shown = command("results", "show", tmp_path / "set").stdout
    line = next(each for each in shown.splitlines() if each.startswith("│ write amplification"))
    assert ["?" in each for each in line.split("│")[2:-1]] == [False, True, False]
    screen = Console(width=120, record=True, file=StringIO())
    show(ratio_tables(results), screen)
    ended = screen.export_text()
    last = [each for each in ended.splitlines() if each.startswith("│ write amplification")][-1]
    assert ["?" in each for each in last.split("│")[2:-1]] == [False, True, False]
    page = results.report(tmp_path / "page.html").read_text(encoding="utf-8")
    row, *_ = re.findall(r"<tr><td>write amplification \(bytes\)</td>(.*?)</tr>", page)
    assert ["<b>?</b>" in each for each in row.split("</td>")[:3]] == [False, True, False]
    assert [text.count("? inconclusive") for text in (shown, ended, page)] == [1, 1, 1]


def test_a_run_with_json_says_why_it_ends_with_3(command: Command, trace_file: Path) -> None:
    done = command("run", trace_file, "-d", "coupled-copyback-mini", "--warmup", "overwrite:1", "--json")
    assert done.returncode in (1, 3)
    verdict = json.loads(done.stdout)["verdict"]
    told = (verdict["warnings"] or verdict["doubts"])[0]["message"]
    assert f"exit code {done.returncode}: {told}" in done.stderr


def test_a_ratio_to_a_doubted_figure(results: list[reclaim.Result], doubtful: reclaim.Result) -> None:
    good = results[0]
    (table,) = drawn(comparison([doubtful, good]), 140)
    labels = [str(each) for each in table.columns[0].cells]
    last = [str(each) for each in table.columns[-1].cells]
    assert doubtful.verdict.mark(WA) == "?"
    assert good.verdict.mark(WA) == ""
    assert last[labels.index(PAGES)].endswith(" ?")
    assert repr(doubtful).count(" ? in ") == 2
    assert " ?" not in repr(good)


def test_every_figure_that_a_verdict_names_has_its_column(results: list[reclaim.Result]) -> None:
    for result in results:
        known = result.summary()
        for remark in (*result.verdict.warnings, *result.verdict.doubts, *result.verdict.notes):
            assert [each for each in remark.figures if column(each) not in known] == []
    assert Verdict("trustworthy", (), (), ()).marks() == {}
