"""`reclaim results`, as a user runs it, and the examples of docs/result-sets.md."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import reclaim
from conftest import Command

DOCS = Path(__file__).parents[2] / "docs" / "result-sets.md"


def test_show_prints_the_main_figures_with_what_to_know_of_them(command: Command, set_folder: Path) -> None:
    done = command("results", "show", set_folder, "--traces")
    assert done.returncode == 0, done.stderr
    assert "victims: 36 points" in done.stdout
    for expected in ("write p99 latency", "suspend", "gc.pages_in_flight = 4", "busy", "doubt"):
        assert expected in done.stdout


def test_show_writes_tables_in_every_form(command: Command, set_folder: Path) -> None:
    forms = ("csv", "latex", "markdown", "json")
    shown = {form: command("results", "show", set_folder, "--as", form).stdout for form in forms}
    # One for each value of the axis, each with its value above it.
    pages = [f"gc.pages_in_flight = {pages}" for pages in (1, 4)]
    csv, latex, markdown = (shown[form].splitlines() for form in ("csv", "latex", "markdown"))
    assert csv[:2] == [pages[0], ",greedy,fifo,suspend"]
    assert pages[1] in csv
    assert latex[:3] == [f"% {pages[0]}", "\\begin{tabular}{lrrr}", "\\toprule"]
    assert (f"% {pages[1]}" in latex, latex.count("\\bottomrule")) == (True, 2)
    assert markdown[:4] == [f"**{pages[0]}**", "", "|  | greedy | fifo | suspend |", "|---|--:|--:|--:|"]
    first, *_ = (block for block in json.loads(shown["json"]) if block["block"] == "table")
    assert [each["name"] for each in first["columns"][1:]] == ["greedy", "fifo", "suspend"]
    texts = [row[1]["text"] for row in first["rows"]]
    assert len(texts) > 8
    for form in ("csv", "latex", "markdown"):
        assert all(text in shown[form] for text in texts if text.isascii())


def test_forms_have_options_of_their_own(command: Command, set_folder: Path) -> None:
    for form in ("csv", "latex", "markdown", "json"):
        short = command("results", "show", set_folder, f"--{form}").stdout
        assert short == command("results", "show", set_folder, "--as", form).stdout != ""
    refused = command("results", "show", set_folder, "--csv", "--as", "latex")
    assert (refused.returncode, "give one form" in refused.stderr) == (2, True)


def test_query_prints_a_table_json_or_csv(command: Command, set_folder: Path) -> None:
    sql = "SELECT scheme, count(*) AS points FROM points GROUP BY scheme ORDER BY scheme"
    table = command("results", "query", sql, set_folder)
    assert re.search(r"greedy\s*.\s*12", table.stdout)
    # DuckDB must not add to it at the end.
    assert table.stderr == ""
    parsed = json.loads(command("results", "query", sql, set_folder, "--json").stdout)
    assert parsed[0] == {"scheme": "fifo", "points": 12}
    assert command("results", "query", sql, set_folder, "--csv").stdout.splitlines()[:2] == [
        "scheme,points",
        "fifo,12",
    ]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["query", "SELECT nothing FROM points"], 'Referenced column "nothing" not found'),
        (["query", "DROP TABLE points"], "give one SELECT"),
        (["query", "SELECT 1", "--json", "--csv"], "give one of them"),
        (["report", "--figures", "gif"], 'no format "gif"'),
    ],
)
def test_what_is_wrong_is_one_line_and_exit_code_2(
    command: Command, set_folder: Path, tmp_path: Path, words: list[str], message: str
) -> None:
    if words[0] == "report":
        words = [*words, "-o", str(tmp_path / "page.html")]
    where = 2 if words[0] == "query" else 1
    done = command("results", *words[:where], set_folder, *words[where:])
    assert done.returncode == 2
    assert message in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


@pytest.mark.slow
def test_missing_folders_are_made_for_a_report_and_its_figures(
    command: Command, set_folder: Path, tmp_path: Path
) -> None:
    done = command("results", "report", set_folder, "-o", tmp_path / "a/b/page.html", "--figures", "svg")
    assert done.returncode == 0, done.stderr
    assert {each.name for each in (tmp_path / "a/b").iterdir()} == {"page.html", "figures"}


def test_the_queries_of_the_docs_have_answers(set_folder: Path) -> None:
    queries = re.findall(r"```sql\n(.*?)```", DOCS.read_text(encoding="utf-8"), flags=re.DOTALL)
    assert len(queries) >= 3
    results = reclaim.ResultSet.load(set_folder)
    for sql in queries:
        assert results.query(sql).height > 0, sql


def test_the_python_of_the_docs_runs(
    set_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "victims").symlink_to(set_folder)
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", DOCS.read_text(encoding="utf-8"), flags=re.DOTALL)
    assert blocks
    known: dict[str, object] = {}
    for block in blocks:
        exec(block, known)  # noqa: S102
