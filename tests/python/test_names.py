"""Names that users choose stand beside columns, files, markup and formulas, and none takes their place."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import polars as pl
import pytest

import reclaim
from conftest import Command
from reclaim.paper.runs import PaperRuns
from reclaim.result.sets.names import taken
from reclaim.result.sets.tables import FIRST_FIGURE
from small_set import AXIS, write_set


@pytest.fixture
def small(tmp_path: Path) -> Path:
    return write_set(tmp_path / "set", traces=["quiet", "busy"], schemes=["greedy", "fifo"], repeats=1)


def renamed(folder: Path, columns: dict[str, pl.Expr]) -> None:
    points = pl.read_parquet(folder / "points.parquet")
    points.with_columns(**columns).write_parquet(folder / "points.parquet")


def test_no_axis_can_be_called_like_any_column_of_results(set_folder: Path) -> None:
    results = reclaim.ResultSet.load(set_folder)
    columns = results.points.columns
    answers = [*results.intervals().columns, *results.normalize().columns]
    assert {each for each in [*columns, *answers] if taken(each) is None} == {AXIS}
    assert {each for each in columns if taken(each.upper()) is None} == {AXIS}
    assert len(columns) - columns.index(FIRST_FIGURE) > 100


@pytest.mark.parametrize(
    "name", ["load", "load_rule", "read-share", "queue depth", "gc.pages_in_flight", "µ"]
)
def test_other_names_are_free(name: str) -> None:
    assert taken(name) is None


def test_an_axis_of_seeds_is_the_column_seed(tmp_path: Path) -> None:
    from study.small import experiment

    found = reclaim.sweep(
        experiment(schemes=["greedy"], axes={"seed": [3, 4]}, repeats={"count": 1}), tmp_path / "out"
    )
    assert found.points["seed"].to_list() == ["3", "4"]
    assert found.points["result_seed"].to_list() == [3, 4]
    assert found.axes == ["seed"]


def test_the_terminal_shows_names_as_they_are(small: Path, command: Command) -> None:
    scheme = pl.when(pl.col("scheme") == "fifo").then(pl.lit("[red]b[/]")).otherwise(pl.lit("[/]a"))
    renamed(small, {"scheme": scheme, "trace": pl.concat_str(pl.lit("[bold]"), pl.col("trace"))})
    shown = command("results", "show", small, "--traces").stdout
    for name in ("[red]b[/]", "[/]a", "[bold]busy"):
        assert name in shown
    shown = command("results", "query", 'SELECT scheme AS "[dim]x" FROM points', small).stdout
    assert "[dim]x" in shown
    assert "[/]a" in shown


def test_figures_show_names_as_they_are_and_each_has_a_file_of_its_own(small: Path, tmp_path: Path) -> None:
    points = pl.read_parquet(small / "points.parquet")
    at = points.columns.index(AXIS)
    twice = points.rename({AXIS: "a.b"}).insert_column(at, pl.Series("a-b", points[AXIS]))
    twice = twice.with_columns(trace=pl.concat_str(pl.lit("$x^{"), pl.col("trace")))
    # Either axis alone has two values: one point of each other value of both is left.
    twice.write_parquet(small / "points.parquet")
    (small / "histograms.parquet").unlink()
    results = reclaim.ResultSet.load(small)
    assert results.axes == ["a-b", "a.b"]
    varied = points[AXIS] == "4"
    one = twice.with_columns(
        pl.when(varied).then(pl.lit("a-b=4")).otherwise(pl.lit("")).alias("vary"), pl.lit("1").alias("a.b")
    )
    two = twice.filter(varied).with_columns(pl.lit("a.b=4").alias("vary"), pl.lit("1").alias("a-b"))
    pl.concat([one, two]).write_parquet(small / "points.parquet")
    written = reclaim.ResultSet.load(small).save_figures(tmp_path / "figures", ["svg"])
    along = [each for each in written if each.stem.endswith("-over-a-b")]
    assert len(along) >= 2
    assert len(set(written)) == len(written)


@pytest.mark.parametrize("name", ["load", "experiment_key"])
@pytest.mark.parametrize("where", ["levels", "alternatives", "beyond"])
def test_no_axis_of_a_paper_is_called_as_what_is_noted_of_its_points(
    tmp_path: Path, name: str, where: str
) -> None:
    file = tmp_path / "cells.toml"
    listed = 'name = "x"\ndevices = ["gc-bypass-mini"]\ntraces = ["bundled/varmail"]\n'
    file.write_text(f"{listed}[axes.{name}]\na = {{}}\n")
    files = {"cells": file}
    paper: Any = SimpleNamespace(
        folder=tmp_path,
        levels={"quick": files if where == "levels" else {}},
        alternatives={"x": files} if where == "alternatives" else {},
        beyond={"x": files} if where == "beyond" else {},
    )
    with pytest.raises(reclaim.InputError, match=rf"cells\.toml: axes\.{name}: is what a column"):
        PaperRuns(paper, "quick", tmp_path, lambda *_: pytest.fail("a sweep has begun"))


def imported(what: str, of: set[str]) -> str:
    """Which of some modules a line of Python imports."""
    line = f"import sys; {what}; print(*sorted({of} & set(sys.modules)))"
    return subprocess.run(
        [sys.executable, "-c", line], capture_output=True, text=True, check=True
    ).stdout.strip()


def test_the_command_waits_for_no_library_of_tables() -> None:
    assert imported("import reclaim.cli.app", {"polars", "duckdb", "altair", "pydantic", "scipy"}) == ""


def test_a_command_waits_for_no_other() -> None:
    one = "from reclaim.cli.assembly import put_together; put_together(['sweep', 'x.toml'])"
    others = {"reclaim.cli.run", "reclaim.cli.compare", "reclaim.cli.trace", "reclaim.study.runs"}
    assert imported(one, {"reclaim.cli.studies", *others}) == "reclaim.cli.studies"


def test_what_a_sweep_shows_at_its_end_waits_for_no_library_of_charts() -> None:
    shows = "from reclaim.result.sets import brief, report_tables, result_set"
    assert imported(shows, {"altair", "duckdb", "polars"}) == "polars"


def test_the_old_name_of_policies_says_the_new_one() -> None:
    with pytest.warns(FutureWarning, match=r"reclaim\.policies is called reclaim\.policy now"):
        from reclaim.policies import Plane
    assert Plane is reclaim.policy.Plane
