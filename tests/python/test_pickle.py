"""Drives and traces go to other processes (results: test_result.py)."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from pathlib import Path

import pytest

import reclaim
from conftest import DEVICE, GENERATED


def test_a_drive(tmp_path: Path) -> None:
    preset = reclaim.Device.preset(DEVICE).with_scheme("fifo").set("seed", 7)
    (tmp_path / "mine.toml").write_text(preset.to_toml())
    for drive in (preset, reclaim.Device.load(tmp_path / "mine.toml")):
        same = pickle.loads(pickle.dumps(drive))  # noqa: S301 - made right here
        assert (same, same.to_toml()) == (drive, drive.to_toml())
        assert copy.deepcopy(drive) == drive


MAKERS: dict[str, Callable[[Path], reclaim.Trace]] = {
    "file": lambda folder: reclaim.open_trace(folder / "hot.toml"),
    "records": lambda _: reclaim.Trace.from_records([(0, "write", 0, 4096), (9, "read", 0, 512)], name="two"),
    "uniform": lambda _: reclaim.uniform_trace(footprint_bytes=1 << 20, count=50, write_fraction=0.5, seed=3),
    "fio": lambda _: reclaim.fio_trace(rw="randwrite", bs="4k", size="1m"),
    "changed": lambda folder: reclaim.open_trace(folder / "hot.toml").transformed(
        align="8KiB", repeat=2, remap="compact", time_scale=2.0
    ),
    "changed by a drive": lambda folder: (
        reclaim.Device.preset(DEVICE)
        .set("trace.max_requests", 9)
        .transformed(reclaim.open_trace(folder / "hot.toml"))
    ),
}


@pytest.mark.parametrize("how", MAKERS)
def test_a_trace(how: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "hot.toml").write_text(GENERATED)
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path)
    trace = MAKERS[how](Path())
    pickled = pickle.dumps(trace)
    monkeypatch.chdir(tmp_path / "elsewhere")
    same = pickle.loads(pickled)  # noqa: S301 - made right here
    monkeypatch.chdir(tmp_path)
    assert same.summary() == trace.summary()
    assert (same.name, same.transforms, same.provenance) == (trace.name, trace.transforms, trace.provenance)
