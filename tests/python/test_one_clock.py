"""Volumes of one file that are merged keep its clock, however that is asked for."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import reclaim
from conftest import Command

SPC = "0,100,4096,W,0.5\n1,100,4096,W,1.5\n0,200,4096,R,2.5\n"


@pytest.fixture(autouse=True)
def _volumes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A trace of two volumes, in the present folder."""
    monkeypatch.chdir(tmp_path)
    Path("a.spc").write_text(SPC)


def _check(file: str) -> None:
    times = [float(line.split(",")[0]) for line in Path(file).read_text().splitlines()[1:]]
    assert times == [0.0, 1_000_000.0, 2_000_000.0]


@pytest.mark.parametrize("merged", ["a.spc,device=1", "./a.spc,device=1"])
def test_of_the_command_line(command: Command, merged: str) -> None:
    taken = ("--trace-device", "0", "--merge", merged, "--separate")
    assert command("trace", "convert", "a.spc", "o.csv", *taken).returncode == 0
    _check("o.csv")


def test_of_python_and_a_device_file() -> None:
    merge = [{"file": "a.spc", "device": 1}]
    opened = reclaim.open_trace("a.spc", device=0)
    opened.transformed(merge=merge, separate=True).convert("api.csv")
    _check("api.csv")
    Path("d.toml").write_text(
        'base = "coupled-copyback-mini"\n[trace]\ndevice = "0"\n'
        'merge = [{ file = "a.spc", device = "1" }]\nseparate = true\n'
    )
    drive = reclaim.Device.load("d.toml")
    result = reclaim.simulate(drive, drive.open_trace("a.spc"), warn=False)
    assert result.to_dict()["trace"]["span_ns"] == 2_000_000_000


def test_of_an_experiment_and_a_window() -> None:
    both = '"trace.device" = "0", "trace.merge" = "a.spc,device=1"'
    Path("e.toml").write_text(f"""name = "e"
devices = ["coupled-copyback-mini"]
traces = [
  {{ name = "both", source = "a.spc", set = {{ {both}, "trace.separate" = true }} }},
  {{ name = "late", source = "a.spc", set = {{ {both}, "trace.from" = "500ms" }} }},
]
""")
    swept = reclaim.sweep("e.toml", "out")
    files = (swept.folder / "points").glob("*/results.json")
    traces = [json.loads(file.read_text())["trace"] for file in files]
    # All three requests; and the two from 0.5 s on, the first of which is at 1 s.
    assert {each["requests"]: each["span_ns"] for each in traces} == {3: 2_000_000_000, 2: 1_000_000_000}
