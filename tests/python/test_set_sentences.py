"""What a set says of its schemes and of named comparisons: no more than intervals allow."""

from __future__ import annotations

import re
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import polars as pl
import pytest
from rich.console import Console

from reclaim.cli import results as shown_results
from reclaim.parsing import to_toml
from reclaim.report.document import Cell, Table, figures_of
from reclaim.report.html import render
from reclaim.report.ratios import picture
from reclaim.report.terminal import cell_text, drawn
from reclaim.report.terminal import show as show_document
from reclaim.result.sets import ResultSet, comparison_report, plots
from reclaim.result.sets import opening as opening_module
from reclaim.result.sets.axis_scale import AxisScale, axis_scale
from reclaim.result.sets.brief import brief
from reclaim.result.sets.comparison_report import comparison_table
from reclaim.result.sets.comparisons import MetricRatio, PairedComparison, as_table, comparisons
from reclaim.result.sets.opening import compared as compared_of
from reclaim.result.sets.opening import opening
from reclaim.result.sets.remarks import of_traces
from reclaim.result.sets.report import differences, document
from reclaim.result.sets.report_tables import MOST_ROWS, folded, in_sight, tables
from reclaim.result.verdict import Remark, Verdict
from small_set import AXIS

READ, AMPLIFICATION = "read_mean_ns", "gc_nand_write_amplification"


@pytest.fixture
def loaded(set_folder: Path, monkeypatch: pytest.MonkeyPatch) -> ResultSet:
    """Greedy, fifo and suspend on one trace, every figure the same, and nothing said against any."""
    monkeypatch.setattr(opening_module, "_verdict", lambda *_: None)
    results = ResultSet.load(set_folder).filter(trace="busy", **{AXIS: "1"})
    return with_figures(results, {})


def with_figures(results: ResultSet, factors: dict[str, list[float]]) -> ResultSet:
    """Six repeats, in which each scheme's figures are those of greedy by a factor of each repeat."""
    one = results.points.unique("scheme", keep="first", maintain_order=True)
    repeated = []
    for repeat in range(6):
        by = {name: each[repeat] for name, each in factors.items()}
        factor = pl.col("scheme").replace_strict(by, default=1.0, return_dtype=pl.Float64)
        figures = [
            ((1000.0 + repeat) * factor).alias(each) for each in (READ, "write_mean_ns", AMPLIFICATION)
        ]
        counts = {"read_count": 500, "write_count": 500, "repeat": repeat}
        cast = [pl.lit(value).cast(one.schema[key]).alias(key) for key, value in counts.items()]
        repeated.append(one.with_columns(*figures, *cast, pl.lit("trustworthy").alias("verdict")))
    return results.only(pl.concat(repeated))


ABOUT_ONE = [0.5, 0.6, 0.7, 0.8, 0.9, 1.2]


def shown(results: ResultSet) -> dict[tuple[str, str], str]:
    """What the picture shows of every scheme and figure."""
    return {
        (each.candidate, ratio.figure): ratio.shown for each in compared_of(results) for ratio in each.ratios
    }


def test_the_sentence_says_where_an_effect_is_another_one(loaded: ResultSet) -> None:
    """A parameter may turn what the first of its values shows."""
    tenth = [0.9, 0.89, 0.91, 0.9, 0.92, 0.88]

    def told(first: list[float], second: list[float]) -> str:
        at = [
            with_figures(loaded, {"fifo": factors}).points.with_columns(pl.lit(value).alias(AXIS))
            for value, factors in (("1", first), ("4", second))
        ]
        return opening(loaded.only(pl.concat(at)))

    assert told(tenth, [each + 0.3 for each in tenth]).endswith("; at pages in flight = 4 it is 20 % higher.")
    assert told(tenth, [each - 0.3 for each in tenth]).endswith("; at pages in flight = 4 it is 40 % lower.")
    assert told(tenth, tenth).endswith(": the largest of 3 effects.")
    assert "; at pages in flight = 4 fifo lowers " in told(ABOUT_ONE, tenth)


def test_a_scheme_is_lower_where_its_interval_is(loaded: ResultSet) -> None:
    said = opening(with_figures(loaded, {"fifo": [0.8, 0.79, 0.81, 0.8, 0.82, 0.78]}))
    assert said.startswith("fifo, compared with greedy in 6 repeats, lowers")
    assert "by 20 % (95 % interval 18 % to 22 %): the largest of 3 effects" in said
    for factors, text in (
        ({"fifo": ABOUT_ONE}, "(95 % interval \u221220 % to 50 %)"),
        ({"fifo": [0.995, 0.996] * 3}, "(95 % interval 0 % to 1 %)"),
    ):
        results = with_figures(loaded, factors)
        assert shown(results)["fifo", "read mean latency"] == "no measurable difference"
        assert opening(results).startswith("No measurable difference between these schemes"), text
        assert text in opening(results)
    # One run, or repeats that measured the same, give no interval.
    results = with_figures(loaded, {"fifo": [0.5] * 6})
    one = results.only(results.points.filter(pl.col("repeat") == 0))
    assert opening(one).startswith("One run of each is a look, no evidence: fifo lowers ")
    assert opening(one).endswith(" by 50 % compared with greedy.")
    assert set(shown(one).values()) == {"no interval"}
    assert opening(loaded.filter(scheme="greedy")) == "One scheme was measured: nothing is compared."


def test_what_is_doubted_takes_no_part(loaded: ResultSet, monkeypatch: pytest.MonkeyPatch) -> None:
    results = with_figures(loaded, {"fifo": [0.5, 0.51] * 3, "suspend": [0.7, 0.71] * 3})
    is_fifo = pl.col("scheme") == "fifo"
    fifo = set(results.points.filter(is_fifo)["point"].to_list())
    doubt = Remark("drift", "It drifts.", ("requests.read.mean_ns",))

    def verdict(_: Any, point: str) -> Verdict | None:
        return Verdict("not-established", (), (doubt,), ()) if point in fifo else None

    monkeypatch.setattr(opening_module, "_verdict", verdict)
    assert shown(results)["fifo", "read mean latency"] == "inconclusive"
    assert shown(results)["suspend", "read mean latency"] == "lower"
    level = pl.when(is_fifo).then(pl.lit("not-trustworthy")).otherwise("verdict").alias("verdict")
    worse = opening(results.only(results.points.with_columns(level)))
    assert worse.startswith("suspend, compared with greedy in 6 repeats, lowers")
    first = results.points.with_columns(pl.lit("not-trustworthy").alias("verdict"))
    assert opening(results.only(first)).startswith("Not to be trusted (!): fifo")


def test_values_of_an_axis_are_numbers_of_one_kind_or_names() -> None:
    assert axis_scale(["1", "4", "16"]) == AxisScale({"1": 1, "4": 4, "16": 16})
    assert axis_scale(["64KiB", "1MiB"]) == AxisScale({"64KiB": 65536, "1MiB": 1048576})
    assert axis_scale(["10%", "20%"]) == AxisScale({"10%": 10, "20%": 20})
    assert axis_scale(["off", "20%"]) is None
    assert not AxisScale({"1": 1, "16": 16}).logarithmic
    assert AxisScale({"1": 1, "64": 64}).logarithmic
    assert not AxisScale({"0": 0, "64": 64}).logarithmic


def test_lines_along_numbers_have_true_distances(set_folder: Path) -> None:
    results = ResultSet.load(set_folder)
    drawn = plots.lines(results, AXIS, ["write_mean_ns"]).to_dict()
    line = drawn["concat"][0]["layer"][0]["encoding"]["x"]
    assert (line["field"], line["type"], line["title"]) == ("number", "quantitative", "pages in flight")
    assert line["axis"]["values"] == [1, 4]
    named = results.only(results.points.with_columns(pl.concat_str(pl.lit("at "), AXIS).alias(AXIS)))
    line = plots.lines(named, AXIS, ["write_mean_ns"]).to_dict()["concat"][0]["layer"][0]["encoding"]["x"]
    assert (line["field"], line["type"]) == ("at", "nominal")


@pytest.mark.slow
def test_an_axis_of_numbers_has_a_chart_and_no_table_for_each_value(set_folder: Path, tmp_path: Path) -> None:
    results = ResultSet.load(set_folder)
    text = results.report(tmp_path / "page.html").read_text()
    page = re.sub(r"<script>.*?</script>", "", text, flags=re.DOTALL)
    assert f"{AXIS} = 4</summary>" not in page
    assert "At pages in flight = 1: the charts above have the others" in page
    places = [page.index(f'id="{name}"') for name in ("opening", "axis_0", "time_spent", "summary", "ratios")]
    assert places == sorted(places)
    # Values that are names have a table each.
    named = results.only(results.points.with_columns(pl.concat_str(pl.lit("at "), AXIS).alias(AXIS)))
    assert f"{AXIS} = at 4</summary>" in named.report(tmp_path / "named.html").read_text()


def test_a_table_has_twelve_rows_in_sight_and_folds_equal_ones(set_folder: Path) -> None:
    for table in [each for found in tables(ResultSet.load(set_folder)) for each in found]:
        assert len(in_sight(table).rows) <= MOST_ROWS
        parted = in_sight(table).body + folded(table).body
        assert sorted(row[0].text for row in parted) == sorted(row[0].text for row in table.body)
    rows = [[Cell(f"row {number}"), Cell("1"), Cell("1" if number == 3 else "2")] for number in range(20)]
    table = Table(["", "a", "b"], rows)
    assert [row[0].text for row in in_sight(table).body] == [f"row {at}" for at in range(13) if at != 3]


NAMED = [
    {"name": "oldest first", "candidate": "fifo", "baseline": "greedy", "about": "Blocks in order."},
    {"candidate": "suspend", "baseline": "greedy"},
]
LOWER, HIGHER, AROUND = [0.8, 0.79, 0.81, 0.8, 0.82, 0.78], [1.2, 1.3, 1.25, 1.2, 1.3, 1.2], [0.9, 1.1] * 3


def compared(loaded: ResultSet, **factors: list[float]) -> list[PairedComparison]:
    return comparisons(with_figures(loaded, factors), {"comparisons": NAMED})


def test_each_scheme_is_over_its_own_baseline(loaded: ResultSet) -> None:
    fifo, suspend = compared(loaded, fifo=LOWER, suspend=HIGHER)
    assert (fifo.name, fifo.candidate, fifo.baseline) == ("oldest first", "fifo", "greedy")
    assert suspend.name == "suspend"
    assert {figure.way for figure in fifo.figures} == {"lower"}
    assert {figure.way for figure in suspend.figures} == {"higher"}
    read = next(figure for figure in fifo.figures if figure.metric == READ)
    assert read.ratio == "0.80 [0.78, 0.82]"
    assert set(fifo.results.points["scheme"]) == {"fifo", "greedy"}
    assert fifo.results.points["scheme"].item(0) == "greedy"

    (turned,) = comparisons(
        with_figures(loaded, {"fifo": LOWER}), {"comparisons": [{"candidate": "greedy", "baseline": "fifo"}]}
    )
    assert {figure.way for figure in turned.figures} == {"higher"}
    assert turned.results.points["scheme"].item(0) == "fifo", "a baseline may stand behind its scheme"
    (around, _) = compared(loaded, fifo=AROUND)
    assert {figure.way for figure in around.figures} == {"no measurable difference"}, "its interval holds one"
    table = as_table([fifo])
    assert table.columns == ["comparison", "candidate", "baseline", "metric", "value", "low", "high", "way"]
    assert as_table([]).height == 0
    # The picture has one scale, reaches all ends, and has a mark for every ratio.
    drawn = picture([fifo.panel(), suspend.panel()])
    assert drawn is not None
    domains = {
        tuple(layer["encoding"]["x"]["scale"]["domain"])
        for panel in drawn["vconcat"]
        for layer in panel["layer"]
        if "scale" in layer["encoding"]["x"]
    }
    ((low, high),) = domains
    assert low < 0.78
    assert high > 1.3
    assert [len(panel["data"]["values"]) for panel in drawn["vconcat"]] == [3, 3]


def test_which_way_a_figure_goes() -> None:
    for figure, way in (
        (
            MetricRatio(READ, 0.995, 0.99, 0.998),
            "no measurable difference",
        ),  # known, but less than a hundredth
        (MetricRatio(READ, 1.005, 1.002, 1.008), "no measurable difference"),
        (MetricRatio(READ, 0.5, None, None), "no interval"),
        (MetricRatio(READ, 2.0, 1.9, 2.1), "higher"),
        (MetricRatio(READ, None, None, None), "inconclusive"),
        (MetricRatio(READ, 0.5, 0.4, 0.6, doubted=True), "inconclusive"),
    ):
        assert figure.way == way


def test_a_verdict_against_either_is_told(loaded: ResultSet, monkeypatch: pytest.MonkeyPatch) -> None:
    of_fifo = set(loaded.filter(scheme="fifo").points["point"])
    remark = Remark("drift", "Reads drift.", ("requests.read.mean_ns",))
    monkeypatch.setattr(
        opening_module,
        "_verdict",
        lambda _, point: Verdict("not-established", (), (remark,), ()) if point in of_fifo else None,
    )
    fifo, suspend = compared(loaded, fifo=LOWER, suspend=LOWER)
    ways = {figure.metric: figure.way for figure in fifo.figures}
    assert ways[READ] == "inconclusive"
    assert ways[AMPLIFICATION] == "lower"
    assert [figure.why for figure in fifo.figures if figure.metric == READ] == [" (drift)"]
    assert {figure.way for figure in suspend.figures} == {"lower"}


@pytest.mark.slow
def test_the_report_shows_one_comparison_after_the_other(set_folder: Path, tmp_path: Path) -> None:
    file = set_folder / "experiment.toml"
    before, lines = file.read_text(), to_toml({"comparisons": NAMED})
    try:
        file.write_text(lines + before)
        results = ResultSet.load(set_folder)
        page, table = render(document(results)), comparison_table(results)
        rows = results.comparisons()
        written = {path.name: path.read_bytes() for path in results.save_figures(tmp_path / "a", ["svg"])}
        again = results.save_figures(tmp_path / "b", ["svg"])
    finally:
        file.write_text(before)
    assert next(iter(written)) == "comparisons.svg", "the most wanted first"
    assert {path.name: path.read_bytes() for path in again} == written
    assert '"title": "oldest first: fifo compared with greedy"' in page
    assert "Blocks in order." in page
    assert 'id="summary"' not in page, "no table has all schemes"
    assert 'id="comparison_0_latency"' in page
    assert len(table.rows) == len(NAMED)
    assert rows["comparison"].unique(maintain_order=True).to_list() == ["oldest first", "suspend"]
    assert ResultSet.load(set_folder).comparisons().height == 0
    assert comparison_table(ResultSet.load(set_folder)) is None


def test_tables_fit_the_terminal(set_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def lines(module: ModuleType, show: Callable[[], None], width: int) -> list[str]:
        file = StringIO()
        monkeypatch.setattr(module, "out", Console(width=width, file=file))
        show()
        found = [line for line in file.getvalue().splitlines() if line.startswith(("│", "┃"))]
        assert max(map(len, found)) <= width
        return found

    results = ResultSet.load(set_folder)
    ended = lines(shown_results, lambda: show_document(brief(results), shown_results.out), 100)
    assert not any("…" in line for line in ended)
    for scheme in ("greedy", "fifo", "suspend"):
        assert any(scheme in line for line in ended if line.startswith("┃"))
    # A wide set is shown in several tables.
    narrow, wide = (
        lines(shown_results, lambda: shown_results.show(set_folder), width) for width in (50, 300)
    )
    heads = [sum("suspend" in line for line in each) for each in (narrow, wide)]
    assert heads[0] == heads[1] > 0
    assert len(narrow) > len(wide)
    (nothing,) = drawn(Table(["", "greedy"], []), 100)
    assert nothing.row_count == 0


def test_a_table_of_texts_breaks_words_in_a_narrow_terminal() -> None:
    file = StringIO()
    table = Table(["scheme", "compared", "why"], [["word-line-aware", "indistinguishable", "overloaded"]], "")
    show_document([table], Console(width=24, file=file))
    assert "…" not in file.getvalue()
    assert len(re.sub(r"[^a-z]", "", file.getvalue())) == len(
        "schemecomparedwhywordlineawareindistinguishableoverloaded"
    )


@pytest.mark.parametrize("width", [60, 80, 120])
def test_a_table_of_figures_loses_nothing_in_a_terminal(width: int) -> None:
    names = [
        "oldest first\nfifo / greedy",
        "channel-aware\nchannel-aware-gc / plain-gate-of-channels",
        "suspend",
    ]
    heads = ["read mean", "read p99.9", "write p99.9", "write amplif.\n(bytes)", "throughput", "erases"]
    cell = comparison_report.cell(MetricRatio(READ, 0.5, 0.4, 0.6, doubted=True))
    file = StringIO()
    table = Table(figures_of("", heads), [[name, *[cell] * len(heads)] for name in names], "Ratios")
    show_document([table], Console(width=width, file=file))
    lines = file.getvalue().splitlines()
    assert max(map(len, lines)) <= width
    assert not any("…" in line for line in lines)
    assert file.getvalue().count("[0.40, 0.60]") == len(names) * len(heads)
    for word in " ".join([*names, *heads]).split():
        assert any(word in line for line in lines), word


def test_a_figure_without_an_interval_is_marked_too() -> None:
    for figure, cell in (
        (MetricRatio(READ, 0.5, None, None, doubted=True), "0.50 ?"),
        (MetricRatio(READ, 0.5, 0.4, 0.6, doubted=True), "0.50 ?\n[0.40, 0.60]"),
        (MetricRatio(READ, 0.5, 0.4, 0.6), "0.50\n[0.40, 0.60]"),
    ):
        assert str(cell_text(comparison_report.cell(figure))) == cell


def test_a_mean_that_one_trace_makes_is_told(loaded: ResultSet) -> None:
    rare = with_figures(loaded, {"fifo": [0.5] * 6, "suspend": [0.9] * 6})

    def on(results: ResultSet, trace: str) -> pl.DataFrame:
        points = results.points.with_columns(pl.lit(trace).alias("trace"))
        return points.with_columns((pl.col("point") + trace).alias("point"))

    others = with_figures(loaded, {"fifo": [0.99] * 6, "suspend": [0.9] * 6})
    both = loaded.only(pl.concat([on(rare, "rare"), on(others, "a"), on(others, "b")]))
    told = [each.text for each in of_traces(both)]
    assert any(
        "of fifo is ×0.79 on the mean of 3 traces mostly because of rare (×0.50)" in each for each in told
    )
    assert not any("suspend" in each for each in told), "every trace has its share of it"
    assert of_traces(loaded) == [], "there is one trace"


class _Paced:
    """Two points of an axis of one's own, which sets the queue's depth."""

    axes = ("pace",)
    points = pl.DataFrame(
        {
            "device": ["d", "d"],
            "trace": ["t", "t"],
            "scheme": ["s", "s"],
            "pace": ["slow", "fast"],
            "repeat": [0, 0],
            "point": ["1", "32"],
        }
    )

    def results(self, point: str) -> Any:
        return SimpleNamespace(to_dict=lambda: {"config": {"host": {"queue_depth": int(point)}}})


def test_values_of_an_axis_stand_beside_its_name_where_settings_differ() -> None:
    ((key, told),) = differences(_Paced())  # type: ignore[arg-type]
    assert key == "host.queue_depth"
    assert [(each.text, each.beside) for each in told.below] == [("1", "pace = slow"), ("32", "pace = fast")]
