"""A file that names a policy of one's own means the one beside itself, wherever a command is started."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

import own_policies as own
import reclaim
from conftest import Command, refusal
from reclaim.experiment.experiment import Experiment
from reclaim.experiment.task import task_of
from reclaim.study.alone import packed
from reclaim.study.on_worker import work
from study.small import experiment
from test_own_policies import SMALL, drive, measured, named, trace

POLICY = {"kind": "python", "function": "mine.py:fewest_valid"}
OTHER = "@reclaim.victim_policy\ndef fewest_valid(plane):\n    return plane.blocks[0]\n"
DEVICE = """\
base = "coupled-copyback-mini"

[gc.victim]
kind = "python"
function = "{}"
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of drives and policies; commands are started in another, which has others of the same name."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(f"import reclaim\n\n\n{OTHER}")
    found = tmp_path / "there"
    found.mkdir()
    shutil.copy(Path(own.__file__), found / "mine.py")
    (found / "drive.toml").write_text(DEVICE.format("mine.py:fewest_valid"))
    return found


SETTINGS = {key: value for key, value in SMALL.items() if key != "gc.victim"}


def played(device: reclaim.Device) -> dict[str, Any]:
    return measured(reclaim.simulate(device, trace(3000)))


def test_a_device_file_means_the_file_beside_it(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wrapped = {"trace.remap": "wrap"}
    greedy = played(drive(**wrapped))
    (folder.parent / "above.toml").write_text('base = "there/drive.toml"\nseed = 42\n')
    files = [folder / "drive.toml", "above.toml", "there/drive.toml"]
    found = [reclaim.Device.load(file).with_settings(SETTINGS | wrapped) for file in files]
    other = drive(**{"gc.victim": named("mine.py:fewest_valid")}, **wrapped)
    assert [played(each) for each in found] == [greedy] * 3
    expected = played(other)
    assert expected != greedy, "a setting means the file of the present folder"
    monkeypatch.chdir("/")
    assert played(found[2]) == greedy, "found after the folder was left"
    assert played(other) == expected, "two files of one name are told apart"
    assert found[2].policy_files() == {"mine.py:fewest_valid": folder / "mine.py"}


def test_what_is_written_down_names_the_whole_path(folder: Path, tmp_path: Path) -> None:
    text = reclaim.Device.load(folder / "drive.toml").to_toml()
    assert f'function = "{folder / "mine.py"}:fewest_valid"' in text
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "written.toml").write_text(text)
    again = reclaim.Device.load(tmp_path / "elsewhere" / "written.toml")
    assert again.config["gc"]["victim"]["code"] in text


def test_two_files_under_one_name_are_refused(folder: Path) -> None:
    with pytest.raises(reclaim.InputError, match=r'"mine\.py:fewest_valid" names .*there/mine\.py and, for '):
        reclaim.Device.load(folder / "drive.toml").set("gc.trigger", named("mine.py:fewest_valid"))


FORMS = {
    "table": {"schemes": ["greedy", {"name": "mine", "set": {"gc.victim": POLICY}}]},
    "text": {"schemes": ["greedy", {"name": "mine", "set": {"gc.victim": named("mine.py:fewest_valid")}}]},
    "line": {"schemes": ["greedy", "gc.victim.kind=python+gc.victim.function=mine.py:fewest_valid"]},
    "axis": {"axes": {"gc.victim": ["greedy", named("mine.py:fewest_valid")]}, "schemes": ["greedy"]},
    "group": {"axes": {"who": {"mine": {"gc.victim": POLICY}}}, "schemes": ["greedy"]},
    "drive": {"devices": ["drive.toml"], "schemes": ["greedy"], "axes": {}},
    "all": {"set": {**SETTINGS, "gc.victim": POLICY}, "schemes": [{"name": "mine"}]},
}


def written(form: str, **more: Any) -> str:
    """An experiment in one of the ways in which it can name a policy."""
    made = experiment(**{"axes": {}, "repeats": {"count": 1}, **FORMS[form], **more})
    return Experiment.from_dict(made, base="there").text


def files(experiment: Experiment) -> set[str]:
    drives = [each.drive for each in experiment.points() if each.drive]
    return {str(file) for drive in drives for file in drive.policy_files().values()}


@pytest.mark.parametrize("form", [form for form in FORMS if form != "drive"])
def test_an_experiment_in_each_of_its_ways(folder: Path, form: str) -> None:
    (folder / "x.toml").write_text(written(form))
    beside = Experiment.load("there/x.toml")
    assert files(beside) == {str(folder / "mine.py")}
    (folder.parent / "above.toml").write_text('extends = "there/x.toml"\nname = "above"\n')
    assert files(Experiment.load("above.toml")) == {str(folder / "mine.py")}
    shutil.copytree(folder, "moved")
    here, there = (Experiment.load(f"{name}/x.toml").points() for name in ("there", "moved"))
    assert [each.id for each in here] == [each.id for each in there]


def test_a_sweep_with_workers_and_an_ablation(folder: Path) -> None:
    schemes = [{"name": "own"}, "greedy", {"name": "mine", "set": {"gc.victim": POLICY}}]
    (folder / "x.toml").write_text(written("drive", schemes=schemes))
    swept = reclaim.sweep(folder / "x.toml", "out", workers=2)
    means = dict(swept.points.select("scheme", "write_mean_ns").iter_rows())
    assert means["own"] == means["mine"]
    ablate = {"from": "greedy", "to": "mine", "metrics": ["write_mean_ns"]}
    (folder / "x.toml").write_text(written("drive", schemes=schemes, ablate=ablate))
    found = reclaim.ablate(folder / "x.toml", "ablated")
    assert found.failures == {}
    assert "gc.victim" in " ".join(found.conclusions)


def test_a_worker_elsewhere_is_sent_the_file(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "x.toml").write_text(written("drive", schemes=[{"name": "own"}]))
    (point,) = Experiment.load("there/x.toml").points()
    assert point.drive is not None
    parcel = packed(task_of(point, 1500))
    sent = {str(each): Path(each).read_bytes() for each in parcel.policies.values()}
    sent |= {str(each.absolute()): each.read_bytes() for each in point.drive.files()}
    expected = reclaim.simulate(point.drive, point.opened, force=True).to_dict()
    monkeypatch.chdir("/")
    shutil.rmtree(folder)
    answer = work(parcel, sent, "")
    assert answer.error == ""
    assert json.loads(answer.files["results.json"])["flash"] == expected["flash"]
    assert f"{folder / 'mine.py'}:fewest_valid" in answer.files["config.toml"].decode()


def test_commands_find_it_and_refusals_name_file_and_line(command: Command, folder: Path) -> None:
    few = ("--set", "trace.max_requests=2000", "--remap", "wrap", "--schemes", "copyback,pcgc")
    done = command("compare", "bundled/varmail", "--device", "there/drive.toml", *few)
    assert done.returncode in (0, 1, 3), done.stderr
    assert command("device", "check", "there/drive.toml").returncode == 0

    def said(function: str) -> str:
        (folder / "drive.toml").write_text(DEVICE.format(function))
        return refusal(command("device", "check", "there/drive.toml"))

    gone = said("gone.py:fewest_valid")
    assert re.search(r'there/drive\.toml:3: gc\.victim: function: "gone\.py:fewest_valid"', gone)
    assert f"{folder}/gone.py" in gone.replace(" ", "")
    (folder.parent / "gone.py").write_text("")
    assert "whole path" in said("gone.py:fewest_valid")
    assert re.search(r'there/drive\.toml:3: .*"nobody"', said("mine.py:nobody"))


def test_refusals_of_an_experiment_name_file_and_line(folder: Path) -> None:
    file = folder / "x.toml"
    for wrong in ("gone.py:fewest_valid", "mine.py:nobody"):
        file.write_text(written("table").replace("mine.py:fewest_valid", wrong))
        line = next(at for at, each in enumerate(file.read_text().splitlines(), 1) if wrong in each)
        with pytest.raises(reclaim.InputError, match=rf"there/x\.toml:{line}: schemes\[2\]\.set\..*{folder}"):
            Experiment.load("there/x.toml").points()
