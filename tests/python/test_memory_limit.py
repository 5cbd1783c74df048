"""A run beyond the memory is refused before it begins."""

from __future__ import annotations

from pathlib import Path

import pytest

import reclaim
from conftest import DEVICE
from reclaim import _core


def test_a_run_beyond_the_memory_is_refused_unless_told_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    drive = reclaim.Device.preset(DEVICE)
    writes = reclaim.uniform_trace(footprint_bytes=1 << 20, count=10, mean_interarrival_ns=100_000)
    monkeypatch.setenv("RECLAIM_MEMORY_LIMIT", "20MiB")
    with pytest.raises(reclaim.InputError, match=r"a run of .* MiB of memory.*RECLAIM_MEMORY_LIMIT"):
        reclaim.simulate(drive, writes, warn=False)
    monkeypatch.setenv("RECLAIM_MEMORY_LIMIT", "much")
    with pytest.raises(reclaim.InputError, match='RECLAIM_MEMORY_LIMIT="much": expected a size'):
        reclaim.simulate(drive, writes, warn=False)
    for enough in ("unlimited", "2GiB"):
        monkeypatch.setenv("RECLAIM_MEMORY_LIMIT", enough)
        assert reclaim.simulate(drive, writes, warn=False).write.count == 10
    monkeypatch.delenv("RECLAIM_MEMORY_LIMIT")
    assert reclaim.simulate(drive, writes, warn=False).write.count == 10


@pytest.mark.skipif(not Path("/proc/meminfo").exists(), reason="only Linux says what memory it has")
def test_a_drive_larger_than_any_memory_is_refused() -> None:
    pages = {"geometry.blocks_per_plane": 100_000, "geometry.pages_per_block": 300}
    drive = reclaim.Device.preset("gc-bypass").with_settings(pages)
    needed = drive.facts()["run_memory_bytes"]
    assert needed > 30 * 10**9
    told = dict(line.split(":") for line in Path("/proc/meminfo").read_text().splitlines())
    if int(told["MemAvailable"].split()[0]) * 1024 > needed:
        pytest.skip("this computer has it")
    writes = reclaim.uniform_trace(footprint_bytes=1 << 20, count=10, mean_interarrival_ns=100_000)
    with pytest.raises(reclaim.InputError, match="memory, and may use"):
        reclaim.simulate(drive, writes, warn=False)


def groups(root: Path, told: str, files: dict[str, str]) -> int | None:
    """What is left of the limits of control groups on a computer with these files."""
    for name, text in ({"proc/self/cgroup": told} | files).items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return _core.memory_of_groups(root)


def second(group: str, limit: str, taken: int, dropped: int = 0) -> dict[str, str]:
    place = f"sys/fs/cgroup{group}"
    stat = f"anon 5\ninactive_file {dropped}\nactive_file 3\n"
    return {
        f"{place}/memory.max": f"{limit}\n",
        f"{place}/memory.current": f"{taken}\n",
        f"{place}/memory.stat": stat,
    }


def first(group: str, limit: int, taken: int) -> dict[str, str]:
    place = f"sys/fs/cgroup/memory{group}"
    stat = "total_inactive_file 7\ntotal_active_file 1\ninactive_file 100\n"
    return {
        f"{place}/memory.limit_in_bytes": f"{limit}\n",
        f"{place}/memory.usage_in_bytes": f"{taken}\n",
        f"{place}/memory.stat": stat,
    }


JOB = "/slurm/job_7/step_0"


@pytest.mark.parametrize(
    ("told", "files", "left"),
    [
        # The group of a job, below the root of the computer, which has no limit.
        (f"0::{JOB}\n", second(JOB, "1000", 400, 20), 1000 - (400 - 23)),
        # A step without a limit of its own, in a job with one.
        (f"0::{JOB}\n", second(JOB, "max", 400) | second("/slurm/job_7", "900", 500), 900 - 497),
        (f"0::{JOB}\n", second(JOB, "5000", 400) | second("/slurm", "900", 500), 900 - 497),
        # A container: its path is known outside only.
        ("0::/docker/4f1\n", second("", "1000", 100), 1000 - 97),
        ("0::/\n", second("", "1000", 2000), 0),
        # Version 1, alone and beside the other.
        (f"9:memory:{JOB}\n3:cpu,cpuacct:/\n", first(JOB, 1000, 400), 1000 - 392),
        (
            f"9:cpu,memory:{JOB}\n0::/user\n",
            first(JOB, 2**63 - 4096, 400) | first("/slurm", 800, 400),
            800 - 392,
        ),
        ("0::/\n", {}, None),
    ],
)
def test_limits_of_nested_groups_count(
    tmp_path: Path, told: str, files: dict[str, str], left: int | None
) -> None:
    assert groups(tmp_path, told, files) == left


def test_the_limit_of_a_batch_system_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SLURM_MEM_PER_NODE", "SLURM_MEM_PER_CPU", "SLURM_CPUS_ON_NODE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("SLURM_MEM_PER_NODE", "1")
    assert _core.memory_limit() == 0
    monkeypatch.delenv("SLURM_MEM_PER_NODE")
    monkeypatch.setenv("SLURM_MEM_PER_CPU", "500")
    monkeypatch.setenv("SLURM_CPUS_ON_NODE", "2")
    found = _core.memory_limit()
    assert found is not None
    assert found < 1000 << 20
