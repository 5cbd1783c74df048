"""Recording: what it would do, where it refuses, what it reads; and for real, where that is possible."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import reclaim
from conftest import Command
from reclaim.cli.trace_record import parse_size
from reclaim.trace.record import RecordingPlan, missing, requirements
from reclaim.trace.record.events import Event, parse
from reclaim.trace.record.session import provenance

EVENT = "block_rq_issue: 7,0"
NEW = f"  kworker/1:1H-44  [001] ..... 88.120345: {EVENT} WSM 4096 () 2048 + 8 none,0,0 [kworker/1:1H]\n"
OLD = f"  fio-812   [000] d..1    88.120400: {EVENT} R 8192 () 4096 + 16 [my fio]\n"
FLUSH = f"  sh-9  [000] ..... 88.120500: {EVENT} FF 0 () 18446744073709551615 + 0 none,0,0 [sh]\n"
LOST = "CPU:1 [LOST 12 EVENTS]\n"


@pytest.fixture
def able(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> RecordingPlan:
    """A machine on which nothing is missing, as far as can be told."""
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(shutil, "which", lambda name, **_: f"/sbin/{name}")
    monkeypatch.setattr(requirements, "_kernel_traces", lambda: True)
    monkeypatch.setattr(requirements, "LOOP_CONTROL", tmp_path)
    monkeypatch.setattr(requirements, "memory_limit", lambda: None)
    return RecordingPlan(("true",), tmp_path / "out.blkparse.txt", size_bytes=64 << 20)


@pytest.mark.parametrize(
    ("where", "attribute", "value", "part"),
    [
        (sys, "platform", "darwin", "Linux"),
        (os, "geteuid", lambda: 1000, "root"),
        (shutil, "which", lambda name, **_: None if name == "mkfs.ext4" else "/x", "e2fsprogs"),
        (shutil, "which", lambda name, **_: None if name == "losetup" else "/x", "util-linux"),
        (requirements, "_kernel_traces", lambda: False, "tracefs"),
        (requirements, "LOOP_CONTROL", Path("/nowhere"), "loop devices"),
        (requirements, "memory_limit", lambda: 512 << 20, "512 MiB"),
    ],
    ids=["system", "root", "mkfs", "losetup", "tracefs", "loop", "memory"],
)
def test_what_is_missing_is_said(
    able: RecordingPlan,
    monkeypatch: pytest.MonkeyPatch,
    where: object,
    attribute: str,
    value: object,
    part: str,
) -> None:
    assert missing(able) == []
    monkeypatch.setattr(where, attribute, value)
    assert part in " ".join(missing(able))
    assert (missing(able, memory_limit_accepted=True) == []) == (attribute == "memory_limit")


def test_plans_that_cannot_be_are_said(able: RecordingPlan, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    RecordingPlan(able.command, tmp_path / "there").image.touch()
    for output, size, part in (
        (tmp_path / "none" / "x", 64 << 20, ""),
        (tmp_path / "file" / "x", 64 << 20, str(tmp_path / "file")),
        (tmp_path, 64 << 20, "directory"),
        (tmp_path / "x", 1 << 60, "--size"),
        (tmp_path / "x.zst", 64 << 20, ".gz"),
        (tmp_path / "there", 64 << 20, str(RecordingPlan(able.command, tmp_path / "there").image)),
    ):
        reasons = missing(RecordingPlan(able.command, output, size))
        assert len(reasons) == bool(part), (output, reasons)
        assert part in " ".join(reasons)
    assert len(missing(RecordingPlan((), able.output, able.size_bytes))) == 1, "no command"


def test_a_limit_of_a_control_group_above_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "memory.max").write_text("1073741824\n")
    (tmp_path / "a" / "b" / "memory.max").write_text("max\n")
    monkeypatch.setattr(requirements, "CGROUP", tmp_path)
    monkeypatch.setattr(requirements, "OWN_CGROUP", tmp_path / "own")
    (tmp_path / "own").write_text("0::/a/b\n")
    assert requirements.memory_limit() == 1 << 30
    (tmp_path / "own").write_text("0::/\n")
    assert requirements.memory_limit() is None
    for name in ("räume".encode(), b"r\xe4ume"):
        (tmp_path / os.fsdecode(name)).mkdir()
        (tmp_path / os.fsdecode(name) / "memory.max").write_text("4096\n")
        (tmp_path / "own").write_bytes(b"0::/" + name + b"\n")
        assert requirements.memory_limit() == 4096, name


def test_the_plan_says_every_step(tmp_path: Path) -> None:
    plan = RecordingPlan(("fio", "--directory={mount}", "a b"), tmp_path / "x.gz", 1 << 30, drop_cache_s=2)
    steps = "\n".join(plan.steps())
    named = ["1024 MiB", "losetup", "mkfs.ext4", "every 2 s", f"{plan.mount_point} 'a b'", "umount"]
    assert [part for part in named if part not in steps] == []
    assert steps.index("trace block_rq_issue") < steps.index("mount -o discard")


def test_events_of_old_and_new_kernels_are_read() -> None:
    new, old, flush, lost = parse([NEW, OLD, FLUSH, LOST])
    assert new == Event(88_120_345_000, 0, 1, 44, "WSM", 2048, 8, "kworker/1:1H")
    assert isinstance(old, Event)
    assert (old.rwbs, old.sector, old.sectors, old.command) == ("R", 4096, 16, "my fio")
    assert isinstance(flush, Event)
    assert flush.line(1, 0).endswith("FF 0 + 0 [sh]")
    assert lost == 12
    with pytest.raises(reclaim.InputError, match="something else"):
        list(parse(["fio-1 [000] 1.0: block_rq_issue: something else\n"]))


def test_what_is_written_is_a_trace_with_its_provenance(tmp_path: Path) -> None:
    plan = RecordingPlan(("fio", "job file"), tmp_path / "x.blkparse.txt")
    events = sorted(each for each in parse([OLD, NEW, FLUSH]) if isinstance(each, Event))
    lines = [event.line(number, 88_000_000_000) for number, event in enumerate(events, 1)]
    plan.output.write_text("\n".join([*lines, *provenance(plan, 3, 0, 0.0, 0)]) + "\n")
    trace = reclaim.open_trace(plan.output)
    summary = trace.summary()
    assert trace.format == "blkparse"
    assert (summary["reads"], summary["writes"], summary["flushes"]) == (1, 1, 1)
    assert summary["span_ns"] == 155_000
    assert "fio 'job file'" in plan.output.read_text()


@pytest.mark.parametrize("text", ["8", "1KiB", "32MiB", "lots"])
def test_a_size_needs_its_unit(text: str) -> None:
    with pytest.raises(reclaim.InputError, match="--size"):
        parse_size(text)


def test_a_real_recording(command: Command, tmp_path: Path) -> None:
    plan = RecordingPlan(("sh",), tmp_path / "x.blkparse.txt", 64 << 20)
    reasons = missing(plan)
    if reasons:
        pytest.skip("cannot record here: " + "; ".join(reasons))
    before = subprocess.run(["losetup", "--all"], capture_output=True, text=True, check=True).stdout
    script = "dd if=/dev/zero of=f bs=64k count=64 conv=fsync 2>/dev/null; rm f; sync; exit 3"
    done = command("trace", "record", "--size", "64MiB", "-o", plan.output, "--", "sh", "-c", script)
    assert done.returncode == 1, done.stderr
    assert "exit code 3" in done.stderr
    summary = reclaim.open_trace(plan.output).summary()
    assert summary["write_bytes"] >= 64 * 65536
    assert summary["max_end_bytes"] <= 64 << 20
    assert summary["trims"] >= 1
    # Nothing is left behind.
    assert [each.name for each in tmp_path.iterdir()] == ["x.blkparse.txt"]
    assert subprocess.run(["losetup", "--all"], capture_output=True, text=True, check=True).stdout == before
    assert str(tmp_path) not in Path("/proc/mounts").read_text()
