"""Figures against those that others measured of the same traces, where a checkout has them beside it."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

import reclaim

REPOSITORY = Path(__file__).parents[2]
TABLES = REPOSITORY / "python" / "reclaim" / "data" / "published-figures" / "msr-like"
SHARED = REPOSITORY.parent / "shared"
MEASURED = SHARED / "reference" / "msr" / "first-million-characteristics.txt"
READS = SHARED / "traces" / "public" / "msr_prxy_0_reads" / "PRXY_0_read.zst"
SECTOR = 512
VOLUMES = ("hm_0", "hm_1", "prn_0", "prxy_0", "rsrch_0", "stg_0")


@pytest.fixture(scope="module")
def measured() -> dict[str, dict[str, float]]:
    """Characteristics of the first million requests of volumes, by another program; sizes in sectors."""
    if not MEASURED.is_file():
        pytest.skip(f"skipped: there is no {MEASURED}")
    found: dict[str, dict[str, float]] = {}
    for line in MEASURED.read_text().splitlines():
        head = re.fullmatch(r"\*+trace/(\w+) statistics\*+", line.strip())
        if head:
            found[head[1].lower()] = {}
        for key, value in re.findall(r"([a-z][a-z ]*?)\s*=\s*([\d.]+)", line):
            found[list(found)[-1]][key] = float(value)
    return found


@pytest.mark.parametrize("volume", VOLUMES)
def test_a_stand_in_is_fitted_to_what_was_measured(
    volume: str, measured: dict[str, dict[str, float]]
) -> None:
    figures = tomllib.loads((TABLES / f"{volume}.toml").read_text())["figures"]
    known = measured["rsrch" if volume == "rsrch_0" else volume]
    requests = known["read number"] + known["write number"]
    assert figures["requests"]["total"] == requests
    assert figures["requests"]["write_ratio"] == pytest.approx(known["write number"] / requests, abs=0.0006)
    # The paper's table is in tenths of a KiB, and up to 1.6 % away.
    means = {op: figures["sizes"][op]["mean_bytes"] for op in ("read", "write")}
    expected = {op: known[f"{op} average request size"] * SECTOR for op in means}
    assert means == pytest.approx(expected, rel=0.02)
    rewritten = known["update write size"] / known["write request size"]
    assert figures["overwrites"]["overwrite_ratio"] == pytest.approx(rewritten, abs=0.0001)
    rate = 1000 / known["time interval"]
    assert figures["arrivals"]["requests_per_s"] == pytest.approx(rate, rel=0.001)


@pytest.mark.skipif(not READS.is_file(), reason=f"skipped: there is no {READS}")
def test_reads_of_a_volume_are_as_another_program_measured_them(
    measured: dict[str, dict[str, float]],
) -> None:
    found = reclaim.open_trace(READS, format="disksim").characteristics()
    known = measured["prxy_0"]
    # Two of the reads are missing in this piece.
    assert found["requests"]["reads"] == pytest.approx(known["read number"], abs=2)
    assert found["requests"]["read_bytes"] == pytest.approx(known["read request size"] * SECTOR, rel=1e-3)
    mean = found["sizes"]["read"]["mean_bytes"] / SECTOR
    assert mean == pytest.approx(known["read average request size"], abs=0.05)
