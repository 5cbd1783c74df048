"""A run beyond the memory is refused before it begins."""

from __future__ import annotations

from pathlib import Path

import pytest

import reclaim
from conftest import DEVICE


def test_a_run_beyond_the_memory_is_refused_unless_told_otherwise(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
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
