"""Figures that tables have where they say something: padding, mean latency, utilisation, no collection."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
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
    assert not any(PADDED in text for text in shown_in(none))
    assert all(PADDED in text for text in shown_in([edited(each, **UNITS) for each in none]))
    # One that pads shows it for all.
    some = [none[0], edited(none[1], gc__padded_pages_per_host_page=0.25)]
    row = next(row for row in rows_of(some) if row.label == PADDED)
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
    assert NOTHING not in render(results, {})
    idle = [edited(each, gc__jobs=0) for each in results]
    page = render(idle, {})
    assert page.index(NOTHING) < page.index('id="summary"')
    assert NOTHING in render(idle[:1], {})


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
    page = render_set(results)
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
    assert PADDED not in render_set(reclaim.ResultSet.load(set_folder))
    quiet = experiment(set={"warmup.kind": "empty"}, axes={}, repeats={"count": 1})
    folder = reclaim.sweep(quiet, tmp_path / "set", workers=1).folder
    terminal, shown = swept(command, folder), command("results", "show", folder).stdout
    page = render_set(reclaim.ResultSet.load(folder))
    for text, after in ((terminal, "Ratios to greedy"), (shown, "write p99 latency"), (page, "<caption>")):
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
