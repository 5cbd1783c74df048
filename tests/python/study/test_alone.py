"""A point that takes more memory than there is ends nothing but itself, and is not tried again unasked."""

from __future__ import annotations

import json
import os
import re
import resource
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import reclaim
from reclaim import builds
from reclaim.experiment.experiment import Experiment
from reclaim.experiment.point import Point
from reclaim.experiment.task import DiedError, StoppedError, task_of
from reclaim.study.alone import Order, packed, run_alone
from reclaim.study.study import RunOptions
from reclaim.study.sweep import Sweep
from study.small import GENERATED, experiment

GENERATE: dict[str, Any] = GENERATED["generate"]
AT_ONCE = {"arrivals": {"kind": "constant", "interval": "10ns"}, "requests": 4_000_000}
FLOOD = {"name": "flood", "generate": GENERATE | AT_ONCE}
"""Its requests wait: 0.4 GB, and as much again while the table of them grows."""
OUT_OF_MEMORY = r"out of memory: \d+ bytes more could not be had"
FEW: dict[str, Any] = {"schemes": ["greedy"], "axes": {}, "record": {}, "repeats": {"count": 1}, "set": {}}
MADE = experiment(traces=[GENERATED, FLOOD], **FEW)
ONE = experiment(**FEW)


def points() -> tuple[Point, Point]:
    calm, flood = Experiment.from_dict(MADE).points()
    return calm, flood


def outcomes(folder: Path, point: str) -> list[str]:
    lines = map(json.loads, (folder / "log.jsonl").read_text().splitlines())
    return [str(line["outcome"]) for line in lines if line["point"] == point]


TOLD = "out of memory: 100 bytes more could not be had"


def test_one_that_runs_out_of_memory_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _, flood = points()
    # Otherwise it is refused before: this flood is known to be one.
    monkeypatch.setenv("RECLAIM_MEMORY_LIMIT", "unlimited")
    with pytest.raises(DiedError, match=rf"^{OUT_OF_MEMORY}$"):
        run_alone(replace(order(tmp_path / "alone", flood), limit=100 << 20))


HUGE = {"geometry.blocks_per_plane": 250_000, "geometry.pages_per_block": 1}
"""A drive of more memory than these processes get."""
UNAWARE = """\
from reclaim import _core
_core.memory_limit = lambda *_: None
from reclaim.cli import main
main()"""
"""A program that does not know what there is, as where estimates are short."""


def of_little_memory(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run a command whose process gets 750 MB, and which is told that there is any number."""
    return subprocess.run(
        [sys.executable, "-c", UNAWARE, *words],
        check=False,
        cwd=folder,
        env=os.environ | {"RECLAIM_MEMORY_LIMIT": "unlimited"},
        capture_output=True,
        text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_DATA, (750 << 20, 750 << 20)),
    )


def test_a_run_that_gets_no_memory_ends_with_a_line(tmp_path: Path) -> None:
    calm, _ = points()
    assert calm.opened is not None
    calm.opened.convert(tmp_path / "calm.parquet")
    huge = [word for key, value in HUGE.items() for word in ("--set", f"{key}={value}")]
    ran = of_little_memory(tmp_path, "run", "calm.parquet", "--device", "gc-bypass", *huge)
    assert ran.returncode == 2
    assert re.search(rf"^error: {OUT_OF_MEMORY}\Z", ran.stderr.rstrip(), re.MULTILINE)


def test_a_sweep_goes_on_without_a_point_that_gets_no_memory(tmp_path: Path) -> None:
    sizes = {"huge": HUGE, "small": {"geometry.blocks_per_plane": 256, "geometry.pages_per_block": 16}}
    made = experiment(devices=["gc-bypass"], **FEW | {"axes": {"drive": sizes}})
    huge, small = Experiment.from_dict(made).points()
    (tmp_path / "experiment.toml").write_text(Experiment.from_dict(made).text)
    swept = of_little_memory(tmp_path, "sweep", "experiment.toml", "-o", "out", "--workers", "1", "--quiet")
    assert swept.returncode == 1, swept.stderr
    # Once in the sweep's process, which begins again, and once alone.
    began, again, told = outcomes(tmp_path / "out", huge.id)
    assert (began, again) == ("began", "began")
    assert re.fullmatch(OUT_OF_MEMORY, told)
    assert re.search(
        rf"^note: what was running begins again, .*: {OUT_OF_MEMORY}$", swept.stderr, re.MULTILINE
    )
    assert [each.name for each in (tmp_path / "out/points").iterdir()] == [small.id]


def test_a_point_that_may_take_more_than_there_is_runs_alone() -> None:
    calm, flood = points()
    least = task_of(flood, 0).memory_bytes
    assert 400e6 < least - task_of(calm, 0).memory_bytes < 440e6
    assert not task_of(flood, 0, 4 * least).alone
    assert task_of(flood, 0, least).alone
    assert not task_of(calm, 0, least).alone


def test_one_that_ended_its_process_ends_no_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calm, flood = points()
    ran: list[str] = []

    def died(order: Order, _stop: object) -> str:
        ran.append(order.parcel.id)
        raise DiedError(TOLD)

    monkeypatch.setattr("reclaim.study.local.run_alone", died)
    # As large as an estimate that is short of what the flood takes.
    monkeypatch.setattr("reclaim.study.runner._core.memory_limit", lambda *_: 600 << 20)
    made, folder = Experiment.from_dict(MADE), tmp_path / "out"
    how = RunOptions(workers=1, memory="1TiB")
    (failure,) = Sweep(made).run(folder, how).failures
    assert (failure["point"], failure["error"], ran) == (flood.id, TOLD, [flood.id])
    assert [each.name for each in (folder / "points").iterdir()] == [calm.id]
    assert outcomes(folder, flood.id) == ["began", TOLD]

    (again,) = Sweep(made).run(folder, how).failures
    assert again["error"].startswith(TOLD)
    assert all(word in again["error"] for word in ("--retry", "--force"))
    assert json.loads((folder / "failures" / f"{flood.id}.json").read_text())["error"] == again["error"]
    assert ran == [flood.id]
    for asked in (replace(how, retry=True), replace(how, force=True), replace(how, only=[flood.id])):
        assert [each["error"] for each in Sweep(made).run(folder, asked).failures] == [TOLD]
    reclaim.sweep(made, folder, workers=1, memory="1TiB", retry=True)
    assert ran == 5 * [flood.id]


def test_what_ended_it_before_runs_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = Experiment.from_dict(ONE)
    (point,) = made.points()
    ran: list[str] = []
    monkeypatch.setattr("reclaim.study.local.run_alone", lambda order, _: ran.append(order.parcel.id) or "no")
    (tmp_path / "out").mkdir()
    note = {"point": point.id, "outcome": "began", "build": builds.build()}
    (tmp_path / "out/experiment.toml").write_text(made.text)
    (tmp_path / "out/log.jsonl").write_text(json.dumps(note) + "\n")
    failed = Sweep(made).run(tmp_path / "out", RunOptions(workers=1)).failures
    assert (ran, [each["error"] for each in failed]) == ([point.id], ["no"])
    # It failed, and ended nothing: the next time it is like any other.
    assert Sweep(made).run(tmp_path / "out", RunOptions(workers=1)).failures == []
    assert ran == [point.id]


def order(folder: Path, point: Point) -> Order:
    folder.mkdir()
    return Order(packed(task_of(point, 0)), {}, "", folder, None)


def test_a_process_of_its_own_gives_the_same_bytes(tmp_path: Path) -> None:
    calm, _ = points()
    assert run_alone(order(tmp_path / "alone", calm)) == ""
    Sweep(Experiment.from_dict(ONE)).run(tmp_path / "out")
    files = {each.name: each.read_bytes() for each in (tmp_path / "alone").iterdir()}
    assert files == {each.name: each.read_bytes() for each in (tmp_path / f"out/points/{calm.id}").iterdir()}


def started() -> list[int]:
    """Processes of this one that run a point."""
    told = Path(f"/proc/self/task/{os.getpid()}/children").read_text()
    each_of = (int(each) for each in told.split())
    return [each for each in each_of if b"study.alone" in Path(f"/proc/{each}/cmdline").read_bytes()]


def killing() -> bool:
    for each in started():
        os.kill(each, signal.SIGKILL)
    return False


def test_one_that_the_system_kills_says_so(tmp_path: Path) -> None:
    _, flood = points()
    with pytest.raises(DiedError, match="SIGKILL"):
        run_alone(order(tmp_path / "alone", flood), killing)


def test_where_memory_ends_the_system_kills_it_before_the_sweep(tmp_path: Path) -> None:
    def priority(process: int | str) -> int:
        return int(Path(f"/proc/{process}/oom_score_adj").read_text())

    _, flood = points()
    seen: set[int] = set()

    def is_first() -> bool:
        seen.update(map(priority, started()))
        return 1000 in seen

    ours = priority("self")
    with pytest.raises(StoppedError):
        run_alone(order(tmp_path / "alone", flood), is_first)
    assert seen in ({ours, 1000}, {1000})
    assert priority("self") == ours


def test_it_stops_when_it_is_told_to(tmp_path: Path) -> None:
    _, flood = points()
    given = order(tmp_path / "alone", flood)
    began = time.monotonic()
    with pytest.raises(StoppedError):
        run_alone(given, lambda: time.monotonic() > began + 0.5)
    assert time.monotonic() < began + 5
    assert not started()


def test_an_error_of_it_comes_back(tmp_path: Path) -> None:
    calm, _ = points()
    given = order(tmp_path / "alone", calm)
    (tmp_path / "alone").rmdir()
    (tmp_path / "alone").write_text("no folder")
    assert "alone" in run_alone(given)


def test_failures_are_in_the_order_of_the_experiment(tmp_path: Path) -> None:
    made = experiment(
        set={"trace.remap": "none"},
        traces=[GENERATED | {"generate": GENERATE | {"address": {"kind": "uniform", "footprint": "64GiB"}}}],
    )
    failures = Sweep(Experiment.from_dict(made)).run(tmp_path / "out").failures
    assert [each["point"] for each in failures] == [each.id for each in Experiment.from_dict(made).points()]
