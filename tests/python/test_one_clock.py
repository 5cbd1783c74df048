"""Volumes of one file that are merged keep its clock, however that is asked for."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import reclaim
from conftest import Command

SPC = "0,100,4096,W,0.5\n1,100,4096,W,1.5\n0,200,4096,R,2.5\n"
MERGED = [0.0, 1_000_000.0, 2_000_000.0]


@pytest.fixture
def volumes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A trace of two volumes, in the present folder."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.spc").write_text(SPC)
    return tmp_path / "a.spc"


def _times(file: Path) -> list[float]:
    return [float(line.split(",")[0]) for line in file.read_text().splitlines()[1:]]


@pytest.mark.parametrize("merged", ["a.spc,device=1", "./a.spc,device=1"])
def test_of_the_command_line(volumes: Path, command: Command, merged: str) -> None:
    taken = ("--trace-device", "0", "--merge", merged, "--separate")
    assert command("trace", "convert", "a.spc", "o.csv", *taken).returncode == 0
    assert _times(volumes.with_name("o.csv")) == MERGED


@pytest.mark.usefixtures("volumes")
def test_of_python_and_a_device_file() -> None:
    merge = [{"file": "a.spc", "device": 1}]
    opened = reclaim.open_trace("a.spc", device=0)
    opened.transformed(merge=merge, separate=True).convert("api.csv")
    assert _times(Path("api.csv")) == MERGED
    Path("d.toml").write_text(
        'base = "coupled-copyback-mini"\n[trace]\ndevice = "0"\n'
        'merge = [{ file = "a.spc", device = "1" }]\nseparate = true\n'
    )
    drive = reclaim.Device.load("d.toml")
    result = reclaim.simulate(drive, drive.open_trace("a.spc"), warn=False)
    assert result.to_dict()["trace"]["span_ns"] == 2_000_000_000


@pytest.mark.usefixtures("volumes")
def test_of_an_experiment_and_a_window() -> None:
    text = """name = "e"
devices = ["coupled-copyback-mini"]
[[traces]]
name = "both"
source = "a.spc"
set = { "trace.device" = "0", "trace.merge" = "a.spc,device=1", "trace.separate" = true }
[[traces]]
name = "late"
source = "a.spc"
[traces.set]
"trace.device" = "0"
"trace.merge" = "a.spc,device=1"
"trace.from" = "500ms"
"""
    Path("e.toml").write_text(text)
    swept = reclaim.sweep("e.toml", "out")
    spans = {}
    for folder in sorted((swept.folder / "points").iterdir()):
        data = json.loads((folder / "results.json").read_text())
        spans[data["trace"]["requests"]] = data["trace"]["span_ns"]
    # All three requests; and the two from 0.5 s on, the first of which is at 1 s.
    assert spans == {3: 2_000_000_000, 2: 1_000_000_000}
