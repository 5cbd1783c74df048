"""`reclaim check`: what is told before anything runs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bench.small import experiment
from conftest import Command
from reclaim.bench.check import check
from reclaim.bench.experiment import Experiment
from reclaim.bench.run import How, sweep_into
from reclaim.bench.schema import schema, schema_text

SCHEMA = Path(__file__).parents[3] / "docs" / "experiment.schema.json"


def warnings_of(tmp_path: Path, **sections: Any) -> list[str]:
    file = tmp_path / "x.toml"
    file.write_text(Experiment.from_dict(experiment(**sections)).text)
    return check(file).warnings


def test_the_schema_is_todays() -> None:
    assert SCHEMA.read_text() == schema_text(), "reclaim check --schema > docs/experiment.schema.json"


def test_the_schema_knows_every_key() -> None:
    known = schema()["$defs"]["settings"]["properties"]
    assert {"gc.victim", "gc.pages_in_flight", "warmup.kind", "trace.remap", "seed"} <= set(known)
    assert all(each["description"] for each in known.values())


def test_an_experiment_without_fault_has_no_warnings(tmp_path: Path) -> None:
    assert warnings_of(tmp_path) == []


def test_axes_in_vain(tmp_path: Path) -> None:
    axes = {"group": {"a": {"gc.victim": "greedy"}, "b": {}}}
    assert warnings_of(tmp_path, axes=axes, schemes=["greedy"]) == [
        "axis group does nothing: all its values give the same runs"
    ]


def test_the_same_run_under_two_names(tmp_path: Path) -> None:
    schemes = ["greedy", {"name": "mine", "set": {"gc.victim": "greedy"}}]
    found = warnings_of(tmp_path, schemes=schemes, axes={}, repeats={})
    drive = "coupled-copyback-mini, uniform"
    assert found == [f"the same run twice: {drive}, greedy, repeat 0; and {drive}, mine, repeat 0"]


def test_settings_in_vain(tmp_path: Path) -> None:
    found = warnings_of(
        tmp_path,
        set={"gc.pages_in_flight": 4, "warmup.kind": "steady"},
        schemes=["greedy", "fifo+warmup.kind=filled"],
    )
    assert found == [
        "set.gc.pages_in_flight does nothing: gc.pages_in_flight sets it in every point",
        "scheme fifo+warmup.kind=filled: its warmup.kind does nothing: [set] overrides it",
    ]


def test_repeats_in_vain_are_foretold(tmp_path: Path) -> None:
    found = warnings_of(tmp_path, set={"warmup.kind": "filled"}, schemes=["greedy", "random"])
    (warning,) = found
    assert warning.startswith("repeats of 2 of 4 drives will be identical: nothing there draws from the seed")
    assert warning.endswith('use by = "rotate" or by = "jitter"')
    # Orders of requests are drawn from the seed, too.
    replayed = {"warmup.kind": "workload", "trace.repeat_order": "shuffled"}
    assert not warnings_of(tmp_path, set=replayed, schemes=["greedy"])


def test_the_estimate_is_near(tmp_path: Path) -> None:
    file = tmp_path / "x.toml"
    file.write_text(Experiment.from_dict(experiment()).text)
    known = check(file).estimate
    assert known is not None
    assert known.points == 8
    assert known == Experiment.load(file).estimate()
    swept = sweep_into(Experiment.load(file), tmp_path / "out", How(workers=1))
    assert not swept.failures
    logged = [json.loads(line) for line in (tmp_path / "out/log.jsonl").read_text().splitlines()]
    # Of an idle computer; this one may have other work.
    assert 0.02 < known.seconds / sum(each["seconds"] for each in logged) < 20
    used = sum(each.stat().st_size for each in (tmp_path / "out").rglob("*") if each.is_file())
    assert 0.2 < known.disk_bytes / used < 5


def test_the_command(tmp_path: Path, command: Command) -> None:
    file = tmp_path / "x.toml"
    file.write_text(Experiment.from_dict(experiment()).text)
    ran = command("check", file)
    assert ran.returncode == 0
    assert "2 schemes × 2 of gc.pages_in_flight × 2 repeats by seed" in ran.stdout
    assert "points: 8" in ran.stdout
    assert "time: about" in ran.stdout
    axes = {"geometry.spare_factor": ["7%", "20%"], "gc.trigger.start": ["1 block", "3 blocks"]}
    file.write_text(Experiment.from_dict(experiment(axes=axes, devices=["gc-bypass-mini"])).text)
    ran = command("check", file)
    assert ran.returncode == 1
    assert "refused: geometry: a plane has" in ran.stdout
    assert (
        "gc-bypass-mini, uniform, greedy, geometry.spare_factor 7%, gc.trigger.start 3 blocks" in ran.stdout
    )


def test_the_command_tells_every_mistake(tmp_path: Path, command: Command) -> None:
    file = tmp_path / "x.toml"
    file.write_text('name = "x"\ndevices = ["gc-bypass-mni"]\ntraces = ["nosuch.csv"]\nrepeat = 3\n')
    ran = command("check", file)
    assert ran.returncode == 2
    assert ran.stderr.count("error: ") == 3
    for word in ('did you mean "gc-bypass-mini"?', "nosuch.csv", 'did you mean "repeats"?'):
        assert word in ran.stderr
    assert command("sweep", file, "-o", "out").returncode == 2
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("name", ["", "nosuch.toml"])
def test_no_file(command: Command, name: str) -> None:
    assert command("check", *([name] if name else [])).returncode == 2
