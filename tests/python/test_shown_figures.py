"""Figures that tables have where they say something: padding, mean latency, utilisation, no collection."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import reclaim
from bench.small import GENERATED, experiment
from conftest import DEVICE, Command
from reclaim.results.fitted_table import comparison_tables
from reclaim.results.report import render
from reclaim.results.sets.metrics import PADDED as PADDED_COLUMN
from reclaim.results.sets.report import render as render_set
from reclaim.results.table import ASKED, BY_HOST, PADDED, brief_rows, result_tables
from reclaim.results.table import rows as rows_of
from reclaim.units import written
from test_table import edited, text_of

UNITS = {"config__flash__program_unit": "word-line", "config__flash__cell": "TLC"}
MEAN = "mean latency of all requests"
NOTHING = "Nothing was collected"


def shown_in(results: list[reclaim.Result]) -> list[str]:
    """The tables of a run, of a comparison, and the report."""
    tables = [text_of(*result_tables(each)) for each in results]
    return [*tables, text_of(*comparison_tables(results, 200), width=200), render(results, {})]


def test_padding_is_shown_where_pages_are_padded_or_could_be(results: list[reclaim.Result]) -> None:
    none = [edited(each, gc__padded_pages_per_host_page=0.0) for each in results]
    for text in shown_in(none):
        assert PADDED not in text
    for text in shown_in([edited(each, **UNITS) for each in none]):
        assert PADDED in text
    # One that pads shows it for all.
    some = [none[0], edited(none[1], gc__padded_pages_per_host_page=0.25)]
    row = next(row for row in rows_of(some) if row.label == PADDED)
    assert row.texts() == ["0", "0.250"]
    for text in shown_in(some)[1:]:
        assert PADDED in text
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


def test_mean_latency_is_in_every_table(results: list[reclaim.Result]) -> None:
    for text in shown_in(results):
        assert MEAN in text
    assert results[0].summary()["mean_latency_ns"] == results[0].to_dict()["mean_latency_ns"]


def first_column(text: str) -> str:
    """The labels of a table in the terminal; a page as it is."""
    rows = [line.split("│")[1] for line in text.splitlines() if line.startswith("│")]
    return " ".join(rows) if rows else text


@pytest.fixture(scope="module")
def padding(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A set of a scheme that pads nothing and one that does, on two traces, at a utilisation in total."""
    target = {"host.target_total_utilisation": "20%", "host.target_scheme": "greedy"}
    folder = tmp_path_factory.mktemp("padding")
    traces = [GENERATED, {**GENERATED, "name": "other"}]
    reclaim.sweep(
        experiment(
            traces=traces,
            schemes=["greedy", "coupledcb"],
            axes={},
            repeats={"count": 1},
            set={"warmup.kind": "overwrite", "warmup.overwrites": 1, **target},
        ),
        folder / "set",
        workers=1,
    )
    return folder / "set"


def test_a_set_has_padding_mean_latency_and_utilisations(padding: Path, command: Command) -> None:
    results = reclaim.ResultSet.load(padding)
    found = dict(results.points.group_by("scheme").agg(reclaim_mean(PADDED_COLUMN)).iter_rows())
    assert found["greedy"] == 0
    assert found["coupledcb"] > 0
    shown = command("results", "show", padding)
    page = render_set(results)
    for text in (shown.stdout, page):
        for label in (PADDED, MEAN, ASKED[1], "die utilisation, mean"):
            # In the terminal, a long label goes on in the lines below, with cells of the row beside it.
            assert label in " ".join(first_column(text).split()), label
        assert written(found["coupledcb"], "ratio") in text
        assert NOTHING not in text
    scales = results.points["utilisation_die_asked"].unique().to_list()
    assert scales == [0.2]
    one = {
        json.loads((each / "results.json").read_text())["config"]["host"]["time_scale"]
        for each in points(padding)
    }
    assert len(one) == 1, "both schemes and both traces, which are alike, are played as fast"
    ended = swept(command, padding)
    for label in ("read mean", "write mean", "padded per"):
        assert label in ended
    assert written(found["coupledcb"], "ratio") in ended


def reclaim_mean(column: str) -> Any:
    import polars as pl

    return pl.col(column).mean()


def points(folder: Path) -> list[Path]:
    return sorted((folder / "points").iterdir())


def swept(command: Command, folder: Path) -> str:
    """What the terminal tells of a sweep whose points are all there."""
    done = command("sweep", folder / "experiment.toml", "-o", folder)
    assert done.returncode in (0, 1, 3), done.stderr
    return done.stdout


def test_a_set_that_pads_nothing_does_not_show_it(set_folder: Path, command: Command) -> None:
    assert PADDED not in " ".join(first_column(command("results", "show", set_folder).stdout).split())
    assert PADDED not in render_set(reclaim.ResultSet.load(set_folder))


def test_a_set_and_its_report_tell_that_nothing_was_collected(tmp_path: Path, command: Command) -> None:
    folder = tmp_path / "set"
    quiet = experiment(set={"warmup.kind": "empty"}, axes={}, repeats={"count": 1})
    reclaim.sweep(quiet, folder, workers=1)
    said = f"{NOTHING} in any point"
    terminal, shown = swept(command, folder), command("results", "show", folder).stdout
    assert terminal.index(said) < terminal.index("Ratios to greedy")
    assert shown.index(said) < shown.index("write p99 latency")
    page = render_set(reclaim.ResultSet.load(folder))
    assert page.index(said) < page.index("<caption>")


def test_the_report_of_a_comparison_tells_that_nothing_was_collected(results: list[reclaim.Result]) -> None:
    assert NOTHING not in render(results, {})
    idle = [edited(each, gc__jobs=0) for each in results]
    page = render(idle, {})
    assert page.index(f"{NOTHING} under any of these schemes") < page.index('id="summary"')
    assert f"{NOTHING} in what was measured" in render(idle[:1], {})


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ("60%", "name one, as in 60%:greedy"),
        ("much:greedy", "--target-total-utilisation much: expected a share"),
        ("60%:gredy", 'did you mean "greedy"'),
    ],
)
def test_a_total_utilisation_that_says_too_little_is_refused(
    command: Command, trace_file: Path, given: str, says: str
) -> None:
    done = command("run", trace_file, "--device", DEVICE, "--target-total-utilisation", given)
    assert (done.returncode, done.stdout) == (2, "")
    assert says in done.stderr


def test_all_schemes_of_a_comparison_are_played_at_one_speed(command: Command, trace_file: Path) -> None:
    words = (
        "--device",
        DEVICE,
        "--warmup",
        "overwrite:1",
        "--target-total-utilisation",
        "20%:greedy",
        "--json",
    )
    done = command("compare", trace_file, *words, "--schemes", "random,greedy")
    assert done.returncode in (0, 1, 3), done.stderr
    random, greedy = json.loads(done.stdout)["runs"]
    assert random["config"]["host"] == greedy["config"]["host"]
    assert abs(greedy["utilisation"]["die"] / 0.2 - 1) <= 0.01
    assert greedy["utilisation"]["die_host"] <= greedy["utilisation"]["die"]
    assert "in total under greedy" in random["transforms"][-1]
    # A drive written down finds the same.
    drive = reclaim.Device.preset(DEVICE).with_scheme(
        "random", settings={"host.target_total_utilisation": "20%", "host.target_scheme": "greedy"}
    )
    file = trace_file.with_name("d.toml")
    file.write_text(drive.to_toml())
    assert reclaim.Device.load(file).config == drive.config
