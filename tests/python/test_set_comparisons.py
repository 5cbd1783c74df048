"""Comparisons that an experiment names: what a report tells of each, and of nothing else."""

from __future__ import annotations

from collections.abc import Callable
from io import StringIO
from pathlib import Path
from types import ModuleType

import pytest
from rich.console import Console

from reclaim.bench.run import Swept
from reclaim.bench.toml import to_toml
from reclaim.cli import comparison_table as comparison_table_module
from reclaim.cli import results as shown_results
from reclaim.cli import sweep_results
from reclaim.cli.comparison_table import comparison_table
from reclaim.results.sets import ResultSet
from reclaim.results.sets import opening as opening_module
from reclaim.results.sets.comparison_plots import ratios
from reclaim.results.sets.comparisons import Comparison, Figure, as_table, comparisons
from reclaim.results.sets.report import render
from reclaim.results.sets.report_tables import SetTable
from reclaim.results.verdict import Remark, Verdict
from small_set import AXIS
from test_set_opening import AMPLIFICATION, READ, with_figures

NAMED = [
    {"name": "oldest first", "scheme": "fifo", "to": "greedy", "about": "Blocks in order."},
    {"scheme": "suspend", "to": "greedy"},
]
LOWER, HIGHER, AROUND = [0.8, 0.79, 0.81, 0.8, 0.82, 0.78], [1.2, 1.3, 1.25, 1.2, 1.3, 1.2], [0.9, 1.1] * 3


@pytest.fixture
def loaded(set_folder: Path, monkeypatch: pytest.MonkeyPatch) -> ResultSet:
    monkeypatch.setattr(opening_module, "_verdict", lambda *_: None)
    return ResultSet.load(set_folder).filter(trace="busy", **{AXIS: "1"})


def compared(loaded: ResultSet, **factors: list[float]) -> list[Comparison]:
    return comparisons(with_figures(loaded, factors), {"comparisons": NAMED})


def test_each_scheme_is_over_its_own_baseline(loaded: ResultSet) -> None:
    fifo, suspend = compared(loaded, fifo=LOWER, suspend=HIGHER)
    assert (fifo.name, fifo.scheme, fifo.to) == ("oldest first", "fifo", "greedy")
    assert suspend.name == "suspend"
    assert {figure.way for figure in fifo.figures} == {"lower"}
    assert {figure.way for figure in suspend.figures} == {"higher"}
    read = next(figure for figure in fifo.figures if figure.metric == READ)
    assert read.ratio == "0.80 [0.78, 0.82]"
    assert set(fifo.results.points["scheme"]) == {"fifo", "greedy"}
    assert fifo.results.points["scheme"].item(0) == "greedy"

    (turned,) = comparisons(
        with_figures(loaded, {"fifo": LOWER}), {"comparisons": [{"scheme": "greedy", "to": "fifo"}]}
    )
    assert {figure.way for figure in turned.figures} == {"higher"}
    assert turned.results.points["scheme"].item(0) == "fifo", "a baseline may stand behind its scheme"
    said = fifo.sentence()
    assert said.startswith("fifo beside greedy; lower: read mean latency by 20 % (0.80 [0.78, 0.82])")
    (around, _) = compared(loaded, fifo=AROUND)
    assert {figure.way for figure in around.figures} == {"no difference known"}, "its interval holds one"
    table = as_table([fifo])
    assert table.columns == ["comparison", "scheme", "to", "metric", "value", "low", "high", "way"]
    assert as_table([]).height == 0
    # The figure has one scale.
    panels = ratios([fifo, suspend]).to_dict()["concat"]
    scales = [layer["encoding"]["x"]["scale"]["domain"] for panel in panels for layer in panel["layer"]]
    assert all(tuple(each) == (0.78, 1.3) for each in scales)


def test_which_way_a_figure_goes() -> None:
    for figure, way in (
        (Figure(READ, 0.995, 0.99, 0.998), "no difference known"),  # known, but less than a hundredth
        (Figure(READ, 1.005, 1.002, 1.008), "no difference known"),
        (Figure(READ, 0.5, None, None), "lower"),
        (Figure(READ, 2.0, None, None), "higher"),
        (Figure(READ, None, None, None), "not established"),
        (Figure(READ, 0.5, 0.4, 0.6, doubted=True), "not established"),
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
    assert ways[READ] == "not established"
    assert ways[AMPLIFICATION] == "lower"
    assert "not established: read mean latency (drift)" in fifo.sentence()
    assert {figure.way for figure in suspend.figures} == {"lower"}


def test_the_report_shows_one_comparison_after_the_other(set_folder: Path, tmp_path: Path) -> None:
    file = set_folder / "experiment.toml"
    before, lines = file.read_text(), to_toml({"comparisons": NAMED})
    try:
        file.write_text(lines + before)
        results = ResultSet.load(set_folder)
        page, table = render(results), comparison_table(results)
        rows = results.comparisons()
        written = {path.name: path.read_bytes() for path in results.save_figures(tmp_path / "a", ["svg"])}
        again = results.save_figures(tmp_path / "b", ["svg"])
    finally:
        file.write_text(before)
    assert next(iter(written)) == "comparisons.svg", "the most wanted first"
    assert {path.name: path.read_bytes() for path in again} == written
    assert 'href="#comparison-0">oldest first</a>' in page
    assert "Blocks in order." in page
    assert 'id="summary"' not in page, "no table has all schemes"
    assert 'id="comparison_0_latency"' in page
    assert table.row_count == len(NAMED)
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

    ended = lines(sweep_results, lambda: sweep_results.show(Swept(set_folder, 1, 0)), 100)
    assert not any("…" in line for line in ended)
    for scheme in ("greedy", "fifo", "suspend"):
        assert any(line.startswith(f"│ {scheme}") for line in ended)
    # A wide set is shown in several tables.
    narrow, wide = (
        lines(shown_results, lambda: shown_results.show(set_folder), width) for width in (50, 300)
    )
    heads = [sum("suspend" in line for line in each) for each in (narrow, wide)]
    assert heads[0] == heads[1] > 0
    assert len(narrow) > len(wide)
    (drawn,) = shown_results.in_parts(SetTable("nothing", ["greedy"], []))
    assert drawn.row_count == 0


def test_a_figure_without_an_interval_is_marked_too() -> None:
    for figure, cell in (
        (Figure(READ, 0.5, None, None, doubted=True), "0.50?"),
        (Figure(READ, 0.5, 0.4, 0.6, doubted=True), "0.50?\n[0.40, 0.60]"),
        (Figure(READ, 0.5, 0.4, 0.6), "0.50\n[0.40, 0.60]"),
    ):
        assert str(comparison_table_module.cell(figure)) == cell
