"""What an experiment file means: its points, their settings, their names."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

import reclaim
from reclaim.bench import Experiment

UNIFORM: dict[str, Any] = {
    "name": "uniform",
    "generate": {
        "requests": 500,
        "size": "4KiB",
        "operations": {"write": 1.0},
        "address": {"kind": "uniform", "footprint": "4MiB"},
        "arrivals": {"kind": "constant", "interval": "500us"},
    },
}
BASE: dict[str, Any] = {"name": "x", "devices": ["coupled-copyback-mini"], "traces": [UNIFORM]}


def points(**sections: Any) -> list[reclaim.bench.Point]:
    return Experiment.from_dict(BASE | sections).points()


def config(point: reclaim.bench.Point) -> Any:
    assert point.drive is not None
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
    trace = UNIFORM | {"set": {"host.time_scale": 4.0, "warmup.kind": "filled"}}
    (found,) = points(
        schemes=[scheme],
        traces=[trace],
        set={"gc.pages_in_flight": 3, "host.time_scale": 3.0, "seed": 7},
        axes={"warmup.kind": ["empty"]},
    )
    assert config(found)["gc"]["victim"]["kind"] == "fifo"
    assert config(found)["gc"]["pages_in_flight"] == 3
    assert config(found)["host"]["time_scale"] == 4.0
    assert config(found)["warmup"]["kind"] == "empty"
    assert config(found)["seed"] == 7


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


def test_named_groups_of_settings() -> None:
    load = {"own": {}, "30%": {"host.target_utilisation": "30%"}}
    own, scaled = points(axes={"load": load})
    assert (own.axes, scaled.axes) == ({"load": "own"}, {"load": "30%"})
    assert "target_utilisation" not in config(own)["host"]
    assert config(scaled)["host"]["target_utilisation"] == "30%"


def test_keys_need_no_quotes_where_they_are_not_ambiguous() -> None:
    text = Experiment.from_dict(BASE).text + "[set]\nwarmup.kind = 'filled'\ngc.pages_in_flight = 2\n"
    (found,) = Experiment.parse(text).points()
    assert config(found)["warmup"]["kind"] == "filled"


def test_an_id_is_what_the_run_follows_from() -> None:
    (plain,) = points()
    same = points(about="another text", axes={"group": {"of": {}}})[0]
    assert plain.id == same.id
    others = [
        points(set={"gc.pages_in_flight": 2})[0],
        points(record={"timeline": True})[0],
        points(record={"audit": True})[0],
        points(schemes=["greedy"])[0],
        points(traces=[UNIFORM | {"generate": UNIFORM["generate"] | {"requests": 501}}])[0],
    ]
    assert len({each.id for each in [plain, *others]}) == 6
    # What is run is what the drive does anyway, under another name.
    assert plain.same_run == others[3].same_run


def test_ids_do_not_depend_on_where_files_are(tmp_path: Path, trace_file: Path) -> None:
    ids = set()
    for folder in ("a", "b/c"):
        place = tmp_path / folder
        place.mkdir(parents=True)
        (place / "t.csv").write_bytes(trace_file.read_bytes())
        (place / "d.toml").write_text('base = "coupled-copyback-mini"\n')
        file = place / "x.toml"
        merge = '{ "trace.merge" = ["t.csv@8MiB"] }'
        file.write_text(
            f'name = "x"\ndevices = ["d.toml"]\ntraces = [{{ source = "t.csv", set = {merge} }}]\n'
        )
        (point,) = Experiment.load(file).points()
        ids.add(point.id)
    assert len(ids) == 1


def test_files_are_looked_for_beside_the_experiment_only(
    tmp_path: Path, trace_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(trace_file.parent)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "x.toml").write_text(
        f'name = "x"\ndevices = ["coupled-copyback-mini"]\ntraces = ["{trace_file.name}"]\n'
    )
    assert os.path.exists(trace_file.name)  # noqa: PTH110 - from the present folder
    with pytest.raises(reclaim.InputError, match="no such file"):
        Experiment.load(elsewhere / "x.toml").points()


def test_a_combination_that_is_refused_does_not_stop_the_others() -> None:
    axes = {"geometry.spare_factor": ["7%", "20%"], "gc.trigger.start": ["1 block", "3 blocks"]}
    found = points(axes=axes, devices=["gc-bypass-mini"])
    assert [bool(each.refused) for each in found] == [False, True, False, False]
    assert "spare blocks" in found[1].refused
    assert found[1].drive is None


def test_a_value_that_no_drive_takes_is_a_mistake() -> None:
    with pytest.raises(reclaim.InputError, match=r'axes."geometry.spare_factor"\[1\]: .*spare blocks'):
        points(axes={"geometry.spare_factor": ["2%", "20%"]})
