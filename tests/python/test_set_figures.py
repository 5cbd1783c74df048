"""What draws a set: Altair charts, figures for papers, and what the report says in words."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import altair as alt
import polars as pl
import pytest

from reclaim import InputError
from reclaim.charts import chart_of
from reclaim.report.document import Cell, Table
from reclaim.result.sets import ResultSet, figures, plots, report_figures
from reclaim.result.sets.report_tables import tables
from reclaim.result.sets.selection import base
from small_set import AXIS, add_failure


class OneMetric(ResultSet):
    """A set with little to draw."""

    def headline(self) -> list[str]:
        return ["write_mean_ns"]


@pytest.fixture(scope="module")
def loaded(set_folder: Path) -> ResultSet:
    return ResultSet.load(set_folder)


def test_figures_waste_no_time_in_altair(loaded: ResultSet, monkeypatch: pytest.MonkeyPatch) -> None:
    """It takes 2 ms to find out what a text such as "scheme:N" is, and copies charts with all their data."""
    monkeypatch.setattr(
        alt.utils.schemapi.SchemaBase, "from_dict", lambda *_, **__: pytest.fail("a channel is given as text")
    )
    assert len(report_figures.figures(loaded)) > 4
    chart = chart_of([{"us": 1}]).mark_line()
    assert chart.copy().data is chart.data


NAMES = {
    "ratio-of-write-mean-latency": True,
    "read-latency": True,
    "write-latency": True,
    "write-mean-latency-over-pages-in-flight": False,
}
"""Whether each says which value of the axis it shows."""


@pytest.mark.slow
def test_figures_for_papers(set_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    results = OneMetric.load(set_folder).filter(trace="busy")
    written = results.save_figures(tmp_path / "first")
    assert {each.name for each in written} == {f"{name}.{kind}" for name in NAMES for kind in ("pdf", "svg")}
    results.save_figures(tmp_path / "second")
    assert all(each.read_bytes() == (tmp_path / "second" / each.name).read_bytes() for each in written)
    for each in written:
        if each.suffix == ".svg":
            assert (SHOWN in each.read_text()) == NAMES[each.stem]
        else:
            (width,) = re.findall(rb"/MediaBox \[ ?0 0 ([\d.]+)", each.read_bytes())
            assert float(width) == pytest.approx(3.4 * 72, abs=0.1)
    # A dozen are drawn unless all are asked for.
    assert figures.MOST_FIGURES == 12
    monkeypatch.setattr(figures, "MOST_FIGURES", 3)
    some = [each.stem for each in results.save_figures(tmp_path / "some", ["svg"])]
    every = [each.stem for each in results.save_figures(tmp_path / "every", ["svg"], every=True)]
    assert (some, len(every)) == (every[:3], 4)
    assert some[:2] == ["read-latency", "write-latency"]


def test_what_cannot_be_drawn_is_refused(loaded: ResultSet, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "mine.html").write_text("mine")
    asked: list[tuple[Callable[[], object], str]] = [
        (lambda: loaded.save_figures(tmp_path, ["gif"]), '"gif" .*: pdf, svg, png'),
        (lambda: loaded.save_figures(tmp_path / "file", ["pdf"]), "cannot write"),
        (lambda: loaded.plot.lines("load"), 'no axis "load"'),
        (lambda: loaded.plot.cdf(["trim"]), "trim"),
        (lambda: loaded.plot.bars("speed"), 'no metric "speed"'),
        (lambda: loaded.report(tmp_path / "mine.html"), r"mine\.html"),
    ]
    for ask, message in asked:
        with pytest.raises(InputError, match=message):
            ask()
    assert (tmp_path / "mine.html").read_text() == "mine"


def test_charts_have_what_they_are_asked_for(loaded: ResultSet) -> None:
    assert "ratio to fifo" in str(loaded.plot.bars(["write_mean_ns"], to="fifo").to_dict())
    lines = loaded.plot.lines(AXIS, "write_mean_ns").to_dict()
    titles = [f"{trace}: write mean latency" for trace in ("quiet", "busy")]
    assert [each["title"] for each in lines["concat"]] == titles
    assert len(loaded.plot.cdf().to_dict()["concat"]) == 4
    assert len(loaded.plot.timeline("busy").to_dict()["vconcat"]) == 3


SHOWN = f"{AXIS} = 1 (not shown: 4)"


def test_every_chart_says_which_value_of_an_axis_it_shows(loaded: ResultSet) -> None:
    charts = [loaded.plot.bars("write_mean_ns"), loaded.plot.cdf(), loaded.plot.timeline("busy")]
    assert [each.to_dict()["title"]["text"] for each in charts] == [[SHOWN]] * 3
    # Along the axis every value is shown; of one value there are no others.
    assert "title" not in loaded.plot.lines(AXIS, "write_mean_ns").to_dict()
    assert "title" not in loaded.filter(**{AXIS: "4"}).plot.bars("write_mean_ns").to_dict()


def test_a_chart_along_an_axis_says_what_it_shows_of_the_others(loaded: ResultSet) -> None:
    columns = loaded.points.columns
    at = columns.index(AXIS) + 1
    points = pl.concat(
        loaded.points.with_columns(pl.lit(load).alias("load"), pl.lit(vary).alias("vary"))
        for load, vary in (("own", ""), ("30%", ""), ("40%", ""), ("own", "cut=2"))
    ).select(*columns[:at], "load", *columns[at:])
    results = loaded.only(points)
    assert results.axes == [AXIS, "load"]
    assert plots.lines(results, AXIS, ["write_mean_ns"]).to_dict()["title"]["text"] == [
        "points that vary one axis alone are not shown: cut",
        "load = own (not shown: 30%, 40%)",
    ]
    assert base(results)[1][1:] == (SHOWN, "load = own (not shown: 30%, 40%)")


def cells_of(table: Table, label: str) -> list[Cell]:
    return next(cells for name, *cells in table.body if name.text == label)


def test_the_first_table_has_ratios_and_those_of_traces_have_figures(loaded: ResultSet) -> None:
    first, further = tables(loaded)
    assert [each.title for each in first] == [f"{AXIS} = 1", f"{AXIS} = 4"]
    assert len(further) == 4
    row = cells_of(first[0], "write mean latency")
    found = loaded.filter(**{AXIS: "1"}).normalize(metrics="write_mean_ns", over="trace")
    assert [each.text for each in row] == [f"{value:.3f}" for value in found["value"]]
    tail = cells_of(first[0], "write p99.99 latency")
    assert [each.mark for each in tail] == ["?"] * 3
    of_trace = cells_of(further[0], "write mean latency")
    assert of_trace[0].text.endswith(" ms")
    assert of_trace[2].below[-1].text.startswith("×")


def test_the_report_says_what_ran_and_what_failed(set_folder: Path, tmp_path: Path) -> None:
    folder = tmp_path / "set"
    shutil.copytree(set_folder, folder)
    add_failure(folder)
    page = ResultSet.load(folder).filter(trace="busy").report(tmp_path / "page.html")
    text = page.read_text()
    without_scripts = re.sub(r"<script>.*?</script>", "", text, flags=re.DOTALL)
    for said in (
        "Two victim policies, and reads that suspend programs",
        "the drive has no room for the trace",
        "reclaim run busy --device",
        "reclaim sweep experiment.toml",
        "[geometry]",
        "18, 1 failed",
    ):
        assert said in without_scripts
    assert re.search(r"gc\.victim\.kind</code>.*?fifo", without_scripts, flags=re.DOTALL)
    assert not re.search(r"<(script|img|iframe)[^>]*\ssrc=|<link\b|@import|url\(", without_scripts)
    assert page.stat().st_size < 5_000_000
    captions = re.findall(r'<p class="caption">([^<]*)</p>\s*<div class="figure" id="(\w+)"', text)
    assert len(captions) > 4
    for caption, name in captions:
        assert (f"Shown: {SHOWN}." in caption) == (not name.startswith("axis_")), name
