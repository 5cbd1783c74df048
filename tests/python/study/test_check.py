"""`reclaim check`: what is told before anything runs; the experiments of the docs and those that ship."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
import tomllib
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import reclaim
from conftest import Command, environment
from reclaim.experiment import point as points_of
from reclaim.experiment.build import MOST_POINTS, BuildProgress, Traces
from reclaim.experiment.check import check
from reclaim.experiment.experiment import Experiment
from reclaim.experiment.point import combinations
from reclaim.experiment.schema import schema, schema_text
from reclaim.own_code import refused
from reclaim.study.study import RunOptions
from reclaim.study.sweep import Sweep
from study.small import GENERATED, TINY, experiment

SCHEMA = Path(__file__).parents[3] / "docs" / "experiment.schema.json"


def file_of(tmp_path: Path, **sections: Any) -> Path:
    file = tmp_path / "x.toml"
    file.write_text(Experiment.from_dict(experiment(**sections)).text)
    return file


def test_the_schema_is_todays_and_knows_every_key() -> None:
    assert SCHEMA.read_text() == schema_text(), "reclaim check --schema > docs/experiment.schema.json"
    found = schema()
    known = found["$defs"]["Settings"]["properties"]
    assert {"gc.victim", "gc.pages_in_flight", "warmup.kind", "trace.remap", "seed"} <= set(known)
    assert all(each["description"] for each in known.values())
    assert {"extends", "without"} <= set(found["properties"])
    assert found["required"] == ["name"]
    assert {"required": ["extends"]} in found["anyOf"]


REPLAYED = {"warmup.kind": "workload", "trace.repeat_order": "shuffled"}
WARNED: list[tuple[dict[str, Any], list[list[str]]]] = [
    ({}, []),
    ({"axes": {"group": {"a": {"gc.victim": "greedy"}, "b": {}}}, "schemes": ["greedy"]}, [["axis group"]]),
    (
        {"schemes": ["greedy", {"name": "mine", "set": {"gc.victim": "greedy"}}], "axes": {}, "repeats": {}},
        [["twice", "uniform, greedy, repeat 0", "uniform, mine, repeat 0"]],
    ),
    (
        {
            "set": {"gc.pages_in_flight": 4, "warmup.kind": "steady"},
            "schemes": ["greedy", "fifo+warmup.kind=filled"],
        },
        [["set.gc.pages_in_flight"], ["scheme fifo+warmup.kind=filled", "[set]"]],
    ),
    # Repeats in vain; orders of requests are drawn from the seed, too.
    (
        {"set": {"warmup.kind": "filled"}, "schemes": ["greedy", "random"]},
        [["repeats of 2 of 4", 'by = "rotate"', 'by = "jitter"'], ["starts in none of these points"]],
    ),
    ({"set": REPLAYED, "schemes": ["greedy"]}, []),
]


@pytest.mark.parametrize(("sections", "named"), WARNED)
def test_warnings(tmp_path: Path, sections: dict[str, Any], named: list[list[str]]) -> None:
    found = check(file_of(tmp_path, **sections)).warnings
    assert len(found) == len(named), found
    for warning, words in zip(found, named, strict=True):
        assert all(each in warning for each in words), warning


@pytest.mark.parametrize("section", ["axes", "vary"])
def test_values_of_an_axis_hold_for_the_schemes_that_have_its_parameter(tmp_path: Path, section: str) -> None:
    key, values = "gc.victim.d", [2, 3, 4]
    file = file_of(
        tmp_path, schemes=["greedy", "d-choices"], repeats={}, **({"axes": {}} | {section: {key: values}})
    )
    found = check(file)
    assert (found.mistakes, found.refusals, found.warnings) == ([], [], [])
    assert found.notes == [
        f"axis {key} does nothing for greedy (no such parameter): one run for all its values"
    ]
    assert [each.axes[key] for each in found.points if each.scheme == "greedy"] == ["2", "3", "4"]
    Sweep(Experiment.load(file)).run(tmp_path / "out", RunOptions(workers=1))
    assert len(list((tmp_path / "out/points").iterdir())) == 4
    # When it goes on, it finds all of them.
    again = Sweep(Experiment.load(file)).run(tmp_path / "out", RunOptions(workers=1))
    assert not again.failures
    assert len(list((tmp_path / "out/points").iterdir())) == 4


def test_groups_of_settings_hold_as_a_whole(tmp_path: Path) -> None:
    """What is named by the group would be half of it."""
    group = {"few": {"gc.victim.d": 2, "gc.pages_in_flight": 1}}
    found = check(file_of(tmp_path, schemes=["greedy", "d-choices"], axes={"group": group}, repeats={}))
    assert [(each.key, each.text) for each in found.refusals] == [
        ("gc.victim.d", "unknown key; valid: kind, ties")
    ]


def test_the_estimate_is_near(tmp_path: Path) -> None:
    file = file_of(tmp_path)
    told: list[BuildProgress] = []
    known = check(file, told.append).estimate
    assert [each.done for each in told] == list(range(8))
    assert {each.total for each in told} == {8}
    assert [each.requests for each in told] == [GENERATED["generate"]["requests"], *[0] * 7]
    assert known.points == 8
    assert known == Experiment.load(file).estimate()
    swept = Sweep(Experiment.load(file)).run(tmp_path / "out", RunOptions(workers=1))
    assert not swept.failures
    logged = [json.loads(line) for line in (tmp_path / "out/log.jsonl").read_text().splitlines()]
    # Of an idle computer; this one may have other work.
    assert 0.02 < known.seconds / sum(each["seconds"] for each in logged) < 20
    used = sum(each.stat().st_size for each in (tmp_path / "out").rglob("*") if each.is_file())
    assert 0.2 < known.disk_bytes / used < 5


def test_the_estimate_counts_what_tiny_points_cost(tmp_path: Path) -> None:
    """Hardly anything is simulated: the time told is that of drives, results and tables, and it is near."""
    made = experiment(schemes=["greedy"], axes={"seed": [*range(100)]}, repeats={}, record={})
    made["set"] |= TINY
    few = {**GENERATED, "generate": GENERATED["generate"] | {"requests": 50}}
    found = Experiment.from_dict(made | {"traces": [few]})
    told = found.estimate()
    assert told.points == 100
    begun = time.process_time()
    swept = Sweep(found).run(tmp_path / "out", RunOptions(workers=1))
    assert not swept.failures
    assert 1 / 4 < told.processor_seconds / (time.process_time() - begun) < 2
    # Python runs one point at a time, on however many cores.
    assert told.seconds > told.processor_seconds / 2


def test_networks_are_told_to_take_longer() -> None:
    def told(network: str) -> float:
        made = experiment(schemes=["greedy"], axes={}, repeats={}, record={})
        made["set"] |= {"interconnect": network, "geometry.chips_per_channel": 4, "geometry.channels": 4}
        return Experiment.from_dict(made).estimate().processor_seconds

    assert told("pssd") == told("bus") < told("venice")


def test_points_that_cost_the_same_are_estimated_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[reclaim.Device] = []
    facts = reclaim.Device.facts
    monkeypatch.setattr(reclaim.Device, "facts", lambda self: (asked.append(self), facts(self))[1])
    by = {"seed": [1, 2, 3], "geometry.spare_factor": ["20%", "28%"]}
    made = experiment(schemes=["greedy"], axes=by, repeats={"count": 2, "by": "rotate"}, record={})
    made["set"].pop("geometry.spare_factor", None)
    assert Experiment.from_dict(made).estimate().points == 12
    assert len(asked) == 2


def test_many_points_are_told_to_take_less_room(monkeypatch: pytest.MonkeyPatch) -> None:
    def told(**record: bool) -> int:
        made = experiment(schemes=["greedy"], axes={"seed": [1, 2, 3, 4]}, repeats={}, record=record)
        return Experiment.from_dict(made).estimate().disk_bytes

    few = told()
    monkeypatch.setattr("reclaim.experiment.estimate.MANY", 4)
    assert 5 * told() < few < told(timeline=True)


OWN = """import time

import reclaim


@reclaim.victim_policy
def slow(plane, ms=0.0):
    if ms:
        time.sleep(ms / 1000)
    return plane.blocks[plane.valid.argmin()]
"""


def test_the_estimate_counts_policies_in_python(tmp_path: Path) -> None:
    """Victims that take 5 ms each: the time told is theirs, and near to what it takes."""
    (tmp_path / "own.py").write_text(OWN)

    def told(ms: float) -> tuple[float, Experiment]:
        own = {"kind": "python", "function": "own.py:slow", "params": {"ms": ms}}
        scheme = {"name": "mine", "set": {"gc.victim": own}}
        made = experiment(schemes=[scheme], axes={}, repeats={}, record={})
        made["set"] |= TINY
        found = Experiment.from_dict(made, base=tmp_path)
        return found.estimate().processor_seconds, found

    seconds, made = told(5)
    assert seconds > 2 * told(0)[0]
    (point,) = made.points()
    assert point.drive is not None
    assert point.opened is not None
    begun = time.perf_counter()
    reclaim.simulate(point.drive, point.opened, warn=False)
    took = time.perf_counter() - begun
    assert 0.5 < seconds / took < 2


def test_the_estimate_counts_whole_plays_and_terms_of_scores() -> None:
    """A trace that writes several times what the drive holds: each round of its warm-up is a play of it."""
    long = {**GENERATED, "generate": GENERATED["generate"] | {"requests": 200_000}}

    def told(**settings: Any) -> float:
        made = experiment(schemes=["greedy"], axes={}, repeats={}, record={}, traces=[long])
        made["set"] |= TINY
        warm = {"warmup.overwrites"} if "warmup.kind" in settings else set()
        made["set"] = {key: value for key, value in made["set"].items() if key not in warm} | settings
        return Experiment.from_dict(made).estimate().processor_seconds

    def victims(victim: str) -> float:
        return told(**{"gc.victim": {"kind": "score", "score": victim}}) - told()

    rounds = {"warmup.kind": "replay", "warmup.replays": 4, "warmup.fill": True}
    assert told(**{"warmup.kind": "workload"}) == pytest.approx(told(**rounds), rel=0.01)
    assert victims("-age * invalid / valid") == pytest.approx(6 * victims("valid"), rel=1e-6)
    assert victims("valid") > 0


def test_without_leave_no_policy_is_tried(tmp_path: Path) -> None:
    leaves = f"open({str(tmp_path / 'ran')!r}, 'w')"
    (tmp_path / "own.py").write_text(OWN.replace("    if ms", f"    {leaves}\n    if ms"))
    own = {"kind": "python", "function": str(tmp_path / "own.py:slow")}
    made = experiment(schemes=[{"name": "mine", "set": {"gc.victim": own}}], axes={}, repeats={})
    with pytest.raises(reclaim.InputError, match="is not to run"), refused("is not to run"):
        Experiment.from_dict(made).estimate()
    assert not (tmp_path / "ran").exists()


def test_the_command(tmp_path: Path, command: Command) -> None:
    file = file_of(tmp_path)
    ran = command("check", file)
    assert ran.returncode == 0
    assert "2 schemes × 2 of gc.pages_in_flight × 2 repeats by seed" in ran.stdout
    assert "points: 8" in ran.stdout
    axes = {"geometry.spare_factor": ["7%", "20%"], "gc.trigger.start": ["1 block", "3 blocks"]}
    ran = command("check", file_of(tmp_path, axes=axes, devices=["gc-bypass-mini"]))
    assert ran.returncode == 1
    refused = "gc-bypass-mini, uniform, greedy, geometry.spare_factor 7%, gc.trigger.start 3 blocks"
    assert refused in ran.stdout
    file.write_text('name = "x"\ndevices = ["gc-bypass-mni"]\ntraces = ["nosuch.csv"]\nrepeat = 3\n')
    ran = command("check", file)
    assert (ran.returncode, ran.stderr.count("error: ")) == (2, 3)
    assert all(word in ran.stderr for word in ('"gc-bypass-mini"?', "nosuch.csv", '"repeats"?'))
    assert command("sweep", file, "-o", "out").returncode == 2
    assert not (tmp_path / "out").exists()
    assert command("check").returncode == command("check", "nosuch.toml").returncode == 2


@pytest.mark.parametrize(
    "sections",
    [
        {},
        {"vary": {"seed": [1, 2, 3]}, "repeats": {"count": 4}},
        {"axes": {}, "vary": {"seed": [1, 2, 3], "host.queue_depth": [1, 2]}},
        {"devices": ["gc-bypass-mini", "coupled-copyback-mini"], "vary": {"seed": [1, 2]}},
    ],
)
def test_the_count_is_that_of_what_is_made(sections: dict[str, Any]) -> None:
    parts = Experiment.from_dict(experiment(**sections)).parts
    assert points_of.count(parts) == len(list(combinations(parts))) > 0


def test_too_many_points_are_refused_before_one_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    values = {"seed": list(range(1000)), "gc.pages_in_flight": list(range(1, MOST_POINTS // 1000 + 2))}
    large = experiment(axes=values, schemes=["greedy"], repeats={})
    monkeypatch.setattr("reclaim.experiment.build.combinations", lambda _: pytest.fail("it was expanded"))
    with pytest.raises(reclaim.InputError, match=r"101,000 .*100,000"):
        Experiment.from_dict(large).points()


def test_merged_traces_are_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "m.csv").write_text("time_us,op,offset_bytes,size_bytes\n0,write,0,4096\n")
    read: list[object] = []
    transformed = reclaim.Trace.transformed
    monkeypatch.setattr(
        reclaim.Trace, "transformed", lambda *of, **how: read.append(how) or transformed(*of, **how)
    )
    made = Experiment.from_dict(experiment(set={"trace.merge": ["m.csv"]}), base=tmp_path)
    assert len(made.points()) == 8
    assert len(read) == 1
    assert Traces(tmp_path).requests_to_make(made.parts.traces[0]) == 1500


ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "bench.md").read_text()
SHIPPED = sorted((ROOT / "examples" / "experiments").glob("*.toml"))


def blocks(language: str) -> list[str]:
    found = re.findall(r"^```(\w*)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    return [code for kind, code in found if kind == language]


def test_the_files_on_the_page_are_sound(tmp_path: Path) -> None:
    whole, text = blocks("toml")
    points = Experiment.parse(whole).points()
    assert len(points) == (3 * 4 * 2 * 2 + 4) * 2
    assert not [each for each in points if each.refused]
    (tmp_path / "cells.toml").write_text(
        'name = "cells"\ndevices = ["channel-aware-mini"]\n'
        'traces = ["app-like/rocksdb", { name = "mysql", source = "app-like/mysql" }, '
        '{ name = "sqlite", source = "app-like/sqlite" }]\n'
        '[set]\n"trace.remap" = "compact"\n"trace.max_requests" = 9\n[record]\ntimeline = true\n'
    )
    found = Experiment.parse(text, base=tmp_path)
    assert [each.name for each in found.parts.traces] == ["mysql", "sqlite", "varmail"]
    assert list(found.parts.settings) == ["trace.max_requests", "gc.pages_in_flight"]
    assert not found.parts.record.timeline


def test_the_python_on_the_page_runs(tmp_path: Path) -> None:
    (code,) = blocks("python")
    printed = subprocess.check_output(
        [sys.executable, "-c", code], cwd=tmp_path, env=environment(), text=True
    )
    assert printed.startswith("6\n")


@pytest.mark.parametrize("file", SHIPPED, ids=lambda file: file.stem)
def test_shipped_experiments_are_sound(file: Path) -> None:
    checked = check(file)
    assert (checked.mistakes, checked.warnings, checked.refusals) == ([], [], [])
    assert checked.estimate.seconds < 40


@pytest.mark.slow
@pytest.mark.parametrize("name", ["loads", "victims"])
def test_shipped_experiments_are_conclusive(name: str, tmp_path: Path, command: Command) -> None:
    ran = command("sweep", ROOT / f"examples/experiments/{name}.toml", "-o", "out")
    assert ran.returncode == 0, ran.stderr
    assert "Ratios to greedy" in ran.stdout
    assert not (tmp_path / "out/failures").exists()


def test_the_schema_takes_every_experiment_of_examples_and_papers() -> None:
    known = jsonschema.Draft202012Validator(schema())
    for file in (*SHIPPED, *sorted((ROOT / "papers").glob("*/*.toml"))):
        table = tomllib.loads(file.read_text())
        if {"devices", "extends"} & table.keys():
            assert [each.json_path for each in known.iter_errors(table)] == [], file
    assert not known.is_valid({"name": "x", "devices": ["one.toml"], "traces": ["t.csv"], "axs": {}})
