"""`reclaim sensitivity` on a small drive: the same bytes however it is run, a kill, the load that is held."""

from __future__ import annotations

import json
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import reclaim
from conftest import Command
from reclaim.errors import InputError
from reclaim.experiment.experiment import Experiment
from reclaim.parsing import to_toml
from reclaim.study.sensitivity.sensitivity import Sensitivity, SensitivityStudy
from reclaim.study.sweep import experiment_of
from study.small import TINY, contents, experiment, slowed

SLOWED = "greedy+controller.lookup=20us"
KEYS = ["scheduler", "flash.suspend.t_*", "controller.lookup", "gc.trigger.stop"]
EXAMPLE = Path(__file__).resolve().parents[3] / "examples/experiments/what-turns-it.toml"


def small(section: dict[str, Any] | None = None, **further: Any) -> dict[str, Any]:
    """Greedy victims with and without a slow look-up, on four chips: a run takes a hundredth of a second."""
    made = experiment(schemes=["greedy", SLOWED], record={}, repeats={"count": 6})
    made["set"] |= TINY | further.pop("set", {})
    asked = {"metrics": "write_mean_ns", "keys": KEYS, "combinations": 2}
    del made["axes"]
    return made | {"sensitivity": asked | (section or {})} | further


SMALL = slowed(small())


def run(folder: Path, made: dict[str, Any] = SMALL, **options: Any) -> Sensitivity:
    return reclaim.sensitivity(made, folder, **options)


def result(folder: Path) -> dict[str, Any]:
    return dict(json.loads((folder / "sensitivity/result.json").read_text()))


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The study, run once."""
    folder = tmp_path_factory.mktemp("done")
    run(folder, workers=1, report=True)
    return folder


def test_what_outweighs_a_slow_look_up_turns_it(done: Path) -> None:
    found = result(done)
    assert found["conclusion"].startswith(f"{SLOWED} has a higher write mean latency than greedy (×1.0")
    (study,) = found["studies"]
    keys = {each["key"]: each for each in study["keys"]}
    assert keys["scheduler"]["status"] == "turns"
    assert keys["scheduler"]["turned_by"]
    assert all(text.endswith(" for the baseline alone") for text in keys["scheduler"]["turned_by"])
    assert keys["flash.suspend.t_suspend"]["status"] == "nothing"
    assert "controller.lookup" in study["compared"]
    assert sum(study["counts"].values()) == len(study["keys"])
    assert len(study["pairs"]) > 0
    assert len(study["combinations"]) == 2
    assert found["runs"] == len(list((done / "points").iterdir()))
    for key in study["keys"]:
        for each in key["variations"]:
            ran = each["all_repeats"]
            assert ran is None or "fault" in ran or ran["repeats"] == 6
            assert each["screen"] is None or each["screen"].get("low") is None


@pytest.mark.slow
def test_the_command_gives_the_same(done: Path, tmp_path: Path, command: Command) -> None:
    file = tmp_path / "x.toml"
    file.write_text(to_toml(SMALL))
    told = command("sensitivity", file, "--cost")
    assert told.stdout.startswith("4 keys")
    ended = command("sensitivity", file, "-o", "out", "--workers", "3")
    assert ended.returncode == 0, ended.stderr
    # Its first sentence is the answer; the others follow below.
    assert " ".join(ended.stdout.splitlines()[:2]) == result(done)["conclusion"]
    assert "4 keys" in ended.stderr
    ours, theirs = contents(tmp_path / "out"), contents(done)
    assert {name: ours[name] for name in theirs} == theirs
    page = "sensitivity/report.html"
    assert (tmp_path / "out" / page).read_bytes() == (done / page).read_bytes()


def test_alternatives_that_cannot_be_run_are_told_in_one_line(tmp_path: Path) -> None:
    study = SensitivityStudy(experiment_of(SMALL))
    failures = {f"trace.remap = none, point {each}": "too large; remap it" for each in range(24)}
    first = "trace.remap = none, point 0: too large"
    found = Sensitivity(study.names, [], tmp_path, 90, failures, {"trace.remap": 20, "seed": 4}, ["d"])
    assert study.complaints(found) == [
        "warning: d",
        f"note: 24 of 90 runs could not be run, for values of trace.remap, seed; for example {first}",
    ]
    assert study.complaints(replace(found, failures={}, damaged=[])) == []


def test_a_study_and_a_sweep_share_points(tmp_path: Path) -> None:
    """A utilisation is solved for where the pace is given, and what is varied narrows a key's values."""
    made = slowed(small({"keys": ["gc.pages_in_flight"], "combinations": 0, "load": "both"}))
    made["vary"] = {"gc.pages_in_flight": [1, 3]}
    found = run(tmp_path / "out", made)
    assert [kept for _, kept in found.studies] == ["arrivals", "utilisation"]
    before = result(tmp_path / "out")
    assert len(before["studies"]) == 2
    study = before["studies"][0]
    assert study["alternatives_of_the_experiment"] == ["gc.pages_in_flight"]
    assert {each["value"] for each in study["keys"][0]["variations"]} == {"3"}
    table = reclaim.sweep(slowed(small()), tmp_path / "out")
    assert table.points.height == 12
    assert result(tmp_path / "out") == before


@pytest.mark.parametrize(("load", "paces"), [("arrivals", 1), ("utilisation", 3)])
def test_the_load_is_held(tmp_path: Path, load: str, paces: int) -> None:
    """A program of half the time halves the utilisation if arrivals are held, and doubles the pace if not."""
    keys = {"keys": ["flash.t_program"], "combinations": 0, "load": load}
    run(tmp_path / "out", small(keys, set={"host.target_utilisation": "20%"}))
    configs = configs_of(tmp_path / "out")
    assert len({each["flash"]["t_program"] for each in configs}) == 3
    assert len({each["host"]["time_scale"] for each in configs}) == paces


def configs_of(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(each.read_text())["config"] for each in folder.glob("points/*/results.json")]


def test_budget_is_no_more_than_that(tmp_path: Path) -> None:
    found = run(tmp_path / "out", slowed(small({"budget": "60 points"})))
    assert found.runs <= 60
    assert result(tmp_path / "out")["studies"][0]["over_budget"]


def test_what_is_told_before_is_what_is_moved(tmp_path: Path) -> None:
    """Holding a load makes no alternative of what the drive has already."""
    known = SensitivityStudy(Experiment.from_dict(SMALL)).estimated()
    assert (known.base, known.keys) == (12, 4)
    assert known.screen < known.most
    made = small({"keys": ["flash.t_*"], "combinations": 0}, set={"host.target_utilisation": "20%"})
    made["vary"] = {"flash.t_read": ["90us", "90000ns", "50us"]}
    known = SensitivityStudy(Experiment.from_dict(made)).estimated()
    run(tmp_path / "out", made)
    (study,) = result(tmp_path / "out")["studies"]
    assert known.variations == sum(len(key["variations"]) for key in study["keys"])
    (read,) = (key for key in study["keys"] if key["key"] == "flash.t_read")
    assert [each["value"] for each in read["variations"]] == ["50us"]


def test_a_metric_that_there_is_not_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="write_mean_ns"):
        run(tmp_path / "out", small({"metrics": "write_mean"}))


def test_example_loads() -> None:
    made = Experiment.load(EXAMPLE)
    assert "sensitivity" in made.parts.sections
    assert tomllib.loads(EXAMPLE.read_text())["sensitivity"] == {"metrics": "gc_write_amplification"}


def test_a_utilisation_in_total_is_held_either_way(tmp_path: Path) -> None:
    """The pace that was searched for is that of every variation of a repeat; or it is searched for anew."""
    keys = {"keys": ["flash.t_program"], "combinations": 0, "load": "both"}
    target = {"host.target_total_utilisation": "30%", "host.target_scheme": "greedy"}
    run(tmp_path / "out", small(keys, set=target))
    found: dict[str, dict[int, set[float]]] = {}
    for config in configs_of(tmp_path / "out"):
        of_repeat = found.setdefault(config["flash"]["t_program"], {})
        of_repeat.setdefault(config["seed"], set()).add(config["host"]["time_scale"])
    base = found.pop("1100us")
    assert len({frozenset(each) for each in base.values()}) == 6
    assert len(found) == 2
    for of_repeat in found.values():
        for seed, paces in of_repeat.items():
            assert base[seed] < paces
            assert len(paces) == 2 * len(base[seed])
