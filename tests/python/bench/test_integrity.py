"""Stored points that were changed, are incomplete, or have no checksum."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

import reclaim
from bench.small import contents, experiment
from conftest import Command
from reclaim.bench.experiment import Experiment
from reclaim.bench.integrity import FOUND
from reclaim.bench.run import How, Swept, sweep_into
from reclaim.builds import UNKNOWN

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
    return sweep_into(Experiment.from_dict(SMALL), folder, How(workers=1, accept=accept))


def point(folder: Path) -> Path:
    return min((folder / "points").iterdir())


def amplify(at: Path) -> None:
    data = json.loads((at / "results.json").read_text())
    data["gc"]["write_amplification"] = 99
    (at / "results.json").write_text(json.dumps(data))


CHANGES: dict[str, tuple[Callable[[Path], object], str]] = {
    "no histograms": (lambda at: (at / "histograms.parquet").unlink(), "histograms.parquet is missing"),
    "no timeline": (lambda at: (at / "timeline.parquet").unlink(), "timeline.parquet is missing"),
    "no log of collection": (lambda at: (at / "gc_log.parquet").unlink(), "gc_log.parquet is missing"),
    "no results": (lambda at: (at / "results.json").unlink(), "results.json is missing"),
    "no configuration": (lambda at: (at / "config.toml").unlink(), "config.toml is missing"),
    "another figure": (amplify, "results.json was changed"),
    "another configuration": (lambda at: (at / "config.toml").write_text("#"), "config.toml was changed"),
    "damaged results": (lambda at: (at / "results.json").write_text("{"), "results.json was changed"),
    "a table cut": (lambda at: (at / "gc_log.parquet").write_bytes(b"PAR1"), "gc_log.parquet was changed"),
    "a folder in place of a table": (
        lambda at: ((at / "timeline.parquet").unlink(), (at / "timeline.parquet").mkdir()),
        "timeline.parquet is a directory, not a regular file",
    ),
}


@pytest.mark.parametrize(("change", "said"), CHANGES.values(), ids=CHANGES)
def test_a_point_that_was_changed_is_named_and_run_again(
    made: Path, swept: Path, change: Callable[[Path], object], said: str
) -> None:
    damaged = point(swept)
    change(damaged)
    found = again(swept)
    assert found.before == 1
    (told,) = found.damaged
    assert told.startswith(f"{damaged} (")
    assert said in told
    assert (swept / "damaged" / damaged.name).is_dir()
    shutil.rmtree(swept / "damaged")
    assert contents(swept) == contents(made)
    assert again(swept).damaged == []


def test_the_command_and_python_name_it(swept: Path, tmp_path: Path, command: Command) -> None:
    (tmp_path / "e.toml").write_text(Experiment.from_dict(SMALL).text)
    (point(swept) / "histograms.parquet").unlink()
    emitted = command("sweep", "e.toml", "-o", "out", "--emit")
    assert emitted.stdout.count(f"--only {point(swept).name}") == emitted.stdout.count("reclaim sweep") == 1
    ran = command("sweep", "e.toml", "-o", "out", "--no-report")
    assert "histograms.parquet is missing; it is kept in out/damaged/" in ran.stderr
    (point(swept) / "histograms.parquet").unlink()
    with pytest.warns(reclaim.ResultWarning, match=r"histograms\.parquet is missing"):
        reclaim.sweep(SMALL, swept)


def test_a_set_says_that_a_point_was_changed(swept: Path) -> None:
    amplify(point(swept))
    results = reclaim.ResultSet.load(swept)
    with pytest.raises(reclaim.InputError, match=r"results\.json was changed; run the sweep again"):
        results.results(point(swept).name)


class TestWithoutChecksums:
    """As an earlier version stored points."""

    @pytest.fixture
    def old(self, swept: Path) -> Path:
        lines = [json.loads(line) for line in (swept / "log.jsonl").read_text().splitlines()]
        lines = [line for line in lines if line["outcome"] == "stored"]
        assert all(line.pop("files") for line in lines)
        (swept / "log.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
        return swept

    def test_whole_points_are_kept_and_have_one_from_now_on(self, made: Path, old: Path) -> None:
        found = again(old, UNKNOWN)
        assert (found.before, found.found, found.damaged) == (2, 2, [])
        logged = [json.loads(line) for line in (old / "log.jsonl").read_text().splitlines()]
        assert [line["outcome"] for line in logged[-2:]] == [FOUND, FOUND]
        assert contents(old) == contents(made)
        amplify(point(old))
        assert len(again(old).damaged) == 1

    @pytest.mark.parametrize("change", [CHANGES[each][0] for each in CHANGES if each.startswith("no ")])
    def test_a_point_that_lacks_a_file_is_run_again(
        self, old: Path, change: Callable[[Path], object]
    ) -> None:
        change(point(old))
        assert len(again(old, UNKNOWN).damaged) == 1

    def test_one_damaged_file_of_results_blocks_nothing(self, made: Path, old: Path) -> None:
        (point(old) / "results.json").write_text('{"device": 5}')
        found = again(old, UNKNOWN)
        assert len(found.damaged) == 1
        assert found.found == 1
        shutil.rmtree(old / "damaged")
        assert contents(old) == contents(made)


@pytest.mark.parametrize("log", [b"", b"{\n", b"[" * 100_000, b'{"point": 5, "files": [1]}\n\xff\xfe\n'])
def test_a_damaged_log_costs_no_point(made: Path, swept: Path, log: bytes) -> None:
    (swept / "log.jsonl").write_bytes(log)
    with pytest.raises(reclaim.InputError, match="2 of its points were run by build unknown"):
        again(swept)
    found = again(swept, UNKNOWN)
    assert (found.before, found.found) == (2, 2)
    assert contents(swept) == contents(made)


@pytest.mark.parametrize("size", ["48k", "64k", "100k", "150k"])
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
    assert "standard output" not in ran.stderr
    assert "Traceback" not in ran.stderr
    assert ".partial-" not in ran.stderr
