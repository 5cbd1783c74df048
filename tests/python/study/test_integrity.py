"""Points are stored whole or not at all; those that were changed, are incomplete, or have no checksum."""

from __future__ import annotations

import errno
import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

import reclaim
from conftest import Command
from reclaim import output_file
from reclaim.builds import UNKNOWN
from reclaim.checksums import checksums
from reclaim.experiment.experiment import Experiment
from reclaim.result.sets.log import LOG
from reclaim.study.store import FAILURES, FOUND, PARTIAL, POINTS, Store
from reclaim.study.study import RunOptions
from reclaim.study.sweep import Sweep, Swept
from study.small import contents, experiment

SMALL = experiment(schemes=["greedy"], repeats={"count": 1})
"""Two points."""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("integrity") / "out"
    again(folder)
    return folder


@pytest.fixture
def swept(made: Path, tmp_path: Path) -> Path:
    """A copy that a test may change."""
    return Path(shutil.copytree(made, tmp_path / "out"))


def again(folder: Path, *accept: str) -> Swept:
    return Sweep(Experiment.from_dict(SMALL)).run(folder, RunOptions(workers=1, accept=accept))


def point(folder: Path) -> Path:
    return min((folder / "points").iterdir())


def amplify(at: Path) -> None:
    data = json.loads((at / "results.json").read_text())
    data["gc"]["write_amplification"] = 99
    (at / "results.json").write_text(json.dumps(data))


CHANGES: dict[str, Callable[[Path], object]] = {
    "histograms.parquet is missing": lambda at: (at / "histograms.parquet").unlink(),
    "results.json was changed": amplify,
    "gc_log.parquet was changed": lambda at: (at / "gc_log.parquet").write_bytes(b"PAR1"),
    "timeline.parquet is a directory": lambda at: (
        (at / "timeline.parquet").unlink(),
        (at / "timeline.parquet").mkdir(),
    ),
}
FILES = ("histograms.parquet", "timeline.parquet", "gc_log.parquet", "results.json", "config.toml")


@pytest.mark.parametrize("said", CHANGES)
def test_a_changed_point_is_run_again(made: Path, swept: Path, said: str) -> None:
    damaged = point(swept)
    CHANGES[said](damaged)
    found = again(swept)
    assert found.before == 1
    (told,) = found.damaged
    assert told.startswith(f"{damaged} (")
    assert said in told
    assert (swept / "damaged" / damaged.name).is_dir()
    shutil.rmtree(swept / "damaged")
    assert contents(swept) == contents(made)
    assert again(swept).damaged == []


def test_whatever_reads_it_names_it(swept: Path, tmp_path: Path, command: Command) -> None:
    (tmp_path / "e.toml").write_text(Experiment.from_dict(SMALL).text)
    (point(swept) / "histograms.parquet").unlink()
    emitted = command("sweep", "e.toml", "-o", "out", "--emit")
    assert emitted.stdout.count(f"--only {point(swept).name}") == emitted.stdout.count("reclaim sweep") == 1
    ran = command("sweep", "e.toml", "-o", "out", "--no-report")
    assert all(each in ran.stderr for each in ("histograms.parquet is missing", "out/damaged/"))
    assert ran.stdout.splitlines()[-1] == "results: out"
    (point(swept) / "histograms.parquet").unlink()
    with pytest.warns(reclaim.ResultWarning, match=r"histograms\.parquet is missing"):
        reclaim.sweep(SMALL, swept)
    amplify(point(swept))
    with pytest.raises(reclaim.InputError, match=r"results\.json was changed"):
        reclaim.ResultSet.load(swept).results(point(swept).name)


@pytest.fixture
def old(swept: Path) -> Path:
    """As an earlier version stored points: without checksums."""
    lines = [json.loads(line) for line in (swept / "log.jsonl").read_text().splitlines()]
    lines = [line for line in lines if line["outcome"] == "stored"]
    assert all(line.pop("files") for line in lines)
    (swept / "log.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return swept


def test_whole_points_without_checksums_have_one_from_now_on(made: Path, old: Path) -> None:
    found = again(old, UNKNOWN)
    assert (found.before, found.found, found.damaged) == (2, 2, [])
    logged = [json.loads(line) for line in (old / "log.jsonl").read_text().splitlines()]
    assert [line["outcome"] for line in logged[-2:]] == [FOUND, FOUND]
    assert contents(old) == contents(made)
    amplify(point(old))
    assert len(again(old).damaged) == 1


def test_a_point_without_checksums_that_lacks_a_file_is_run_again(made: Path, old: Path) -> None:
    for file in FILES:
        log = (old / LOG).read_text()
        (point(old) / file).unlink()
        assert len(again(old, UNKNOWN).damaged) == 1, file
        (old / LOG).write_text(log)
    # One damaged file of results blocks nothing.
    (point(old) / "results.json").write_text('{"device": 5}')
    found = again(old, UNKNOWN)
    assert (len(found.damaged), found.found) == (1, 1)
    shutil.rmtree(old / "damaged")
    assert contents(old) == contents(made)


@pytest.mark.parametrize("log", [b"", b"[" * 100_000, b'{"point": 5, "files": [1]}\n\xff\xfe\n'])
def test_a_damaged_log_costs_no_point(made: Path, swept: Path, log: bytes) -> None:
    (swept / "log.jsonl").write_bytes(log)
    with pytest.raises(reclaim.InputError, match="build unknown"):
        again(swept)
    found = again(swept, UNKNOWN)
    assert (found.before, found.found) == (2, 2)
    assert contents(swept) == contents(made)


@pytest.mark.parametrize("size", ["64k", "150k"])
def test_a_sweep_on_a_disk_that_is_almost_full_says_so(tmp_path: Path, command: Command, size: str) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    words = ["mount", "-t", "tmpfs", "-o", f"size={size}", "reclaim-test", str(disk)]
    if os.geteuid() != 0 or subprocess.run(words, capture_output=True, check=False).returncode:
        pytest.skip("no disk of its own can be had")
    try:
        (tmp_path / "e.toml").write_text(Experiment.from_dict(SMALL).text)
        ran = command("sweep", "e.toml", "-o", "disk/out", "--no-report")
    finally:
        subprocess.run(["umount", "-l", disk], check=True)
    assert ran.returncode in (1, 2)
    assert "No space left on device" in ran.stderr
    assert not [word for word in ("standard output", "Traceback", ".partial-") if word in ran.stderr]


@pytest.fixture
def store(tmp_path: Path) -> Store:
    found = Store(tmp_path)
    found.prepare()
    return found


def test_a_point_appears_when_it_is_committed(store: Store) -> None:
    with store.beginning("point") as folder:
        (folder / "results.json").write_text("{}")
    assert not store.has("point")
    store.commit("point", folder, {"point": "point"})
    assert json.loads((store.folder / LOG).read_text())["files"] == checksums(store.point("point"))
    assert [each.name for each in store.point("point").iterdir()] == ["results.json"]
    assert [each.name for each in (store.folder / POINTS).iterdir()] == ["point"]


FULL = OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize(
    ("error", "told", "says"),
    [
        (FULL, reclaim.InputError, r"point: .*No space"),
        (reclaim.ReclaimError("no such drive"), reclaim.ReclaimError, "no such drive"),
        (KeyboardInterrupt("stopped"), KeyboardInterrupt, "stopped"),
    ],
)
def test_a_point_that_fails_leaves_nothing(
    store: Store, error: BaseException, told: type[BaseException], says: str
) -> None:
    def fail() -> None:
        with store.beginning("point") as folder:
            (folder / "results.json").write_text("{}")
            raise error

    with pytest.raises(told, match=says):
        fail()
    assert not list((store.folder / POINTS).iterdir())


def test_what_a_killed_run_left_is_cleared_and_nothing_else(store: Store) -> None:
    half = store.folder / POINTS / f"{PARTIAL}1"
    (half / "deeper").mkdir(parents=True)
    (half / "deeper" / "results.json").touch()
    for folder in (store.folder, store.folder / FAILURES):
        folder.mkdir(exist_ok=True)
        (folder / f"{PARTIAL}2").touch()
        (folder / "kept").touch()
    store.clear()
    assert not [each for each in store.folder.rglob("*") if each.name.startswith(PARTIAL)]
    assert {each.parent for each in store.folder.rglob("kept")} == {store.folder, store.folder / FAILURES}


def test_a_failure_does_not_look_through_the_others(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    (store.folder / FAILURES / f"{PARTIAL}1-old.json").write_text("{")
    monkeypatch.setattr(output_file, "clear_stale", lambda *_: pytest.fail("it reads all names"))
    store.fail("point", {"error": "no such drive"})
    store.clear()
    assert [each.name for each in (store.folder / FAILURES).iterdir()] == ["point.json"]
