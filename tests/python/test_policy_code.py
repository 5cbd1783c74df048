"""What a policy follows from beside its file is part of its code; what it remembers reaches no other run."""

from __future__ import annotations

import shutil
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

import reclaim
import test_own_policies as own
from reclaim.experiment.point import Point
from reclaim.experiment.task import task_of
from reclaim.policy.adapters import is_forgetful
from reclaim.policy.modules import LOADED, forget
from reclaim.study.alone import packed
from reclaim.study.on_dask import _Sender
from reclaim.study.on_worker import work
from reclaim.study.study import RunOptions
from reclaim.study.sweep import Sweep
from study.small import GENERATED, experiment

MINE = """import json
from pathlib import Path

import reclaim
import helper
from . import other
from .other import FACTOR

HERE = Path(__file__).parent
AT = json.loads((HERE / "at.json").read_text())


@reclaim.victim_policy
def chooses(plane):
    return helper.choose(plane)


@reclaim.victim_policy
class Made:
    def __init__(self, drive):
        with open(HERE / "made.json") as file:
            self.at = json.load(file)

    def select(self, plane):
        import late

        return late.choose(plane)


@reclaim.victim_policy
def by_name(plane):
    import importlib

    return importlib.import_module("helper").choose(plane)
"""
FILES = {
    "mine.py": MINE,
    "helper.py": "from package.deep import further\n\ndef choose(plane):\n    return further.choose(plane)\n",
    "other.py": "FACTOR = 1\n",
    "late.py": "from package import deep\n\n\ndef choose(plane):\n    return plane.blocks[-1]\n",
    "package/__init__.py": "",
    "package/deep/__init__.py": "from . import further\n",
    "package/deep/further.py": "def choose(plane):\n    return plane.blocks[plane.valid.argmin()]\n",
    "at.json": "[1]",
    "made.json": "[1]",
}
BESIDE = sorted(set(FILES) - {"mine.py", "made.json"})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    found = tmp_path / "policies"
    for name, text in FILES.items():
        (found / name).parent.mkdir(parents=True, exist_ok=True)
        (found / name).write_text(text)
    return found


def drive(folder: Path, name: str, file: str = "mine.py") -> reclaim.Device:
    return own.drive(**{"gc.victim": own.named(f"{folder / file}:{name}"), "warmup.overwrites": 0.5})


def code(folder: Path, name: str) -> str:
    return str(drive(folder, name).config["gc"]["victim"]["code"])


def run(device: reclaim.Device) -> dict[str, Any]:
    return own.measured(own.run(device, 4000))


def test_what_lies_beside_is_found_and_imported(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir("/")
    shutil.copy(own.own.__file__, folder / "alone.py")
    alone = drive(folder, "fewest_valid", "alone.py")
    assert run(drive(folder, "chooses")) == run(alone)
    names = [each.relative_to(folder).as_posix() for each in drive(folder, "chooses").code_files()]
    assert names == ["mine.py", *BESIDE]
    assert "made.json" in [each.name for each in drive(folder, "Made").code_files()]
    assert "-" not in str(alone.config["gc"]["victim"]["code"]), "it follows from nothing else"


@pytest.mark.parametrize("name", sorted(FILES))
def test_every_file_is_part_of_the_code(folder: Path, name: str) -> None:
    was = {each: code(folder, each) for each in ("chooses", "Made")}
    (folder / name).write_text(FILES[name] + "\n")
    now = {each: code(folder, each) for each in ("chooses", "Made")}
    assert (now["chooses"] != was["chooses"]) == (name != "made.json")
    assert now["Made"] != was["Made"]


@pytest.mark.parametrize("named", ['"at.csv"', '"data" / "at.csv"', '"data/at.csv"'])
def test_what_a_compiled_library_opens_is_part_of_the_code(tmp_path: Path, named: str) -> None:
    (tmp_path / "data").mkdir()
    for file in ("at.csv", "data/at.csv", "out.csv"):
        (tmp_path / file).write_text("at\n1\n")
    (tmp_path / "mine.py").write_text(
        "from pathlib import Path\nimport polars\nimport reclaim\n"
        f"HERE = Path(__file__).parent\nAT = polars.read_csv(HERE / {named})\n"
        "AT.write_csv(HERE / 'out.csv')\n\n"
        "@reclaim.victim_policy\ndef chooses(plane):\n    return plane.blocks[0]\n"
    )
    was = code(tmp_path, "chooses")
    (tmp_path / "out.csv").write_text("at\n2\n")
    assert code(tmp_path, "chooses") == was, "that one it writes"
    (tmp_path / named.replace('" / "', "/").strip('"')).write_text("at\n2\n")
    assert code(tmp_path, "chooses") != was


@pytest.mark.parametrize(
    ("name", "helper", "said"),
    [
        ("by_name", None, r'\d+: ImportError: helper lies .*"import helper"'),
        ("chooses", "x = 1\n1 / 0\n", r"5: ZeroDivisionError.*\(in .*helper\.py:2\)"),
        ("chooses", "x = (\n", r"5: SyntaxError.*\(in .*helper\.py:1\)"),
    ],
)
def test_what_it_may_not_read_or_import_is_said(
    folder: Path, name: str, helper: str | None, said: str
) -> None:
    if helper is not None:
        (folder / "helper.py").write_text(helper)
    with pytest.raises(reclaim.InputError, match=rf"mine\.py:{said}"):
        run(drive(folder, name))


def of(folder: Path, name: str, **more: Any) -> dict[str, Any]:
    given = {"kind": "python", "function": f"{folder / 'mine.py'}:{name}"}
    return experiment(schemes=["greedy", {"name": "mine", "set": {"gc.victim": given}}], axes={}, **more)


def test_a_resumed_sweep_runs_anew_what_has_other_code(folder: Path, tmp_path: Path) -> None:
    made = of(folder, "chooses", repeats={"count": 1})

    def stored() -> set[str]:
        return {each.name for each in (tmp_path / "out" / "points").iterdir()}

    first = reclaim.sweep(made, tmp_path / "out").points
    before = stored()
    assert reclaim.sweep(made, tmp_path / "out", workers=2).points.equals(first)
    assert stored() == before
    (folder / "package" / "deep" / "further.py").write_text(
        "def choose(plane):\n    return plane.blocks[-1]\n"
    )
    again = reclaim.sweep(made, tmp_path / "out").points
    assert again.equals(reclaim.sweep(made, tmp_path / "other").points)
    assert not again.equals(first)
    assert len(stored() - before) == 1


def test_a_drive_that_was_made_before_a_change_is_refused(folder: Path, tmp_path: Path) -> None:
    made = drive(folder, "chooses")
    (tmp_path / "stored.toml").write_text(made.to_toml())
    run(reclaim.Device.load(tmp_path / "stored.toml"))
    (folder / "other.py").write_text("FACTOR = 2\n")
    for late in (
        lambda: reclaim.simulate(made, own.trace(10)),
        lambda: reclaim.Device.load(tmp_path / "stored.toml"),
    ):
        with pytest.raises(reclaim.InputError, match=r"mine\.py, .* has changed"):
            late()


def own_point(folder: Path) -> Point:
    made = reclaim.Experiment.from_dict(of(folder, "Made", repeats={"count": 1}))
    (found,) = [each for each in made.points() if each.drive and each.drive.policy_files()]
    return found


def test_a_worker_elsewhere_is_sent_all_of_it(folder: Path) -> None:
    point = own_point(folder)
    assert point.drive is not None
    task = task_of(point, 1500)
    parcel = packed(task)
    sent = {path: Path(path).read_bytes() for path in _Sender(None).code(task)}
    expected = reclaim.simulate(point.drive, point.opened).to_dict()
    shutil.rmtree(folder)
    answer = work(parcel, sent, "")
    assert answer.error == ""
    assert f'"{point.drive.config["gc"]["victim"]["code"]}"' in answer.files["config.toml"].decode()
    assert str(expected["flash"]["erases"]) in answer.files["results.json"].decode()


def test_too_much_is_not_sent_to_a_worker(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("reclaim.study.on_dask.MOST_SENT", 4)
    with pytest.raises(reclaim.InputError, match="--dask: "):
        _Sender(None).code(task_of(own_point(folder), 1500))


def test_a_point_elsewhere_runs_no_other_code_than_it_was_packed_with(folder: Path) -> None:
    parcel = packed(task_of(own_point(folder), 1500))
    (folder / "other.py").write_text("FACTOR = 2\n")
    assert "has changed since the configuration was made" in work(parcel, {}, "").error


REMEMBERS = """import reclaim

COUNT = [0]


def next_of(plane, counted):
    return plane.blocks[counted % len(plane.blocks)]


@reclaim.victim_policy
class OfInstance:
    def __init__(self, drive):
        self.count = 0

    def select(self, plane):
        self.count += 1
        return next_of(plane, self.count)


@reclaim.victim_policy
class OfClass(OfInstance):
    count = 0

    def select(self, plane):
        OfClass.count += 1
        return next_of(plane, OfClass.count)


@reclaim.victim_policy
def of_module(plane):
    COUNT[0] += 1
    return next_of(plane, COUNT[0])


@reclaim.victim_policy
def of_function(plane):
    of_function.count = getattr(of_function, "count", 0) + 1
    return next_of(plane, of_function.count)


@reclaim.victim_policy
def of_default(plane, seen=[0]):
    seen[0] += 1
    return next_of(plane, seen[0])


@reclaim.victim_policy
def forgets(plane):
    return next_of(plane, int(plane.valid.sum()))


@reclaim.victim_policy
class Saves(OfInstance):
    def save(self):
        return str(self.count).encode()

    def load(self, state):
        self.count = int(state)
"""
STATEFUL = ["of_module", "OfInstance", "OfClass", "of_function", "of_default"]


def swept(folder: Path, name: str, jobs: list[int], workers: int) -> tuple[dict[int, bytes], int]:
    """Results by the value of an axis, and how many notes there are."""
    file = folder / "remembers.py"
    file.write_text(REMEMBERS)
    given = {"kind": "python", "function": f"{file}:{name}"}
    schemes = [{"name": "mine", "set": {"gc.victim": given}}]
    axes = {"gc.pages_in_flight": jobs}
    made = experiment(schemes=schemes, traces=[GENERATED], axes=axes, repeats={"count": 1})
    out = folder / f"{name}-{jobs}-{workers}"
    found = Sweep(reclaim.Experiment.from_dict(made)).run(out, RunOptions(workers=workers))
    points = reclaim.ResultSet.load(out).points
    rows = {int(row["gc.pages_in_flight"]): row["point"] for row in points.iter_rows(named=True)}
    assert all("warms up by itself" in each for each in found.notes)
    files = {each: (out / "points" / point / "results.json").read_bytes() for each, point in rows.items()}
    return files, len(found.notes)


def test_what_may_remember_something_is_known(tmp_path: Path) -> None:
    file = tmp_path / "remembers.py"
    file.write_text(REMEMBERS)
    found = {}
    for name in (*STATEFUL, "forgets", "Saves"):
        drive(tmp_path, name, file.name)
        found[name] = is_forgetful(file, name)
    assert found == dict.fromkeys(STATEFUL, True) | {"forgets": False, "Saves": False}


@pytest.mark.parametrize(
    "name",
    [
        "of_module",
        *(pytest.param(name, marks=pytest.mark.slow) for name in ("Saves", *STATEFUL[1:], "forgets")),
    ],
)
def test_order_and_workers_change_no_byte(tmp_path: Path, name: str) -> None:
    alone = {jobs: swept(tmp_path, name, [jobs], 1)[0][jobs] for jobs in (1, 4)}
    assert alone[1] != alone[4]
    for jobs, workers in (([1, 4], 1), ([4, 1], 2)):
        assert swept(tmp_path, name, jobs, workers) == (alone, int(name in STATEFUL))
    assert run(drive(tmp_path, name, "remembers.py")) == run(drive(tmp_path, name, "remembers.py"))


def test_a_policy_is_let_go_of_while_another_thread_imports() -> None:
    ended = threading.Event()

    def import_others() -> None:
        while not ended.is_set():
            for number in range(50):
                sys.modules[f"imported_{number}"] = sys
            for number in range(50):
                del sys.modules[f"imported_{number}"]

    other = threading.Thread(target=import_others)
    other.start()
    try:
        for _ in range(300):
            sys.modules[f"{LOADED}x"] = sys.modules[f"{LOADED}x.mine"] = sys
            forget(f"{LOADED}x")
            assert not [name for name in sys.modules.copy() if name.startswith(f"{LOADED}x")]
    finally:
        ended.set()
        other.join()
