"""Drives, traces and results go to other processes, and results know what was recorded with them."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

import reclaim
from conftest import DEVICE, GENERATED


def there_and_back(thing: object) -> object:
    return pickle.loads(pickle.dumps(thing))  # noqa: S301 - made right here


@pytest.fixture(scope="module")
def recorded() -> reclaim.Result:
    trace = reclaim.uniform_trace(footprint_bytes=1 << 20, count=300, mean_interarrival_ns=100_000)
    drive = reclaim.Device.preset(DEVICE)
    return reclaim.simulate(drive, trace, warmup="empty", record_requests=True, record_gc=True, warn=False)


def test_a_drive(tmp_path: Path) -> None:
    preset = reclaim.Device.preset(DEVICE).with_scheme("fifo").set("seed", 7)
    (tmp_path / "mine.toml").write_text(preset.to_toml())
    for drive in (preset, reclaim.Device.load(tmp_path / "mine.toml")):
        same = there_and_back(drive)
        assert isinstance(same, reclaim.Device)
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
    assert isinstance(same, reclaim.Trace)
    monkeypatch.chdir(tmp_path)
    assert same.summary() == trace.summary()
    assert (same.name, same.transforms, same.provenance) == (trace.name, trace.transforms, trace.provenance)


def test_a_result(recorded: reclaim.Result) -> None:
    recorded.label = "mine"
    same = there_and_back(recorded)
    assert isinstance(same, reclaim.Result)
    assert (same.to_json(), same.label, same.config_toml) == (
        recorded.to_json(),
        "mine",
        recorded.config_toml,
    )
    assert same.wall_seconds == recorded.wall_seconds
    assert pl.DataFrame(same.requests).equals(pl.DataFrame(recorded.requests))
    assert same.timeline is None
    assert same.write.latency.percentile(99) == recorded.write.latency.percentile(99)


def test_a_saved_result_has_the_tables_beside_it(recorded: reclaim.Result, tmp_path: Path) -> None:
    where = recorded.save(tmp_path / "out", report=False)
    loaded = reclaim.Result.load(where)
    assert pl.DataFrame(loaded.requests).equals(pl.DataFrame(recorded.requests))
    assert pl.DataFrame(loaded.gc_log).equals(pl.DataFrame(recorded.gc_log))
    assert loaded.timeline is None
    # Saved over the folder it was read from, too.
    reclaim.Result.load(where).save(where, report=False)
    assert pl.DataFrame(reclaim.Result.load(where / "results.json").requests).height == 300
    (where / "requests.parquet").write_bytes(b"no table")
    with pytest.raises(reclaim.InputError, match=r"requests\.parquet: cannot be read"):
        _ = reclaim.Result.load(where).requests


def test_a_notebook_shows_the_main_figures(results: list[reclaim.Result]) -> None:
    result = there_and_back(results[1])
    assert isinstance(result, reclaim.Result)
    result.label = "<script>"
    page = result._repr_html_()
    assert page.startswith("<p><b>&lt;script&gt; on ")
    assert "not trustworthy" in page
    assert f"{result.write_amplification:.3f}" in page
    assert "<li>warning: " in page
    assert page.count("<tr>") == page.count("</tr>") > 20
