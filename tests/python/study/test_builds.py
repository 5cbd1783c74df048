"""What another build has run, or would run, is not taken for what this one runs."""

from __future__ import annotations

import json
import pickle
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import reclaim
from conftest import DEVICE, Command, environment
from reclaim import _core, builds
from reclaim.experiment.experiment import Experiment
from reclaim.experiment.task import task_of
from reclaim.study.alone import packed
from reclaim.study.runner import _state_of
from reclaim.study.study import RunOptions
from reclaim.study.sweep import Sweep
from study.small import experiment

ROOT = Path(__file__).parents[3]
SMALL = experiment(schemes=["greedy"], repeats={"count": 1}, record={})
"""Two points."""
OTHER = "01234567-0123456789ab"


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The package as an installed one: the same files, no links."""
    place = tmp_path / "reclaim"
    shutil.copytree(builds.PACKAGE, place, ignore=shutil.ignore_patterns("__pycache__", "*.so"))
    monkeypatch.setattr(builds, "PACKAGE", place)
    builds.build.cache_clear()
    yield place
    builds.build.cache_clear()


def test_the_same_files_are_the_same_build_wherever_they_are(tree: Path) -> None:
    found = builds.build()
    assert tree.is_dir()
    builds.build.cache_clear()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(builds, "PACKAGE", ROOT / "python/reclaim")
        assert builds.build() == found


COUNT = (
    "simulate.py",
    "policy/adapters.py",
    "result/result.py",
    "data/stand-ins/msr-like/hm_0.toml",
    "shipped/examples/devices/small.toml",
    "shipped/examples/traces/dbench.blkparse.txt.zst",
)
DO_NOT = (
    "cli/run.py",
    "report/html.py",
    "statistics/intervals.py",
    "result/report.py",
    "result/sets/report.py",
    "data/templates/style.css",
    "shipped/examples/traces/README.md",
    "shipped/papers/drive/README.md",
)


def test_what_can_change_a_figure_counts_and_nothing_else(tree: Path) -> None:
    before = builds.build()
    for file in (*DO_NOT, *COUNT):
        with (tree / file).open("ab") as changed:
            changed.write(b"\n")
        builds.build.cache_clear()
        assert builds.same(builds.build(), before) is (file in DO_NOT), file
        before = builds.build()


def test_the_commit_is_in_the_name_and_does_not_decide(monkeypatch: pytest.MonkeyPatch) -> None:
    builds.build.cache_clear()
    names = []
    for commit in ("8ac998f1" * 5, f"{'8ac998f1' * 5} and changes", "unknown"):
        monkeypatch.setattr(_core, "COMMIT", commit)
        names.append(builds.build())
        builds.build.cache_clear()
    assert [each.rpartition("-")[0] for each in names] == ["8ac998f1", "8ac998f1+", "unknown"]
    assert all(builds.same(each, names[0]) for each in names)
    monkeypatch.setattr(_core, "SOURCES", "0")
    assert not builds.same(builds.build(), names[0])
    builds.build.cache_clear()


def test_all_that_a_point_imports_counts(tmp_path: Path) -> None:
    (point, *_) = Experiment.from_dict(SMALL).points()
    (tmp_path / "parcel").write_bytes(pickle.dumps(packed(task_of(point, 0))))
    code = (
        "import pickle, sys; from reclaim.study.on_worker import work\n"
        "answer = work(pickle.load(open('parcel', 'rb')), {}, '')\n"
        "assert answer.files, answer.error\n"
        "print(*(m.__file__ for n, m in sys.modules.items() if n.split('.')[0] == 'reclaim'), sep='\\n')"
    )
    words = [sys.executable, "-c", code]
    told = subprocess.check_output(words, cwd=tmp_path, env=environment(), text=True)
    used = {Path(each).relative_to(builds.PACKAGE).as_posix() for each in told.split()}
    counted = {name for name, _ in builds._files()}  # noqa: SLF001
    names_alone = {f"result/sets/{each}.py" for each in ("__init__", "log", "names")}
    others = {"_core.abi3.so", "result/__init__.py", "shipped/__init__.py"}
    # What a page is made of: the base of all studies names it.
    others |= {"report/__init__.py", "report/document.py"}
    assert used - counted <= names_alone | others
    assert {"simulate.py", "result/result.py", "experiment/task.py"} <= used


@pytest.fixture(scope="module")
def digester(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What says of which sources the core is built."""
    program = tmp_path_factory.mktemp("digest") / "digest"
    words = ["rustc", "--edition", "2024", "-o", str(program), str(ROOT / "crates/py/build.rs")]
    subprocess.run(words, check=True, capture_output=True)
    return program


def sources_of(digester: Path, tree: Path) -> str:
    told = subprocess.check_output([digester], cwd=tree / "crates/py", text=True)
    return re.findall("RECLAIM_SOURCES=(.*)", told)[0]


def test_sources_of_the_core_and_its_libraries_count(digester: Path, tmp_path: Path) -> None:
    for folder in ("sim/presets", "sim/src", "trace/src", "py/src", "sim/tests"):
        shutil.copytree(ROOT / "crates" / folder, tmp_path / "crates" / folder)
    shutil.copy(ROOT / "Cargo.lock", tmp_path)
    known = sources_of(digester, tmp_path)
    assert known == sources_of(digester, ROOT)
    (tmp_path / "crates/sim/tests/all.rs").write_text("// a test more")
    (tmp_path / "crates/py/build.rs").write_text("// another program")
    assert sources_of(digester, tmp_path) == known
    counted = (
        "crates/sim/src/lib.rs",
        "crates/sim/presets/gc-bypass.toml",
        "crates/py/src/run.rs",
        "Cargo.lock",
    )
    for file in counted:
        with (tmp_path / file).open("a") as changed:
            changed.write("\n")
        assert sources_of(digester, tmp_path) != known
        known = sources_of(digester, tmp_path)


def by_another_build(folder: Path, build: str | None = OTHER) -> None:
    """Make it look as if another build had run the points, or one that notes none."""
    log = folder / "log.jsonl"
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    told = [{key: value for key, value in line.items() if key != "build"} for line in lines]
    told = [line | ({"build": build} if build else {}) for line in told]
    log.write_text("".join(f"{json.dumps(line)}\n" for line in told))


@pytest.fixture
def swept(tmp_path: Path) -> Path:
    Sweep(Experiment.from_dict(SMALL)).run(tmp_path / "out", RunOptions(workers=1))
    (tmp_path / "e.toml").write_text(Experiment.from_dict(SMALL).text)
    by_another_build(tmp_path / "out")
    return tmp_path / "out"


def test_points_of_another_build_are_refused_with_both_names(swept: Path, command: Command) -> None:
    stored = {each: each.stat().st_mtime_ns for each in (swept / "points").rglob("*")}
    for words in (("--no-report",), ("--only", min((swept / "points").iterdir()).name)):
        ran = command("sweep", "e.toml", "-o", "out", *words)
        assert ran.returncode == 2
        told = ran.stderr.splitlines()[-1]
        assert all(each in told for each in (OTHER, builds.build(), f"--accept-build {OTHER}", "--force"))
    assert stored == {each: each.stat().st_mtime_ns for each in (swept / "points").rglob("*")}
    ran = command("sweep", "e.toml", "-o", "out", "--no-report", "--accept-build", OTHER)
    assert ran.returncode in (0, 1, 3), ran.stderr
    manifest = json.loads((swept / "manifest.json").read_text())
    assert manifest["builds"] == {OTHER: 2}
    # That is noted: it need not be said again, and another build is told of it.
    assert command("sweep", "e.toml", "-o", "out", "--no-report").returncode in (0, 1, 3)
    assert stored == {each: each.stat().st_mtime_ns for each in (swept / "points").rglob("*")}


def test_force_runs_them_again_and_keeps_what_was_there(swept: Path) -> None:
    figures = min(swept.glob("points/*/results.json"))
    figures.write_text(figures.read_text() + " ")
    old = {each.name for each in (swept / "points").iterdir()}
    digest = builds.build().rpartition("-")[2]
    assert not [each for each in swept.glob("points/*/*") if digest.encode() in each.read_bytes()]
    found = Sweep(Experiment.from_dict(SMALL)).run(swept, RunOptions(workers=1, force=True))
    assert (found.before, found.damaged) == (0, [])
    assert {each.name for each in (swept / "other-builds").iterdir()} == old
    assert json.loads((swept / "manifest.json").read_text())["builds"] == {builds.build(): 2}


def test_python_and_an_instrument_ask_the_same(swept: Path, tmp_path: Path) -> None:
    # Of before builds were noted.
    by_another_build(swept, None)
    with pytest.raises(reclaim.InputError, match=r"build unknown .*--accept-build unknown"):
        reclaim.sweep(SMALL, swept)
    assert len(reclaim.sweep(SMALL, swept, accept_build=["unknown"]).points) == 2
    schemes = ["greedy", {"name": "B", "schemes": ["d-choices"]}]
    ablate = {"from": "greedy", "to": "B", "metrics": ["write_mean_ns"]}
    made = experiment(schemes=schemes, axes={}, record={}) | {"ablate": ablate}
    folder = tmp_path / "ablated"
    reclaim.ablate(made, folder)
    by_another_build(folder)
    with pytest.raises(reclaim.InputError, match=OTHER):
        reclaim.ablate(made, folder)
    assert reclaim.ablate(made, folder, accept_build=[OTHER]).failures == {}


def test_what_is_no_name_of_a_build_is_refused(tmp_path: Path) -> None:
    for name in ("", "8ac998f1", "latest", f"{OTHER} "):
        with pytest.raises(reclaim.InputError, match="accept_build"):
            reclaim.sweep(SMALL, tmp_path / "out", accept_build=[name])


def test_a_state_that_another_build_saved_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    drive = reclaim.Device.preset(DEVICE)
    writes = reclaim.uniform_trace(footprint_bytes=1 << 20, count=100, mean_interarrival_ns=100_000)
    state = tmp_path / "warm.state"
    with monkeypatch.context() as patch:
        patch.setattr(builds, "build", lambda: OTHER)
        first = reclaim.simulate(drive, writes, warmup="filled", save_state=state, warn=False)
    with pytest.raises(reclaim.InputError, match=f"{OTHER}.*{re.escape(builds.build())}"):
        reclaim.simulate(drive, writes, load_state=state, warn=False)
    again = reclaim.simulate(drive, writes, load_state=state, accept_build=[OTHER], warn=False)
    assert again.to_dict()["requests"] == first.to_dict()["requests"]


def test_shared_warm_ups_are_of_one_build(monkeypatch: pytest.MonkeyPatch) -> None:
    (point, *_) = Experiment.from_dict(experiment()).points()
    ours = _state_of(task_of(point, 0))
    assert ours == _state_of(task_of(point, 0))
    monkeypatch.setattr(builds, "build", lambda: OTHER)
    assert _state_of(task_of(point, 0)) != ours


def test_what_is_left_out_of_a_build_is_there() -> None:
    """What was moved would count again: every change of a page would make stored points another build's."""
    assert [name for name in builds.LEFT_OUT if not (builds.PACKAGE / name).exists()] == []
