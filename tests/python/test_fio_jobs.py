"""Jobs of fio as they are: clones, sections side by side and in turn, in the shapes of fio's own examples."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import reclaim
from conftest import Command, refusal
from page_samples import ROOT
from reclaim.trace.generate import JobSection, fio_job, fio_jobs, jobs_trace, read_jobs

SHAPES = {
    "clones with a mix and zones, as JESD219 has them": (
        (
            "[global]\nioengine=libaio\ndirect=1\nrw=randrw\nnorandommap\nrandrepeat=0\nrwmixread=40\nrwmixwrite=60\n"
            "iodepth=256\nnumjobs=4\nbssplit=512/4:1024/1:4k/87:64k/8\nblockalign=4k\n"
            "random_distribution=zoned:50/5:30/15:20/\nfilename=/dev/nvme0n1\ngroup_reporting=1\nsize=8m\n[work]\n"
        ),
        {"jobs": 4, "phases": 1, "depth": 1024, "end": 8 << 20},
    ),
    "a fill, then clones of random writes": (
        (
            "; steady state\n[global]\ndirect=1\nfilename=/dev/fioa\nsize=4m\nioengine=libaio\n\n"
            "[fill]\ndescription=a fill\nrw=write\nbs=1M\niodepth=16\n"
            "[writes]\nstonewall\nrw=randwrite\nbs=4K\niodepth=32\nnumjobs=4\nwrite_bw_log=x\n"
        ),
        {"jobs": 5, "phases": 2, "depth": 128, "end": 4 << 20},
    ),
    "jobs that wait for others by name": (
        (
            "[global]\nfilesize=1m\nfilename=f\n[w]\nrw=write\nbs=128k\nnumjobs=2\nruntime=10 # s\n"
            "[r]\nnew_group\nwait_for=w\nrw=randread\nbs=4k\n"
        ),
        {"jobs": 3, "phases": 2, "depth": 2, "end": 1 << 20},
    ),
    "four phases on files of their own": (
        (
            "[global]\nsize=1m\nbsrange=4k-4k\ntimeout=60\nnumjobs=4\t; at once\n[a]\nrw=write\n[b]\n"
            "stonewall\nrw=randwrite\n[c]\nstonewall=1\nrw=read\n[d]\nstonewall\nrw=randread\n"
        ),
        {"jobs": 16, "phases": 4, "depth": 4, "end": 16 << 20},
    ),
    "weights between jobs": (
        (
            "[global]\nnorandommap\nthread\ntime_based\nruntime=30\nsize=1m\nbs=8k\nfilename=t\nflow_sleep=1000\n"
            "[x]\nrw=write\nflow=1\n[y]\nrw=randread\nflow=8\n"
        ),
        {"jobs": 2, "phases": 1, "depth": 2, "end": 1 << 20},
    ),
    "clients that begin one after the other, by bandwidth": (
        ("[global]\nsize=64k\nrw=read\nrate=40960\nratemin=1024\n[a]\nstartdelay=0\n[b]\nstartdelay=4\n"),
        {"jobs": 2, "phases": 1, "depth": 2, "end": (1 << 20) + (64 << 10)},
    ),
}


def of(text: str, folder: Path, **more: str) -> Any:
    (folder / "j.fio").write_text(text)
    return fio_jobs(read_jobs(folder / "j.fio"), "j.fio", more)


@pytest.mark.parametrize(("text", "wanted"), SHAPES.values(), ids=SHAPES)
def test_jobs_in_the_shapes_of_fios_examples(text: str, wanted: dict[str, int], tmp_path: Path) -> None:
    jobs = of(text, tmp_path)
    found = {"jobs": len(jobs.parts), "phases": len({each.phase for each in jobs.parts}), "depth": jobs.depth}
    summary = jobs_trace(jobs, tmp_path, "t").summary()
    assert found | {"end": summary["max_end_bytes"]} == wanted
    assert summary["requests"] == sum(each.requests for each in jobs.parts)


def test_phases_follow_each_other_and_clones_take_turns(command: Command, tmp_path: Path) -> None:
    (tmp_path / "j.fio").write_text(SHAPES["a fill, then clones of random writes"][0])
    done = command("trace", "generate", "j.fio", "t.csv")
    assert done.returncode == 0, done.stderr
    assert "--mode closed-loop --queue-depth 128" in done.stderr
    rows = [line.split(",") for line in (tmp_path / "t.csv").read_text().splitlines()[1:]]
    assert {row[0] for row in rows} == {"0"}
    fill, writes = rows[:4], rows[4:]
    assert [(int(row[2]), int(row[3])) for row in fill] == [(at << 20, 1 << 20) for at in range(4)]
    assert len(writes) == 4096
    # Each of the four covers the file once: every page comes four times.
    assert sorted(int(row[2]) for row in writes) == sorted(4096 * at for at in range(1024) for _ in range(4))
    # Halfway all are halfway: no page has come more often than there are clones, few of them never.
    half = [int(row[2]) for row in writes[:2048]]
    assert 0.9 < len(set(half)) / 1024 < 0.97


def test_jobs_with_files_of_their_own_do_not_overlap(tmp_path: Path) -> None:
    text = "[global]\nsize=1m\nrw=write\nbs=64k\n[a]\n[b]\nnumjobs=2\n[c]\nfilename=x\n[d]\nfilename=x\n"
    jobs = of(text, tmp_path)
    begins = [int(each.job.description["address"].get("offset", "0B")[:-1]) >> 20 for each in jobs.parts]
    assert begins == [0, 1, 2, 3, 3]
    assert len({each.job.description["seed"] for each in jobs.parts}) == 5
    increment = of("[a]\nsize=1m\nfilename=x\nrw=write\nnumjobs=3\noffset_increment=2m\n", tmp_path)
    begins = [int(each.job.description["address"].get("offset", "0B")[:-1]) >> 20 for each in increment.parts]
    assert begins == [0, 2, 4]


def test_weights_of_jobs_are_kept(tmp_path: Path) -> None:
    trace = jobs_trace(of(SHAPES["weights between jobs"][0], tmp_path), tmp_path, "t")
    trace.convert(tmp_path / "t.csv")
    ops = [line.split(",")[1] for line in (tmp_path / "t.csv").read_text().splitlines()[1:]]
    # Both have 128 requests: until the reads end there are eight of them for each write.
    assert ops[:144].count("write") == pytest.approx(16, abs=1)


def test_rates_and_delays_are_times(tmp_path: Path) -> None:
    text = SHAPES["clients that begin one after the other, by bandwidth"][0]
    trace = jobs_trace(of(text, tmp_path), tmp_path, "t")
    # 16 requests of 4 KiB at 10 a second: the second client begins after 4 s.
    assert trace.summary()["span_ns"] == 5_500_000_000
    assert (
        reclaim.fio_trace(rw="write", bs="4k", size="64k", rate="40k").summary()["span_ns"] == 1_500_000_000
    )
    thinking = reclaim.fio_trace(rw="write", bs="4k", size="64k", thinktime="1000", thinktime_blocks=2)
    assert thinking.summary()["span_ns"] == 15 * 500_000
    ramped = reclaim.fio_trace(
        rw="write", bs="4k", size="64k", rate_iops=10, runtime="10s", ramp_time="5s", time_based=1
    )
    assert ramped.summary()["requests"] == 150


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("ramp_time=10", "--set measure.after=10s"),
        ("ramp_time=2m", "measure.after=2min"),
        ("ss=iops:10%", "--warmup workload"),
        ("randrepeat=0", "--draw N"),
        ("verify=crc32c", "are left out"),
        ("fsync=1", "flushes are left out"),
        ("thinktime=50us", "slower by its latency"),
        ("startdelay=5", "startdelay is left out"),
        ("runtime=60 time_based=1", "256"),
        ("time_based=1", "nothing without runtime"),
        ("iodepth=32 ioengine=libaio", "--queue-depth 32"),
        ("iodepth=32 ioengine=psync", "--queue-depth 1)"),
        ("numa_cpu_nodes=0", "how fio runs"),
    ],
)
def test_what_a_trace_cannot_hold_is_said(options: str, said: str) -> None:
    words = dict(each.split("=", 1) for each in options.split())
    notes = fio_job({"rw": "randwrite", "bs": "4k", "size": "1m", **words}).notes
    assert any(said in note for note in notes), notes


@pytest.mark.parametrize(
    ("more", "requests", "mean"),
    [
        ("rw=randwrite loops=3", 768, 4096),
        ("rw=randwrite bsrange=4k-12k", 128, 8192),
        ("rw=randread:8 number_ios=800", 256, 4096),
        ("rw=write nrfiles=4", 256, 4096),
        ("rw=write bs=$pagesize", 256, 4096),
        ("rw=write bs=0x1000", 256, 4096),
        ("rw=write filesize=2m size=50%", 256, 4096),
    ],
)
def test_how_many_requests_of_which_size(more: str, requests: int, mean: int) -> None:
    words = {"size": "1m", **dict(each.split("=", 1) for each in more.split())}
    if "bsrange" not in words:
        words = {"bs": "4k", **words}
    summary = reclaim.fio_trace(**words).summary()
    assert summary["requests"] == requests
    assert (summary["read_bytes"] + summary["write_bytes"]) / requests == pytest.approx(mean, rel=0.01)


def test_options_of_the_command_line(command: Command, tmp_path: Path) -> None:
    words = ("rw=randwrite", "bs=4k", "size=1m", "norandommap", "thread", "number_ios=100")
    assert command("trace", "generate", *words, "a.csv").returncode == 0
    assert len((tmp_path / "a.csv").read_text().splitlines()) == 101
    (tmp_path / "j.fio").write_text("[x]\nrw=write\nfilename=/dev/sda\n")
    told = refusal(command("trace", "generate", "j.fio", "b.csv"))
    assert "size is missing" in told
    assert command("trace", "generate", "j.fio", "size=64k", "bs=4k", "b.csv").returncode == 0
    assert len((tmp_path / "b.csv").read_text().splitlines()) == 17
    words = ("rw=write", "bs=4k", "size=1m", "numjobs=2", "c.toml")
    assert "no one description" in refusal(command("trace", "generate", *words))
    assert "several jobs" not in refusal(command("trace", "generate", "j.fio", "sise=1m", "c.csv"))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[a]\nrw=write\nsize=1m\nbs=4q\n", 'j.fio:4: bs "4q" is not a size'),
        ("[a]\nrw=write\nsize=1m\nzonemode=zbd\n", "j.fio:4: zonemode zones have no counterpart"),
        ("[a]\nioengine=cpuio\ncpuload=10\n", "j.fio:2: ioengine=cpuio keeps the processor busy"),
        ("[a]\nrw=write\nsize=1m\nsise=2m\n", 'j.fio:4: sise .*did you mean "size"'),
        ("rw=write\n[a]\n", "j.fio:1: .*before the first section"),
        ("[global]\nrw=write\n", "has no job"),
        ("[a\nrw=write\n", "j.fio:1: .*no section"),
        ("[a]\nrw = write\nsome words\n", "j.fio:3: .*no option"),
        ("[a]\nrw=write\nsize=1m\nnumjobs=0\n", "j.fio:4: numjobs must be from 1"),
        ("[a]\nrw=write\nsize=1m\nwait_for=b\n", "j.fio:4: wait_for b: no job above"),
        ("[a]\nrw=write\nsize=${NO_SUCH_THING}\n", "NO_SUCH_THING.* is not set"),
        ("[a]\nrw=write\nsize=1m\n[b]\nrw=read\nsize=1m\nrate_iops=10\n", r"\[b\] has a rate and \[a\] none"),
        ("[a]\nrw=read:-8k\nsize=1m\n", "j.fio:2: rw=read:-8k: .*backwards"),
        ("[a]\nrw=write\nsize=20%\n", "j.fio:3: size=20% is a share"),
        ("[a]\nrw=write\nsize=100t\nbs=4k\n[b]\nrw=read\nsize=1m\n", "more than can be put in order"),
    ],
)
def test_what_cannot_be_a_trace_names_its_line(text: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(reclaim.InputError, match=said):
        of(text, tmp_path)


def test_the_same_jobs_are_the_same_trace(tmp_path: Path) -> None:
    section = [JobSection("a", {"rw": "randwrite", "bs": "4k", "size": "1m", "numjobs": "3"}, {})]
    hashes = {
        jobs_trace(fio_jobs(section, "a"), tmp_path, f"t{at}").summary()["content_hash"] for at in (1, 2)
    }
    assert len(hashes) == 1
    with pytest.raises(reclaim.InputError, match="numjobs: several jobs"):
        reclaim.fio_trace(rw="write", size="1m", numjobs=2)


def test_the_table_of_a_folder_of_jobs(tmp_path: Path) -> None:
    """As `tools/fio_examples.py` makes it of fio's own examples."""
    for at, (text, _) in enumerate(SHAPES.values()):
        (tmp_path / f"{at}.fio").write_text(text)
    (tmp_path / "device.fio").write_text("[a]\nrw=randwrite\nfilename=/dev/sda\n")
    (tmp_path / "zones.fio").write_text("[a]\nrw=write\nzonemode=zbd\n")
    done = subprocess.run(
        [sys.executable, ROOT / "tools" / "fio_examples.py", tmp_path],
        capture_output=True,
        text=True,
        check=True,
    )
    lines = done.stdout.splitlines()
    assert lines[-1] == f"{len(SHAPES) + 2} files: {len(SHAPES)} as it is, 1 with size=64m, 1 not"
    assert any("zones.fio" in line and "no counterpart" in line for line in lines)
