"""A document of any kind: what a page and a terminal show of it, and what they leave out."""

from __future__ import annotations

import io
import json
import re

import pytest
from rich.console import Console

from reclaim.charts import chart_of
from reclaim.report.document import (
    Block,
    Cell,
    Chart,
    Column,
    Document,
    Fold,
    Note,
    Notes,
    Source,
    Table,
    Text,
    Title,
    Verdict,
    figures_of,
    sections,
)
from reclaim.report.forms import markdown_of, written
from reclaim.report.html import render
from reclaim.report.terminal import show

LATENCY = Table(
    figures_of("", ["greedy", "fifo"]),
    [
        ["read | mean", Cell("1.5 µs", "?", beside="×0.9"), Cell("2 µs", below=(Cell("1 to 3"),))],
        ["100 % & more", Cell("–"), Cell("7", "!")],
    ],
    title="Latency",
    name="latency",
    why="the notes say why",
)


def page_of(*blocks: Block) -> str:
    """The page, without what draws it."""
    return re.sub(r"<(script|style)>.*?</\1>", "", render(Document("one", list(blocks))), flags=re.DOTALL)


def terminal_of(*blocks: Block, width: int = 80) -> str:
    console = Console(width=width, record=True, file=io.StringIO())
    show(Document("one", list(blocks)), console)
    return console.export_text()


def test_a_title_without_anything_below_is_left_out() -> None:
    empty = [
        Title("Nothing", name="nothing"),
        "a caption alone",
        Chart("undrawn", lambda: None),
        Table(("a",), []),
        Text(""),
        Notes([]),
        Fold("Folded", [Source("")]),
    ]
    page = page_of(*empty, Title("Something"), "said under it", Text("told"))
    assert re.findall(r"<h2>(.*?)</h2>", page) == ["Something"]
    assert all(each not in page for each in ("nothing", "a caption alone", "undrawn", "Folded"))
    assert '<p class="caption">said under it</p>' in page
    parts = sections([Text("before"), Title("one"), Title("within", rank=3), Text("x"), Title("two")])
    first, one, two = parts
    assert [type(each).__name__ for each in (first, one, two)] == ["Text", "Section", "Section"]
    assert [type(each).__name__ for each in one.blocks] == ["Section"]


def test_figures_have_their_marks_and_what_they_mean() -> None:
    page = page_of(LATENCY)
    assert '<td class="concerned doubt">1.5 µs <b>?</b> ×0.9</td>' in page
    assert '<td class="concerned warning">7 <b>!</b></td>' in page
    assert "<td>2 µs<small>1 to 3</small></td>" in page
    assert "! not to be trusted, ? inconclusive: the notes say why." in page
    shown = terminal_of(LATENCY)
    assert "1.5 µs ? ×0.9" in shown
    assert " ".join(shown.split()).endswith("! not to be trusted, ? inconclusive: the notes say why")
    assert "established" not in terminal_of(Table(LATENCY.columns, LATENCY.rows, why=None))
    below = Table(("a", "b"), [["x", Cell("1", below=(Cell("×2", "?"),))]])
    assert " ".join(terminal_of(below).split()).endswith("? inconclusive")


@pytest.mark.parametrize("row", [["1"], ["1", "2", "3"]])
def test_a_row_that_does_not_fit_its_head_loses_no_cell_unseen(row: list[str]) -> None:
    with pytest.raises(ValueError, match="argument 2 is"):
        markdown_of(Table(("a", "b"), [row]))


def test_rows_that_are_not_as_they_should_be_are_red() -> None:
    console = Console(record=True, file=io.StringIO(), force_terminal=True)
    show([Table(("", "value"), [["good", "1"], ["poor", "2"]], bad=[1])], console)
    lines = {
        name: line
        for line in console.export_text(styles=True).splitlines()
        for name in ("good", "poor")
        if name in line
    }
    assert ["[1;31m" in lines[name] for name in ("good", "poor")] == [False, True]


def test_an_empty_line_stands_before_each_table_but_the_first() -> None:
    one = Table(("a",), [["1"]])
    assert [not line for line in terminal_of(one, one).splitlines()].count(True) == 1
    assert terminal_of(one).splitlines()[0]
    after_text = terminal_of(Text("told"), one).splitlines()
    assert after_text[:2] == ["told", ""]


def test_a_terminal_has_what_is_open_and_no_captions() -> None:
    blocks: list[Block] = [
        Verdict([Text("It is so.")], "not-established"),
        Notes(["first of all", Note("slow", "fifo", "doubt", "try --again")]),
        Title("Latency"),
        "how to read it",
        Table(LATENCY.columns, LATENCY.rows),
        Fold("More", [Source("of a file")]),
        Fold("Open there", [Text("both say this")], page=False),
        Title("For the page", page=True),
        Text("of the page"),
    ]
    shown, page = terminal_of(*blocks), page_of(*blocks)
    assert shown.splitlines()[:4] == ["It is so.", "note: first of all", "doubt fifo: slow", "  try --again"]
    assert "Latency" in shown, "a table without a title has that of its section"
    assert "both say this" in shown
    assert all(each not in shown for each in ("how to read it", "of a file", "of the page"))
    told = ("It is so.", "how to read it", "of a file", "of the page", "<strong>fifo:</strong> slow")
    assert all(each in page for each in told)
    assert '<section class="verdict not-established"' in page
    assert '<span class="option">--again</span>' not in page, "a command stays whole: it is code"


def test_rows_and_texts_that_are_too_long_are_cut_in_a_terminal_alone() -> None:
    table = Table(
        [Column("key", most=6), "value"], [[f"{number} long text", "x"] for number in range(9)], most=2
    )
    shown, page = terminal_of(table), page_of(table)
    assert shown.count("…") == 2
    assert "and 7 more in the report" in " ".join(shown.split())
    assert page.count("long text") == 9


MICRO, TIMES = r"\textmu{}", r"$\times$"
FORMS = {
    "csv": [",greedy,fifo", "read | mean,1.5 µs ? ×0.9,2 µs 1 to 3", "100 % & more,–,7 !"],
    "markdown": [
        "|  | greedy | fifo |",
        "|---|--:|--:|",
        r"| read \| mean | 1.5 µs ? ×0.9 | 2 µs 1 to 3 |",
    ],
    "latex": [
        r"\begin{tabular}{lrr}",
        rf"read | mean & 1.5 {MICRO}s ? {TIMES}0.9 & 2 {MICRO}s \\",
        r" &  & 1 to 3 \\",
        r"100 \% \& more & -- & 7 ! \\",
    ],
}


@pytest.mark.parametrize("form", FORMS)
def test_tables_are_written_for_papers_and_spreadsheets(form: str) -> None:
    text = written([Text("not this"), Fold("folded", [LATENCY])], form)
    assert [line for line in FORMS[form] if line not in text.splitlines()] == []
    assert "not this" not in text
    assert written([Table(("=x",), [["=1+1"]])], "csv") == "'=x\n'=1+1\n"


def test_json_has_every_block_that_has_something() -> None:
    chart = Chart("drawn", lambda: chart_of([{"x": 1}]).mark_point().encode(x="x:Q"))
    told = json.loads(written([Text("told"), Text(""), LATENCY, chart], "json"))
    assert [each["block"] for each in told] == ["text", "table", "chart"]
    assert told[1]["rows"][0][1] == {"text": "1.5 µs", "mark": "?", "beside": "×0.9"}
    assert told[2] == {"block": "chart", "name": "drawn"}


def test_what_users_wrote_is_no_markup() -> None:
    page = page_of(
        Text("<b>\x1b[31m"), Table(("<i>",), [["</td>"]]), Notes([Note("<u>", "<s>")]), Source("</pre>")
    )
    assert not re.search(r"<(b|i|u|s)>", page)
    assert "\x1b" not in page
    assert "\x1b" not in terminal_of(Text("plain"))
