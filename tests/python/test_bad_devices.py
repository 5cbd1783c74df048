"""Devices that cannot be used end in one message, and never take the interpreter with them."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

import reclaim
from conftest import DEVICE, Command

DRIVE = f'base = "{DEVICE}"\n'


def message_of(done: subprocess.CompletedProcess[str]) -> str:
    """The one line that a refused command says."""
    assert (done.returncode, done.stdout) == (2, ""), done.stderr
    assert "Traceback" not in done.stderr
    assert done.stderr.count("\n") == 1, done.stderr
    return done.stderr


def test_files_based_on_each_other_are_named(command: Command, tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text('base = "b.toml"\n')
    (tmp_path / "b.toml").write_text('base = "a.toml"\n')
    message = message_of(command("device", "check", "a.toml"))
    assert "circle: a.toml" in message
    assert "b.toml" in message
    for k in range(10_000):
        (tmp_path / f"{k + 1}.toml").write_text(f'base = "{k}.toml"\n' if k else DRIVE)
    assert "too many files (at most 16)" in message_of(command("device", "check", "10000.toml"))


def test_a_pipe_as_a_device_does_not_hang(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.toml")
    with pytest.raises(reclaim.InputError, match=r"pipe.toml: is .*regular file"):
        reclaim.Device.load(tmp_path / "pipe.toml")


def test_the_path_of_a_device_must_be_text(tmp_path: Path) -> None:
    path = tmp_path / os.fsdecode(b"drive\xff.toml")
    try:
        path.write_text(DRIVE)
    except OSError:
        pytest.skip("this file system has only names that are text")
    with pytest.raises(reclaim.InputError, match="UTF-8"):
        reclaim.Device.load(path)
    with pytest.raises(reclaim.InputError, match="UTF-8"):
        reclaim.Device.preset(DEVICE).set("name", os.fsdecode(b"\xff"))


def test_a_run_beyond_the_memory_is_refused_unless_told_otherwise(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    drive = reclaim.Device.preset(DEVICE)
    writes = reclaim.uniform_trace(footprint_bytes=1 << 20, count=10, mean_interarrival_ns=100_000)
    monkeypatch.setenv("RECLAIM_MEMORY_LIMIT", "20MiB")
    with pytest.raises(reclaim.InputError, match=r"a run of .* MiB of memory.*RECLAIM_MEMORY_LIMIT"):
        reclaim.simulate(drive, writes, warn=False)
    monkeypatch.setenv("RECLAIM_MEMORY_LIMIT", "much")
    with pytest.raises(reclaim.InputError, match='RECLAIM_MEMORY_LIMIT="much": expected a size'):
        reclaim.simulate(drive, writes, warn=False)
    for enough in ("unlimited", "2GiB"):
        monkeypatch.setenv("RECLAIM_MEMORY_LIMIT", enough)
        assert reclaim.simulate(drive, writes, warn=False).write.count == 10
    monkeypatch.delenv("RECLAIM_MEMORY_LIMIT")
    assert reclaim.simulate(drive, writes, warn=False).write.count == 10


@pytest.mark.skipif(not Path("/proc/meminfo").exists(), reason="only Linux says what memory it has")
def test_a_drive_larger_than_any_memory_is_refused() -> None:
    pages = {"geometry.blocks_per_plane": 100_000, "geometry.pages_per_block": 300}
    drive = reclaim.Device.preset("gc-bypass").with_settings(pages)
    needed = drive.facts()["run_memory_bytes"]
    assert needed > 30 * 10**9
    told = dict(line.split(":") for line in Path("/proc/meminfo").read_text().splitlines())
    if int(told["MemAvailable"].split()[0]) * 1024 > needed:
        pytest.skip("this computer has it")
    writes = reclaim.uniform_trace(footprint_bytes=1 << 20, count=10, mean_interarrival_ns=100_000)
    with pytest.raises(reclaim.InputError, match="memory, and may use"):
        reclaim.simulate(drive, writes, warn=False)
