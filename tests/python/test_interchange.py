"""Runs under the names of other programs, and their requests as a log of fio."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import reclaim
from conftest import Command, parsed, refusal
from reclaim.result.interchange import NAMES, as_theirs, named

DRIVE = "gc-bypass-mini"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that collects garbage, with its requests."""
    trace = reclaim.generate_trace(
        requests=4000,
        size="4KiB",
        operations={"write": 0.7, "trim": 0.05, "flush": 0.05},
        address={"kind": "uniform", "footprint": "8MiB"},
        arrivals={"kind": "poisson", "interval": "200us"},
    )
    result = reclaim.simulate(
        reclaim.Device.preset(DRIVE), trace, warmup="filled", record_requests=True, warn=False
    )
    folder = tmp_path_factory.mktemp("run") / "r"
    result.save(folder)
    return folder


def values(run: Path, tool: Any) -> dict[str, Any]:
    return {each.theirs: value for each, value in named(reclaim.Result.load(run), tool)}


@pytest.mark.parametrize("tool", NAMES)
def test_every_name_has_a_value_and_a_unit(tool: Any, run: Path) -> None:
    found = named(reclaim.Result.load(run), tool)
    assert len({each.theirs for each, _ in found}) == len(found)
    assert all(each.unit for each, _ in found)
    assert [each.theirs for each, value in found if value is None] in ([], ["Average_Page_Movement_For_GC"])


def test_figures_are_those_of_the_requests(run: Path) -> None:
    """Counted from the table of requests, not from the results."""
    frame = pl.read_parquet(run / "requests.parquet")
    writes = frame.filter(pl.col("op") == 1)
    latency = writes["completion_ns"] - writes["arrival_ns"]
    fio = values(run, "fio")
    assert fio["write/total_ios"] == writes.height
    assert fio["write/io_bytes"] == writes["size_bytes"].sum()
    assert fio["write/lat_ns/max"] == latency.max()
    assert fio["write/lat_ns/mean"] == pytest.approx(latency.mean(), rel=1e-9)
    assert fio["write/clat_ns/percentile/99.000000"] == pytest.approx(
        latency.quantile(0.99, "lower"), rel=0.04
    )
    assert fio["write/bw"] == fio["write/bw_bytes"] // 1024
    mqsim = values(run, "mqsim")
    both = frame.filter(pl.col("op") <= 1).height
    assert mqsim["Request_Count"] == mqsim["Read_Request_Count"] + mqsim["Write_Request_Count"] == both
    femu = values(run, "femu")
    data = reclaim.Result.load(run).to_dict()
    assert femu["host_write_pages"] == data["flash"]["host_programs"]
    amplification = 1 + femu["gc_write_pages"] / femu["host_write_pages"]
    assert femu["waf_x1000"] / 1000 == pytest.approx(amplification, abs=0.002)


def test_the_command_prints_a_table_and_what_fio_writes(command: Command, run: Path) -> None:
    shown = command("results", "export", str(run), "--names", "mqsim")
    assert shown.returncode == 0
    assert "Issued_Flash_Erase_CMD" in shown.stdout
    told = parsed(command("results", "export", str(run), "--names", "fio", "--json"))
    (job,) = told["jobs"]
    assert job["write"]["total_ios"] == values(run, "fio")["write/total_ios"]
    assert "99.990000" in job["write"]["clat_ns"]["percentile"]
    found = named(reclaim.Result.load(run), "femu")
    assert as_theirs(found, "femu", "r")["waf_x1000"] == values(run, "femu")["waf_x1000"]
    assert json.loads(json.dumps(told)) == told


def test_requests_are_a_log_of_fio_that_is_a_trace_again(command: Command, run: Path, tmp_path: Path) -> None:
    done = command("results", "export", str(run), "--latency-log", "r_lat.1.log")
    assert done.returncode == 0, done.stderr
    assert "flushes are left out" in done.stdout
    frame = pl.read_parquet(run / "requests.parquet").filter(pl.col("op") <= 2).sort("completion_ns")
    lines = (tmp_path / "r_lat.1.log").read_text().splitlines()
    assert len(lines) == frame.height
    first = frame.row(0, named=True)
    assert [int(each) for each in lines[0].split(", ")] == [
        first["completion_ns"] // 1_000_000,
        first["completion_ns"] - first["arrival_ns"],
        first["op"],
        first["size_bytes"],
        first["offset_bytes"],
        0,
    ]
    read = reclaim.open_trace(tmp_path / "r_lat.1.log")
    assert read.format == "fiolog"
    summary = read.summary()
    for op, key in ((0, "reads"), (1, "writes"), (2, "trims")):
        assert summary[key] == frame.filter(pl.col("op") == op).height
    assert "exists already" in refusal(command("results", "export", str(run), "--latency-log", "r_lat.1.log"))


def test_what_cannot_be_given_is_refused(command: Command, run: Path, tmp_path: Path) -> None:
    assert "--names" in refusal(command("results", "export", str(run)))
    (tmp_path / "results.json").write_text((run / "results.json").read_text())
    told = refusal(command("results", "export", "results.json", "--latency-log", "x.log"))
    assert "--record-requests" in told
