"""What an experiment file means: its points, their settings, their names, what it takes of another file."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

import reclaim
from conftest import Command
from reclaim.experiment.experiment import Experiment
from reclaim.paper.experiments import read_table
from reclaim.parsing import to_toml
from study.small import GENERATED, contents, experiment

GENERATE: dict[str, Any] = GENERATED["generate"]
BASE: dict[str, Any] = {"name": "x", "devices": ["coupled-copyback-mini"], "traces": [GENERATED]}


def points(**sections: Any) -> list[reclaim.experiment.point.Point]:
    return Experiment.from_dict(BASE | sections).points()


def config(point: reclaim.experiment.point.Point) -> Any:
    return point.drive.config


def test_everything_is_crossed_and_repeats_follow_each_other() -> None:
    found = points(
        schemes=["greedy", "fifo"], axes={"gc.pages_in_flight": [1, 2]}, repeats={"count": 2, "by": "seed"}
    )
    assert [(each.axes["gc.pages_in_flight"], each.scheme, each.repeat) for each in found] == [
        (value, scheme, repeat) for value in "12" for scheme in ("greedy", "fifo") for repeat in (0, 1)
    ]
    assert [each.perturbation for each in found[:2]] == ["", "seed 43"]
    assert [config(each)["seed"] for each in found[:2]] == [42, 43]


def test_later_settings_win() -> None:
    scheme = {"name": "mine", "schemes": ["fifo"], "set": {"gc.pages_in_flight": 2, "host.time_scale": 2.0}}
    trace = GENERATED | {"set": {"host.time_scale": 4.0, "warmup.kind": "filled"}}
    own = {"gc.pages_in_flight": 3, "host.time_scale": 3.0, "seed": 7}
    (found,) = points(schemes=[scheme], traces=[trace], set=own, axes={"warmup.kind": ["empty"]})
    gc, drive = config(found)["gc"], config(found)
    assert (gc["victim"]["kind"], gc["pages_in_flight"], drive["seed"]) == ("fifo", 3, 7)
    assert (drive["host"]["time_scale"], drive["warmup"]["kind"]) == (4.0, "empty")
    # Keys need no quotes where they are not ambiguous.
    (found,) = Experiment.parse(Experiment.from_dict(BASE).text + "[set]\nwarmup.kind = 'filled'\n").points()
    assert config(found)["warmup"]["kind"] == "filled"
    # Named groups of settings.
    own, scaled = points(axes={"load": {"own": {}, "30%": {"host.target_utilisation": "30%"}}})
    assert (own.axes, scaled.axes) == ({"load": "own"}, {"load": "30%"})
    assert "target_utilisation" not in config(own)["host"]
    assert config(scaled)["host"]["target_utilisation"] == "30%"


def test_what_is_varied_is_never_crossed() -> None:
    found = points(
        devices=["coupled-copyback-mini", "gc-bypass-mini"],
        schemes=["greedy", "fifo"],
        axes={"gc.pages_in_flight": [1, 2]},
        vary={"warmup.kind": ["filled", "empty"], "host.time_scale": [1.0, 2.0, 3.0]},
    )
    crossed = [each for each in found if not each.vary]
    varied = [each for each in found if each.vary]
    assert len(crossed) == 2 * 2 * 2
    assert {config(each)["warmup"]["kind"] for each in crossed} == {"filled"}
    assert [(each.vary, each.scheme) for each in varied] == [
        (value, scheme)
        for value in ("warmup.kind=empty", "host.time_scale=2.0", "host.time_scale=3.0")
        for scheme in ("greedy", "fifo")
    ]
    assert {each.device for each in varied} == {"coupled-copyback-mini"}
    assert {config(each)["gc"]["pages_in_flight"] for each in varied} == {1}


def test_an_id_is_what_the_run_follows_from() -> None:
    (plain,) = points()
    same = points(about="another text", axes={"group": {"of": {}}})[0]
    assert plain.id == same.id
    sections: list[dict[str, Any]] = [
        {"schemes": ["greedy"]},
        {"set": {"gc.pages_in_flight": 2}},
        {"record": {"timeline": True}},
        {"record": {"audit": True}},
        {"traces": [GENERATED | {"generate": GENERATE | {"requests": 501}}]},
    ]
    others = [points(**each)[0] for each in sections]
    assert len({each.id for each in [plain, *others]}) == 6
    # What is run is what the drive does anyway, under another name.
    assert plain.same_run == others[0].same_run


def test_files_are_beside_the_experiment_wherever_that_is(
    tmp_path: Path, trace_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = set()
    for folder in ("a", "b/c"):
        place = tmp_path / folder
        place.mkdir(parents=True)
        (place / "t.csv").write_bytes(trace_file.read_bytes())
        (place / "d.toml").write_text('base = "coupled-copyback-mini"\n')
        trace = '{ source = "t.csv", set = { "trace.merge" = ["t.csv@8MiB"] } }'
        (place / "x.toml").write_text(f'name = "x"\ndevices = ["d.toml"]\ntraces = [{trace}]\n')
        ids |= {each.id for each in Experiment.load(place / "x.toml").points()}
    assert len(ids) == 1
    # Not in the present folder.
    monkeypatch.chdir(place)
    (tmp_path / "x.toml").write_bytes((place / "x.toml").read_bytes())
    with pytest.raises(reclaim.InputError, match="no such file"):
        Experiment.load(tmp_path / "x.toml").points()


def test_a_combination_that_is_refused_does_not_stop_the_others() -> None:
    axes = {"geometry.spare_factor": ["7%", "20%"], "gc.trigger.start": ["1 block", "3 blocks"]}
    found = points(axes=axes, devices=["gc-bypass-mini"])
    assert [bool(each.refused) for each in found] == [False, True, False, False]
    assert found[1].drive is None
    # One that no drive takes is a mistake.
    with pytest.raises(reclaim.InputError, match=r'axes."geometry.spare_factor"\[1\]: '):
        points(axes={"geometry.spare_factor": ["2%", "20%"]})


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
MERGED = """schemes = ["fifo"]
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
LEFT_OUT = 'without = ["record", "set.warmup.kind", "axes.load"]\n[axes]\nload = { own = {} }\n'
NAMED = """traces = [
    { name = "short", set = { "trace.max_requests" = 7 } },
    { name = "uniform", generate = { requests = 9, address = { footprint = "8MiB" } } },
    { name = "app-like/sqlite", set = { "trace.max_requests" = 8 } },
]
"""
WIDER = {"kind": "uniform", "footprint": "8MiB"}
EXTENDING: dict[str, tuple[str, dict[str, Any]]] = {
    "tables are merged, lists replaced": (
        MERGED,
        {
            "schemes": ["fifo"],
            "set": {"trace.remap": "wrap", "warmup.kind": "overwrite", "gc.trigger.start": "3 blocks"},
            "axes": {
                "gc.pages_in_flight": [4],
                "load": {**CELLS["axes"]["load"], "half": {"host.time_scale": 0.5}},
            },
            "repeats": {"count": 1, "by": "seed"},
        },
    ),
    "without quotes": (
        '[set.warmup]\nkind = "filled"\n',
        {"set": {"trace.remap": "compact", "warmup": {"kind": "filled"}}},
    ),
    "left out": (
        LEFT_OUT,
        {
            "record": None,
            "set": {"trace.remap": "compact"},
            "axes": {"gc.pages_in_flight": [1, 2], "load": {"own": {}}},
        },
    ),
    "entries by their names": (
        'traces = ["app-like/sqlite", "short"]\nschemes = ["mine", "fifo"]\n',
        {"traces": CELLS["traces"][:0:-1], "schemes": [CELLS["schemes"][1], "fifo"]},
    ),
    "traces changed by their names": (
        NAMED,
        {
            "traces": [
                {"name": "short", "source": "app-like/varmail", "set": {"trace.max_requests": 7, "seed": 3}},
                {"name": "uniform", "generate": {**GENERATE, "requests": 9, "address": WIDER}},
                {"name": "app-like/sqlite", "source": "app-like/sqlite", "set": {"trace.max_requests": 8}},
            ]
        },
    ),
    "another trace of that name": (
        'traces = [{ name = "short", source = "app-like/sqlite" }]\n',
        {"traces": [{"name": "short", "source": "app-like/sqlite"}]},
    ),
    "nothing": ("", {}),
}


def table(tmp_path: Path, text: str) -> dict[str, Any]:
    """What a file says that extends another."""
    (tmp_path / "cells.toml").write_text(to_toml(CELLS))
    (tmp_path / "x.toml").write_text(f'name = "x"\nextends = "cells.toml"\n{text}')
    return dict(Experiment.load(tmp_path / "x.toml").table)


def taken(**changes: Any) -> dict[str, Any]:
    """All that is extended but its name, with these sections instead; none where there is nothing."""
    whole = {key: value for key, value in CELLS.items() if key != "about"} | {"name": "x"} | changes
    return {key: value for key, value in whole.items() if value is not None}


@pytest.mark.parametrize(("text", "changes"), EXTENDING.values(), ids=EXTENDING)
def test_extending(tmp_path: Path, text: str, changes: dict[str, Any]) -> None:
    found = table(tmp_path, text)
    assert found == taken(**changes)
    assert list(found.get("set", {})) == list(changes.get("set", CELLS["set"])), "in this order"


def test_a_chain_and_what_reads_one(tmp_path: Path) -> None:
    table(tmp_path, 'schemes = ["mine"]\n[set]\n"gc.trigger.start" = "3 blocks"\n')
    (tmp_path / "y.toml").write_text(
        'name = "y"\nextends = "x.toml"\nwithout = ["set.trace.remap"]\ntraces = ["short"]\n'
    )
    said = taken(
        name="y",
        schemes=CELLS["schemes"][1:],
        traces=CELLS["traces"][1:2],
        set={"warmup.kind": "overwrite", "gc.trigger.start": "3 blocks"},
    )
    mapping = {"name": "y", "extends": "x.toml", "without": ["set.trace.remap"], "traces": ["short"]}
    assert Experiment.load(tmp_path / "y.toml").table == said
    assert Experiment.from_dict(mapping, base=tmp_path).table == said
    assert Experiment.parse(to_toml(mapping), base=tmp_path).table == said
    assert read_table(tmp_path / "y.toml", tmp_path) == said, "of a paper"


def test_files_are_beside_what_names_them(tmp_path: Path, trace_file: Path) -> None:
    below, above = tmp_path / "below", tmp_path / "a" / "b"
    below.mkdir()
    above.mkdir(parents=True)
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
    (above / "x.toml").write_text('name = "x"\nextends = "../../below/cells.toml"\n')
    found, there = Experiment.load(above / "x.toml"), Experiment.load(below / "cells.toml")
    assert found.table["devices"] == ["../../below/drive.toml"]
    assert found.table["traces"] == ["../../below/t.csv", cells["traces"][1]]
    assert found.table["schemes"][0]["for_traces"] == "../../below/models.toml"
    merged = {"file": "../../below/t.csv", "shift": "1GiB"}
    assert found.table["axes"]["parts"]["two"] == {"trace.merge": [merged]}
    assert [each.settings for each in there.parts.schemes] == [each.settings for each in found.parts.schemes]
    assert len(found.points()) == len(there.points()) == 4
    sources = {each.source for each in found.points() if "t.csv" in each.trace}
    assert sources == {str(above / "../../below/t.csv")}


def test_points_are_those_of_the_file_written_out(tmp_path: Path) -> None:
    """Their names follow from what is run, and what a sweep keeps needs no other file."""
    few = {"axes": {}, "repeats": {"count": 1}}
    below = experiment(schemes=["fifo"], record={"timeline": True, "gc": True, "audit": True}, **few)
    changes = {"schemes": ["greedy", "fifo"], "without": ["record.audit"]}
    (tmp_path / "cells.toml").write_text(to_toml({**below, "name": "cells"}))
    (tmp_path / "x.toml").write_text(to_toml({"name": "small", "extends": "cells.toml", **changes}))
    written, extending = Experiment.from_dict(experiment(**few)), Experiment.load(tmp_path / "x.toml")
    assert [each.row() for each in extending.points()] == [each.row() for each in written.points()]
    assert [each.id for each in extending.points()] == [each.id for each in written.points()]
    reclaim.sweep(extending, tmp_path / "one")
    reclaim.sweep(Experiment.load(tmp_path / "one" / "experiment.toml"), tmp_path / "two")
    assert contents(tmp_path / "one") == contents(tmp_path / "two")


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
    starts = [each.removeprefix(f"{tmp_path}/").split(": ")[:2] for each in mistakes.messages()]
    assert [each for each, _ in starts] == ["x.toml:5", "cells.toml:5", "cells.toml:7"]
    assert starts[1][1].startswith("traces[2].set"), "its key is that of the file that is named"


def test_every_command_tells_what_cannot_be_extended(tmp_path: Path, command: Command) -> None:
    (tmp_path / "x.toml").write_text('name = "x"\nextends = "gone.toml"\n')
    for words in (("check",), ("sweep", "-o", "out"), ("ablate", "-o", "out"), ("sensitivity", "-o", "out")):
        ran = command(*words, tmp_path / "x.toml")
        assert ran.returncode == 2
        assert "x.toml:2: extends: " in ran.stderr
        assert ran.stderr.count("error: ") == 1


def test_a_circle_is_found_behind_a_link(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text('name = "a"\nextends = "b.toml"\n')
    (tmp_path / "b.toml").symlink_to("a.toml")
    with pytest.raises(reclaim.InputError, match="in a circle"):
        Experiment.load(tmp_path / "a.toml")


OLD = {
    "comparisons": [{"scheme": "fifo", "to": "greedy"}],
    "ablate": {"from": "greedy", "to": "fifo", "metrics": ["write_mean_ns"]},
    "sensitivity": {"base": "greedy", "other": "fifo", "metric": "write_mean_ns"},
    "tune": {"objectives": ["write_mean_ns"], "tune_on": {"repeats": [0]}, "judge_on": {"repeats": [1]}},
}
PRESENT = {
    "comparisons": [{"candidate": "fifo", "baseline": "greedy"}],
    "ablate": {"baseline": "greedy", "candidate": "fifo", "metrics": ["write_mean_ns"]},
    "sensitivity": {"baseline": "greedy", "candidate": "fifo", "metrics": "write_mean_ns"},
    "tune": {"objective": ["write_mean_ns"], "tune_on": {"repeats": [0]}, "judge_on": {"repeats": [1]}},
}


def test_keys_that_have_other_names_now_are_taken_with_a_note(tmp_path: Path) -> None:
    """For one version, in a file and in one that it extends; a mistake is told at the key as it stands."""
    whole = BASE | {"schemes": ["greedy", "fifo"], "repeats": {"count": 6}}
    present = Experiment.from_dict(whole | PRESENT)
    (tmp_path / "old.toml").write_text(to_toml(whole | OLD))
    with pytest.warns(reclaim.ResultWarning, match=r"old\.toml:\d+: [\w.\[\]]+: is called \w+ now") as told:
        found = Experiment.load(tmp_path / "old.toml")
    assert found.table == present.table
    assert found.parts == present.parts
    assert len(told) == 8
    old = (
        (tmp_path / "old.toml").read_text().replace('from = "greedy"\nto = "fifo"', 'from = "x"\nto = "ffo"')
    )
    (tmp_path / "old.toml").write_text(old)
    (tmp_path / "new.toml").write_text('name = "x"\nextends = "old.toml"\n[ablate]\nbaseline = "fofo"\n')
    with pytest.raises(reclaim.InputError, match=r'new\.toml:4: .*\n.*old\.toml:\d+: ablate\.to: "ffo"'):
        Experiment.load(tmp_path / "new.toml")
