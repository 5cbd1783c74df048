"""Experiments that extend others: what is merged, what is left out, and where files and lines are."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from small import GENERATED, contents, experiment

import reclaim
from conftest import Command
from reclaim.bench import Experiment
from reclaim.bench.schema import schema
from reclaim.bench.toml import to_toml
from reclaim.papers.experiments import read_table

CELLS: dict[str, Any] = {
    "name": "cells",
    "about": "what is extended",
    "devices": ["coupled-copyback-mini"],
    "traces": [
        GENERATED,
        {"name": "short", "source": "app-like/varmail", "set": {"trace.max_requests": 100, "seed": 3}},
        "app-like/sqlite",
    ],
    "schemes": ["greedy", {"name": "mine", "schemes": ["fifo"], "set": {"gc.pages_in_flight": 2}}],
    "set": {"trace.remap": "compact", "warmup.kind": "overwrite"},
    "axes": {"gc.pages_in_flight": [1, 2], "load": {"own": {}, "twice": {"host.time_scale": 2.0}}},
    "repeats": {"count": 2, "by": "seed"},
    "record": {"timeline": True},
}
GENERATE: dict[str, Any] = GENERATED["generate"]


def table(tmp_path: Path, text: str, below: dict[str, Any] = CELLS) -> dict[str, Any]:
    """What a file says that extends another."""
    (tmp_path / "cells.toml").write_text(to_toml(below))
    file = tmp_path / "x.toml"
    file.write_text(f'name = "x"\nextends = "cells.toml"\n{text}')
    return dict(Experiment.load(file).table)


def without(*keys: str) -> dict[str, Any]:
    return {key: value for key, value in CELLS.items() if key not in ("name", "about", *keys)}


def test_all_is_taken_but_the_name(tmp_path: Path) -> None:
    assert table(tmp_path, "") == {"name": "x"} | without()


def test_tables_are_merged_and_lists_are_replaced(tmp_path: Path) -> None:
    text = """
schemes = ["fifo"]
[set]
"trace.remap" = "wrap"
"gc.trigger.start" = "3 blocks"
[axes]
"gc.pages_in_flight" = [4]
[axes.load]
half = { "host.time_scale" = 0.5 }
[repeats]
count = 1
"""
    found = table(tmp_path, text)
    assert found["schemes"] == ["fifo"]
    assert list(found["set"].items()) == [
        ("trace.remap", "wrap"),
        ("warmup.kind", "overwrite"),
        ("gc.trigger.start", "3 blocks"),
    ]
    assert found["axes"] == {
        "gc.pages_in_flight": [4],
        "load": {**CELLS["axes"]["load"], "half": {"host.time_scale": 0.5}},
    }
    assert found["repeats"] == {"count": 1, "by": "seed"}


def test_a_setting_is_the_same_with_and_without_quotes(tmp_path: Path) -> None:
    found = table(tmp_path, '[set.warmup]\nkind = "filled"\n')
    assert found["set"] == {"trace.remap": "compact", "warmup": {"kind": "filled"}}


def test_keys_are_left_out(tmp_path: Path) -> None:
    text = 'without = ["record", "set.warmup.kind", "axes.load"]\n[axes]\nload = { own = {} }\n'
    found = table(tmp_path, text)
    assert "record" not in found
    assert found["set"] == {"trace.remap": "compact"}
    assert found["axes"] == {"gc.pages_in_flight": [1, 2], "load": {"own": {}}}


def test_entries_are_taken_by_their_names(tmp_path: Path) -> None:
    found = table(tmp_path, 'traces = ["app-like/sqlite", "short"]\nschemes = ["mine", "fifo"]\n')
    assert found["traces"] == [CELLS["traces"][2], CELLS["traces"][1]]
    assert found["schemes"] == [CELLS["schemes"][1], "fifo"]


def test_traces_are_changed_by_their_names(tmp_path: Path) -> None:
    text = """traces = [
    { name = "short", set = { "trace.max_requests" = 7 } },
    { name = "uniform", generate = { requests = 9, address = { footprint = "8MiB" } } },
    { name = "app-like/sqlite", set = { "trace.max_requests" = 8 } },
]
"""
    address = {"kind": "uniform", "footprint": "8MiB"}
    assert table(tmp_path, text)["traces"] == [
        {"name": "short", "source": "app-like/varmail", "set": {"trace.max_requests": 7, "seed": 3}},
        {"name": "uniform", "generate": {**GENERATE, "requests": 9, "address": address}},
        {"name": "app-like/sqlite", "source": "app-like/sqlite", "set": {"trace.max_requests": 8}},
    ]


def test_a_trace_with_a_source_is_another(tmp_path: Path) -> None:
    text = 'traces = [{ name = "short", source = "app-like/sqlite" }]\n'
    assert table(tmp_path, text)["traces"] == [{"name": "short", "source": "app-like/sqlite"}]


def test_a_chain(tmp_path: Path) -> None:
    table(tmp_path, 'schemes = ["mine"]\n[set]\n"gc.trigger.start" = "3 blocks"\n')
    (tmp_path / "y.toml").write_text(
        'name = "y"\nextends = "x.toml"\nwithout = ["set.trace.remap"]\ntraces = ["short"]\n'
        "[repeats]\ncount = 1\n"
    )
    assert Experiment.load(tmp_path / "y.toml").table == {
        **without(),
        "name": "y",
        "schemes": CELLS["schemes"][1:],
        "traces": CELLS["traces"][1:2],
        "set": {"warmup.kind": "overwrite", "gc.trigger.start": "3 blocks"},
        "repeats": {"count": 1, "by": "seed"},
    }


def other_folder(tmp_path: Path, trace_file: Path) -> Path:
    """An experiment beside its files, in a folder of its own."""
    below = tmp_path / "below"
    below.mkdir()
    shutil.copy(trace_file, below / "t.csv")
    (below / "drive.toml").write_text('base = "coupled-copyback-mini"\n')
    models = '["t.csv"]\n"gc.pages_in_flight" = 2\n["../../below/t.csv"]\n[catalogued]\n'
    (below / "models.toml").write_text(models)
    cells = {
        "name": "cells",
        "devices": ["drive.toml"],
        "traces": ["t.csv", {"name": "catalogued", "source": "app-like/varmail"}],
        "schemes": [{"name": "mine", "schemes": ["fifo"], "for_traces": "models.toml"}],
        "axes": {"parts": {"one": {}, "two": {"trace.merge": ["t.csv@1GiB"]}}},
    }
    (below / "cells.toml").write_text(to_toml(cells))
    return below / "cells.toml"


def test_files_are_beside_what_names_them(tmp_path: Path, trace_file: Path) -> None:
    cells = other_folder(tmp_path, trace_file)
    above = tmp_path / "a" / "b"
    above.mkdir(parents=True)
    (above / "x.toml").write_text('name = "x"\nextends = "../../below/cells.toml"\n')
    found = Experiment.load(above / "x.toml")
    assert found.table["devices"] == ["../../below/drive.toml"]
    assert found.table["traces"] == [
        "../../below/t.csv",
        {"name": "catalogued", "source": "app-like/varmail"},
    ]
    assert found.table["schemes"][0]["for_traces"] == "../../below/models.toml"
    assert found.table["axes"]["parts"]["two"] == {
        "trace.merge": [{"file": "../../below/t.csv", "shift": "1GiB"}]
    }
    there = Experiment.load(cells)
    assert [each.settings for each in there.parts.schemes] == [each.settings for each in found.parts.schemes]
    assert len(found.points()) == len(there.points()) == 4
    assert {each.source for each in found.points() if "t.csv" in each.trace} == {
        str(above / "../../below/t.csv")
    }


def test_a_mapping_and_a_text_extend_files_of_their_base(tmp_path: Path) -> None:
    said = table(tmp_path, 'traces = ["short"]\n')
    mapping = {"name": "x", "extends": "cells.toml", "traces": ["short"]}
    assert Experiment.from_dict(mapping, base=tmp_path).table == said
    assert Experiment.parse(to_toml(mapping), base=tmp_path).table == said


def test_a_paper_takes_what_is_extended(tmp_path: Path) -> None:
    said = table(tmp_path, 'traces = ["short"]\n')
    assert read_table(tmp_path / "x.toml", tmp_path) == said


def test_points_are_those_of_the_file_written_out(tmp_path: Path) -> None:
    """Their names follow from what is run, and what a sweep keeps needs no other file."""
    below = experiment(schemes=["fifo"], record={"timeline": True, "gc": True, "audit": True})
    changes = {"schemes": ["greedy", "fifo"], "without": ["record.audit"]}
    (tmp_path / "cells.toml").write_text(to_toml({**below, "name": "cells"}))
    (tmp_path / "x.toml").write_text(to_toml({"name": "small", "extends": "cells.toml", **changes}))
    written = Experiment.from_dict(experiment())
    extending = Experiment.load(tmp_path / "x.toml")
    assert [each.row() for each in extending.points()] == [each.row() for each in written.points()]
    assert [each.id for each in extending.points()] == [each.id for each in written.points()]
    reclaim.sweep(extending, tmp_path / "one")
    reclaim.sweep(Experiment.load(tmp_path / "one" / "experiment.toml"), tmp_path / "two")
    reclaim.sweep(written, tmp_path / "three")
    one, two, three = (contents(tmp_path / name) for name in ("one", "two", "three"))
    assert one == two
    del one["experiment.toml"], three["experiment.toml"]
    assert one == three


def test_mistakes_of_both_files_have_their_lines(tmp_path: Path) -> None:
    (tmp_path / "cells.toml").write_text(
        'name = "cells"\ndevices = ["gc-bypass-mini"]\ntraces = [\n    "app-like/varmail",\n'
        '    { name = "b", source = "app-like/sqlite", set = { "trace.remap" = "" } },\n]\n'
        "[repeat]\ncount = 2\n"
    )
    (tmp_path / "x.toml").write_text(
        'name = "x"\nextends = "cells.toml"\ntraces = ["b"]\n[record]\nall = true\n'
    )
    _, mistakes = Experiment.read(tmp_path / "x.toml")
    starts = [each.removeprefix(f"{tmp_path}/").rpartition(": ")[0] for each in mistakes.messages()]
    assert [each.partition(": ")[0] for each in starts] == ["x.toml:5", "cells.toml:5", "cells.toml:7"]
    assert "traces[2].set" in starts[1], "its key is that of the file that is named"


def test_the_command_tells_what_cannot_be_extended(tmp_path: Path, command: Command) -> None:
    (tmp_path / "x.toml").write_text('name = "x"\nextends = "gone.toml"\n')
    for words in (("check",), ("sweep", "-o", "out"), ("ablate", "-o", "out"), ("sensitivity", "-o", "out")):
        ran = command(*words, tmp_path / "x.toml")
        assert ran.returncode == 2
        assert "x.toml:2: extends: " in ran.stderr
        assert ran.stderr.count("error: ") == 1


def test_the_command_checks_what_extends(tmp_path: Path, command: Command) -> None:
    table(tmp_path, 'without = ["axes.load"]\ntraces = ["short"]\n')
    ran = command("check", tmp_path / "x.toml")
    assert ran.returncode == 0, ran.stderr
    assert "2 schemes × 2 of gc.pages_in_flight × 2 repeats by seed" in ran.stdout


def test_the_schema_knows_it() -> None:
    found = schema()
    assert {"extends", "without"} <= set(found["properties"])
    assert found["required"] == ["name"]
    assert {"required": ["extends"]} in found["anyOf"]


@pytest.mark.parametrize("link", [False, True])
def test_a_circle_is_found_behind_a_link(tmp_path: Path, *, link: bool) -> None:
    (tmp_path / "a.toml").write_text('name = "a"\nextends = "b.toml"\n')
    if link:
        (tmp_path / "b.toml").symlink_to("a.toml")
    else:
        (tmp_path / "b.toml").write_text('name = "b"\nextends = "./a.toml"\n')
    with pytest.raises(reclaim.InputError, match="in a circle"):
        Experiment.load(tmp_path / "a.toml")
