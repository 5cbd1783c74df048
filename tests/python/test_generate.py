"""Generated traces: by keywords, by file, by fio options; and straight into a run."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

import reclaim
from conftest import DEVICE, Command, parsed
from reclaim.trace.generate import fio_job

SPEC = """generator = 1
requests = 2000
size = "4KiB"
operations = { write = 0.8 }
arrivals = { kind = "poisson", interval = "500us" }

[address]
kind = "hot-cold"
footprint = "4MiB"
zones = [{ space = 0.2, access = 0.8 }, { space = 0.8, access = 0.2 }]
"""


def test_a_description_runs_as_a_trace(command: Command, tmp_path: Path) -> None:
    (tmp_path / "hot.toml").write_text(SPEC)
    result = parsed(command("run", "hot.toml", "--device", DEVICE, "--warmup", "empty", "--json"))
    assert result["trace"]["provenance"] == "generated"
    assert result["requests"]["write"]["count"] == 1600


def test_file_keywords_and_what_is_written_are_the_same_trace(command: Command, tmp_path: Path) -> None:
    (tmp_path / "hot.toml").write_text(SPEC)
    for target in ("hot.csv", "again.toml"):
        assert command("trace", "generate", "hot.toml", target).returncode == 0
    traces = [reclaim.open_trace(tmp_path / name) for name in ("hot.toml", "hot.csv", "again.toml")]
    keywords = {key: value for key, value in tomllib.loads(SPEC).items() if key != "generator"}
    traces.append(reclaim.generate_trace(**keywords))
    assert len({trace.summary()["content_hash"] for trace in traces}) == 1


def test_fio_options_make_their_trace(command: Command, tmp_path: Path) -> None:
    options = "rw=randrw rwmixread=70 bssplit=4k/75:64k/25 size=64m iodepth=32 number_ios=1000"
    rates = "random_distribution=zipf:1.2 rate_iops=1000 rate_process=poisson"
    done = command("trace", "generate", *options.split(), *rates.split(), "fio.csv")
    assert done.returncode == 0, done.stderr
    assert "--queue-depth" in done.stderr
    summary = reclaim.open_trace(tmp_path / "fio.csv").summary()
    assert (summary["reads"], summary["writes"]) == (700, 300)
    assert summary["write_bytes"] == 225 * 4096 + 75 * 65536
    # 1000 reads a second are 1429 requests, of which 429 are writes: below their rate, to keep the mix.
    assert 0.85e9 < summary["span_ns"] * 10 / 7 < 1.15e9
    assert "428.571" in done.stderr
    assert summary["max_end_bytes"] <= 64 << 20


@pytest.mark.parametrize(
    ("job", "reads", "writes", "covered"),
    [
        ({"rw": "write", "bs": "64k", "size": "8m"}, 0, 128, 1),
        ({"rw": "randwrite", "bs": "64k", "size": "8m"}, 0, 128, 1),
        ({"rw": "randwrite", "norandommap": 1}, 0, 256, 0.75),
        # Reads and writes share fio's random map.
        ({"rw": "randrw"}, 128, 128, 1),
        ({"rw": "randrw", "norandommap": 1}, 128, 128, 0.75),
    ],
)
def test_fio_jobs_cover_their_size(job: dict[str, Any], reads: int, writes: int, covered: float) -> None:
    job = {"bs": "4k", "size": "1m"} | job
    summary = reclaim.fio_trace(**job).summary()
    assert (summary["reads"], summary["writes"]) == (reads, writes)
    share = summary["footprint_bytes"] / (int(job["size"][:-1]) << 20)
    assert share == 1 if covered == 1 else share < covered


@pytest.mark.parametrize(
    ("more", "requests"),
    [
        ({}, 256),
        ({"number_ios": 100}, 100),
        ({"io_size": "4m"}, 1024),
        ({"rate_iops": 1000, "runtime": "100ms"}, 100),
        ({"rate_iops": 1000, "runtime": "100ms", "number_ios": 50}, 50),
        ({"rate_iops": 1000, "runtime": 10, "time_based": 1}, 10_000),
        ({"rate_iops": 1000, "runtime": 10, "time_based": 1, "number_ios": 2000}, 2000),
    ],
)
def test_a_fio_job_ends_with_what_comes_first(more: dict[str, Any], requests: int) -> None:
    trace = reclaim.fio_trace(rw="randwrite", bs="4k", size="1m", **more)
    assert trace.summary()["requests"] == requests


@pytest.mark.parametrize(
    ("more", "reads", "writes"),
    [
        ({"rate_iops": "1000"}, 1000, 1000),
        ({"rate_iops": "1000,500"}, 1000, 500),
        ({"rate_iops": "1000,500", "rwmixread": 50}, 500, 500),
        ({"rate_iops": "1000", "rwmixread": 80}, 1000, 250),
        ({"rw": "randwrite", "rate_iops": ",500"}, 0, 500),
    ],
)
def test_a_fio_rate_holds_for_each_direction(more: dict[str, Any], reads: int, writes: int) -> None:
    job = {"rw": "randrw", "bs": "4k", "size": "1m", "runtime": "10s", "time_based": 1} | more
    summary = reclaim.fio_trace(**job).summary()
    assert (summary["reads"], summary["writes"]) == (10 * reads, 10 * writes)
    assert summary["span_ns"] == pytest.approx(10e9, rel=1e-3)


def test_what_differs_from_fio_is_said() -> None:
    (note,) = fio_job({"rw": "randwrite", "number_ios": "1000", "size": "1m"}).notes
    assert all(part in note for part in ("256", "number_ios"))
    assert fio_job({"rw": "randrw", "size": "1m"}).notes == []
    (note,) = fio_job({"rw": "randwrite", "size": "1m", "runtime": "60"}).notes
    assert all(part in note for part in ("runtime", "256", "rate_iops"))


def test_a_fio_job_file(command: Command, tmp_path: Path) -> None:
    job = "[global]\nbs=8k\nioengine=libaio\n[mix]\nrw=randwrite\nsize=1m\nnorandommap\n"
    (tmp_path / "job.fio").write_text(job)
    assert command("trace", "generate", "job.fio", "job.csv").returncode == 0
    assert reclaim.open_trace(tmp_path / "job.csv").summary()["requests"] == 128


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ("rw=randrw size=1g rate_iops=,500", "rate_iops"),
        ("rw=randrw size=1g rate_iops=1,x", 'rate_iops "x"'),
        ("rw=randwrite size=1g bssplit=4k/75:64k/24.5", "bssplit .*do not add up to 100"),
        ("rw=randwrite size=1g bssplit=4k/75:64k/25.5", "bssplit .*do not add up to 100"),
        ("rw=randwrite sise=1g", 'sise .*did you mean "size"'),
        ("rw=randwrite size=1g rwmixread=10", "rwmixread"),
        ("rw=randwrite size=1g random_distribution=pareto:0.5", "random_distribution .*zipf"),
        ("rw=write size=1g random_distribution=zipf:1", "random_distribution"),
        ("rw=randwrite size=1g random_distribution=zoned:50/x", "random_distribution .*zoned:60/10"),
    ],
)
def test_fio_options_without_a_meaning_are_refused(options: str, named: str) -> None:
    with pytest.raises(reclaim.InputError, match=named):
        fio_job(dict(each.split("=") for each in options.split()))
