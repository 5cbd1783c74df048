"""Windows of a long trace: what the command line and Python make of them; the core has tests in Rust."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import reclaim
from conftest import Command, parsed, refusal

DRIVE = """base = "gc-bypass-mini"
[geometry]
blocks_per_plane = 64
pages_per_block = 16
spare_factor = "15%"
[warmup]
kind = "steady"
"""
WINDOWS = {"measure.windows.count": 8, "measure.windows.share": "25%", "measure.windows.lead_in": 600}


def result(tmp_path: Path, workers: int | None = None, **settings: Any) -> reclaim.Result:
    (tmp_path / "drive.toml").write_text(DRIVE)
    device = reclaim.Device.load(tmp_path / "drive.toml").with_settings(settings)
    trace = reclaim.uniform_trace(
        footprint_bytes=device.facts()["user_bytes"], count=40_000, mean_interarrival_ns=200_000
    )
    return reclaim.simulate(device, trace, warn=False, workers=workers)


@pytest.mark.parametrize("victim", ["greedy", "cost-benefit"])
def test_windows_tell_about_what_the_whole_run_does(tmp_path: Path, victim: str) -> None:
    whole, windows = (result(tmp_path, **{"gc.victim": victim, **more}) for more in ({}, WINDOWS))
    of_whole, of_windows = (each.to_dict() for each in (whole, windows))
    amplification = [each["gc"]["write_amplification"] for each in (of_whole, of_windows)]
    assert amplification[1] == pytest.approx(amplification[0], rel=0.05)
    assert windows.write.mean_ns == pytest.approx(whole.write.mean_ns, rel=0.1)
    p99 = [each["requests"]["write"]["p99_ns"] for each in (of_whole, of_windows)]
    assert p99[1] == pytest.approx(p99[0], rel=0.15)
    assert windows.write.count == 10_000
    trend = of_windows["drift"]["mean_latency"]
    assert 0 < trend["half_width_share"] < 0.2
    assert "mean_latency" not in of_whole["drift"]


def test_any_number_of_workers_writes_the_same(tmp_path: Path) -> None:
    alone, two, all_of_them = (result(tmp_path, workers, **WINDOWS) for workers in (1, 2, None))
    assert alone.to_json() == two.to_json() == all_of_them.to_json()


def test_the_option_is_the_setting(trace_file: Path, command: Command) -> None:
    by_option, by_setting = (
        parsed(command("run", trace_file, "-d", "small", "--json", *words))
        for words in (["--windows", "2"], ["--set", "measure.windows.count=2"])
    )
    assert by_option == by_setting
    assert len(by_option["measure"]["windows"]) == 2


def test_the_report_says_that_windows_were_measured(tmp_path: Path) -> None:
    windows = result(tmp_path, **WINDOWS)
    assert "measured in 8 windows of 1250 requests each" in " ".join(windows.to_dict()["transforms"])
    page = windows.save(tmp_path / "out") / "report.html"
    assert "measured in 8 windows" in page.read_text()


FAILS = '[{ erases = 5, failed = "0%" }, { erases = 10, failed = "100%" }]'


def test_a_life_is_drawn_from_its_first_play_to_its_last(
    tmp_path: Path, trace_file: Path, command: Command
) -> None:
    life = ("--until", "worn", "--windows", "3", "--set", f"flash.endurance.failures={FAILS}")
    command("run", trace_file, "-d", "small", *life, "--warmup", "filled", "--output", tmp_path / "life")
    data = json.loads((tmp_path / "life/results.json").read_text())
    ages = data["measure"]["windows"]
    assert [each["failed_blocks"] for each in ages] == sorted(each["failed_blocks"] for each in ages)
    assert ages[0]["host_bytes_before"] == 0 < ages[1]["host_bytes_before"] < ages[2]["host_bytes_before"]
    assert "until the drive is worn out, and 3 of its plays" in " ".join(data["transforms"])
    assert "The life of the drive" in (tmp_path / "life/report.html").read_text()


def test_a_drive_of_which_no_block_fails_is_never_worn_out(trace_file: Path, command: Command) -> None:
    told = refusal(command("run", trace_file, "-d", "small", "--until", "worn"))
    assert "measure.windows.until" in told
    assert "flash.endurance.failures" in told


REMEMBERS = """import reclaim

@reclaim.victim_policy
class InTurn:
    def __init__(self, drive):
        self.turn = 0

    def select(self, plane):
        self.turn += 1
        return plane.blocks[self.turn % len(plane.blocks)]
"""


def test_a_policy_that_cannot_save_what_it_remembers_is_refused(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(REMEMBERS)
    policy = f'{{kind = "python", function = "{tmp_path / "own.py"}:InTurn"}}'
    with pytest.raises(reclaim.InputError, match=r"measure\.windows: .*no save\(\)"):
        result(tmp_path, **{"gc.victim": policy}, **WINDOWS)


def test_what_windows_cannot_tell_is_refused_by_name(trace_file: Path, command: Command) -> None:
    def refused(*words: object) -> str:
        return refusal(command("run", trace_file, "-d", "small", "--windows", "2", *words))

    assert "measure.windows" in refused("--untimed")
    assert "measure.windows: adaptive" in refused("--set", "gc.concurrency=adaptive")
    assert "measure.windows.share: 200%" in refused("--set", "measure.windows.share=200%")
