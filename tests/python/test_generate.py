"""Generated traces: by keywords, by file, by fio options; and straight into a run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import reclaim
from conftest import DEVICE, Command
from reclaim.traces.generate import fio_job, write_trace

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
    done = command("run", "hot.toml", "--device", DEVICE, "--warmup", "empty", "--json")
    assert done.returncode in {0, 1}, done.stderr
    result = json.loads(done.stdout)
    assert result["trace"]["provenance"] == "generated"
    assert result["requests"]["write"]["count"] == 1600


def test_what_is_written_is_the_same_trace(command: Command, tmp_path: Path) -> None:
    (tmp_path / "hot.toml").write_text(SPEC)
    for target in ("hot.csv", "again.toml"):
        done = command("trace", "generate", "hot.toml", target)
        assert done.returncode == 0, done.stderr
    hashes = {
        reclaim.open_trace(tmp_path / name).summary()["content_hash"]
        for name in ("hot.toml", "hot.csv", "again.toml")
    }
    assert len(hashes) == 1


def test_keywords_and_file_describe_the_same_trace(tmp_path: Path) -> None:
    (tmp_path / "hot.toml").write_text(SPEC)
    trace = reclaim.generate_trace(
        requests=2000,
        size="4KiB",
        operations={"write": 0.8},
        arrivals={"kind": "poisson", "interval": "500us"},
        address={
            "kind": "hot-cold",
            "footprint": "4MiB",
            "zones": [{"space": 0.2, "access": 0.8}, {"space": 0.8, "access": 0.2}],
        },
    )
    assert (
        trace.summary()["content_hash"] == reclaim.open_trace(tmp_path / "hot.toml").summary()["content_hash"]
    )


def test_a_trace_is_no_description(command: Command, trace_file: Path) -> None:
    done = command("trace", "generate", trace_file, "out.csv")
    assert done.returncode == 2
    assert "not the description" in done.stderr
    with pytest.raises(reclaim.InputError, match="not generated"):
        write_trace(reclaim.open_trace(trace_file), "x.toml")


def test_fio_options_make_their_trace(command: Command, tmp_path: Path) -> None:
    options = [
        "rw=randrw",
        "rwmixread=70",
        "bssplit=4k/75:64k/25",
        "size=64m",
        "iodepth=32",
        "number_ios=1000",
    ]
    rates = ["random_distribution=zipf:1.2", "rate_iops=1000", "rate_process=poisson"]
    done = command("trace", "generate", *options, *rates, "fio.csv")
    assert done.returncode == 0, done.stderr
    assert "--queue-depth" in done.stderr
    summary = reclaim.open_trace(tmp_path / "fio.csv").summary()
    assert (summary["reads"], summary["writes"]) == (700, 300)
    assert summary["write_bytes"] == 225 * 4096 + 75 * 65536
    # 1000 reads a second are 1429 requests, of which 429 are writes: below their rate, to keep the mix.
    assert 0.85e9 < summary["span_ns"] * 10 / 7 < 1.15e9
    assert "writes come at 428.571 per second" in " ".join(done.stderr.split())
    assert summary["max_end_bytes"] <= 64 << 20


def test_fio_sequential_and_random_cover_their_size() -> None:
    for rw in ("write", "randwrite"):
        summary = reclaim.fio_trace(rw=rw, bs="64k", size="8m").summary()
        assert (summary["requests"], summary["write_footprint_bytes"]) == (128, 8 << 20)
    repeated = reclaim.fio_trace(rw="randwrite", bs="4k", size="8m", norandommap=1).summary()
    assert repeated["write_footprint_bytes"] < 6 << 20


@pytest.mark.parametrize(
    ("more", "requests"),
    [
        ({}, 256),
        ({"number_ios": 100}, 100),
        ({"number_ios": 1000}, 256),
        ({"io_size": "4m"}, 1024),
        ({"io_size": "4m", "number_ios": 1000}, 1000),
        ({"rate_iops": 1000, "runtime": 10}, 256),
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
    ],
)
def test_a_fio_rate_holds_for_each_direction(more: dict[str, Any], reads: int, writes: int) -> None:
    summary = reclaim.fio_trace(
        rw="randrw", bs="4k", size="1m", runtime="10s", time_based=1, **more
    ).summary()
    assert (summary["reads"], summary["writes"]) == (10 * reads, 10 * writes)
    assert summary["span_ns"] == pytest.approx(10e9, rel=1e-3)


def test_fio_rates_of_one_direction() -> None:
    summary = reclaim.fio_trace(rw="randwrite", bs="4k", size="1m", rate_iops=",500").summary()
    assert summary["span_ns"] == 255 * 2_000_000


def test_what_differs_from_fio_is_said(command: Command) -> None:
    done = command("trace", "generate", "rw=randwrite", "number_ios=1000", "size=1m", "out.csv")
    assert done.returncode == 0, done.stderr
    assert "size ends the job after 256 requests, before number_ios" in " ".join(done.stderr.split())
    assert fio_job({"rw": "randrw", "size": "1m"}).notes == []


def test_reads_and_writes_share_fio_s_random_map() -> None:
    once = reclaim.fio_trace(rw="randrw", bs="4k", size="1m").summary()
    assert (once["reads"], once["writes"], once["footprint_bytes"]) == (128, 128, 1 << 20)
    drawn = reclaim.fio_trace(rw="randrw", bs="4k", size="1m", norandommap=1).summary()
    assert drawn["footprint_bytes"] < 0.75 * (1 << 20)


def test_a_fio_job_file(command: Command, tmp_path: Path) -> None:
    (tmp_path / "job.fio").write_text(
        "[global]\nbs=8k\nioengine=libaio\n[mix]\nrw=randwrite\nsize=1m\nnorandommap\n"
    )
    done = command("trace", "generate", "job.fio", "job.csv")
    assert done.returncode == 0, done.stderr
    assert reclaim.open_trace(tmp_path / "job.csv").summary()["requests"] == 128
    (tmp_path / "two.fio").write_text("[a]\nrw=write\nsize=1m\n[b]\nrw=read\nsize=1m\n")
    done = command("trace", "generate", "two.fio", "two.csv")
    assert done.returncode == 2
    assert "a, b" in done.stderr


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rw": "randwrit", "size": "1g"}, "randwrite"),
        ({"rw": "randwrit", "size": "1g"}, 'did you mean "randwrite"'),
        ({"rw": "randread", "size": "1g", "random_distribution": "zipff:1"}, 'did you mean "zipf"'),
        ({"rw": "randrw", "size": "1g", "rate_iops": ",500"}, "gives reads no rate"),
        ({"rw": "randrw", "size": "1g", "rate_iops": "1,x"}, "not a number"),
        ({"rw": "randrw", "size": "1g", "time_based": "1"}, "time_based needs runtime"),
        ({"rw": "randwrite"}, "size is missing"),
        ({"rw": "randwrite", "sise": "1g"}, 'did you mean "size"'),
        ({"rw": "randwrite", "size": "1g", "numjobs": "4"}, "numjobs is not a fio option known here"),
        ({"rw": "randwrite", "size": "many"}, "not a size"),
        ({"rw": "randwrite", "size": "1g", "bssplit": "4k/80:8k/10"}, "do not add up"),
        ({"rw": "randwrite", "size": "1g", "rwmixread": "10"}, "rwmixread needs"),
        ({"rw": "randwrite", "size": "1g", "runtime": "60"}, "rate_iops"),
        ({"rw": "randwrite", "size": "1g", "random_distribution": "pareto:0.5"}, "zipf"),
        ({"rw": "write", "size": "1g", "random_distribution": "zipf:1"}, "random addresses"),
        ({"rw": "randwrite", "size": "1g", "random_distribution": "zoned:50/x"}, "zoned:60/10"),
    ],
)
def test_fio_options_without_a_meaning_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(reclaim.InputError, match=message):
        fio_job(options)
