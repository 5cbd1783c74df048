"""The paper on deferred GC over RAID-5 as it ships: its numbers are all there, its example plays as told."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl
import pytest

from deferred_raid import figures
from deferred_raid.example import GIB, TARGET, Example, extra_bits, table_bytes
from deferred_raid.gains import DGC, RAID5, WORKLOADS, Cells
from deferred_raid.statements import NAMES, SHAPES
from reclaim.papers.paper import load_paper

CLAIMS = 72
"""That the paper makes: abstract to conclusion."""


def test_every_printed_claim_is_there() -> None:
    claims = load_paper("deferred-raid").expected.claims
    assert len(claims) == CLAIMS
    printed = {each.id: each.value for each in claims if each.kind == "ratio"}
    assert printed["f8-avg-total-mean"] == 22.9
    assert printed["f9-p99-read-hm0"] == 81.9


@pytest.fixture(scope="module")
def example() -> Mapping[str, float]:
    """The value of every figure that needs no sweep."""
    found = figures("quick", lambda *_: None)
    return {name: each.figure.value for name, each in found.items() if each.figure is not None}


def test_every_claim_has_a_figure(example: Mapping[str, float]) -> None:
    claims = load_paper("deferred-raid").expected.claims
    lacking = [each.figure for each in claims if each.figure and each.figure not in {*example, *NAMES}]
    assert lacking == []


def test_the_example_of_figures_3_and_5(example: Mapping[str, float]) -> None:
    operations = [example[f"{name}-writes"] for name in ("w0", "w1", "w2")]
    assert operations == [4, 2, 3]
    assert [example[name] for name in ("w1-reads", "w2-reads")] == [2, 1]
    shapes = ("w0-rebuilds", "w1-updates", "w2-rebuilds", "w2-collects", "idle-chips", "target")
    assert all(example[name] == 1 for name in shapes)
    assert example["warned"] == 0, "the paper warns W0 on chip 0; here a page of W2 is redirected"
    assert 2.4 < example["slots"] < 2.5, "W2 takes as long as 2.4 times W0"
    assert example["example-better"] < 0.5
    assert example["reliability"] == 0, "by the paper's own rule pages of a stripe meet on a chip"


@pytest.mark.parametrize(("name", "chip"), [("w0", 0), ("w1", 6), ("w2", 4)])
def test_the_page_that_leaves_its_chip_is_of_w2(name: str, chip: int) -> None:
    """Page 0 of W0 stays on chip 0; page 6 of W2, at home on chip 0, lies on chip 4."""
    there = {at: Example.of(DGC, {TARGET: at}, read=name).counted["degraded_reads"] for at in (0, 4, 6)}
    assert there == {at: int(at == chip) for at in (0, 4, 6)}


def test_the_mapping_table() -> None:
    assert extra_bits(64) == 7
    assert table_bytes(256 * GIB, 64) == 512 * 2**20
    assert table_bytes(256 * GIB, extra_bits(64)) == 56 * 2**20


def test_no_mean_of_an_idle_drive_counts_as_the_paper_s() -> None:
    claims = {each.id: each for each in load_paper("deferred-raid").expected.claims}
    assert all("channel rate" in claims[name].open for name in ("f8-avg-total-mean", "f8-avg-write-mean"))
    assert claims["s33-gc-degrades"].missing
    assert claims["f11-reason-fewer-candidates"].outside


def test_waiting_is_told_of_wdev_apart_from_the_others() -> None:
    def cells(**shares: float) -> Cells:
        base = {f"{kind}_{part}": 0.0 for kind in ("read", "write") for part in ("count", "mean_ns")}
        parts = {f"{kind}_breakdown_{part}_ns": 0.0 for kind in ("read", "write") for part in ("gc", "queue")}
        point = {**base, **parts, "scheme": RAID5, "repeat": 0, "write_count": 1.0, "write_mean_ns": 100.0}
        rows = [
            {**point, "trace": name, "write_breakdown_gc_ns": shares.get(name, 60.0)} for name in WORKLOADS
        ]
        return Cells(pl.DataFrame(rows), pl.DataFrame())

    holds = SHAPES["wdev-is-other"]
    assert holds(cells(wdev_0=10.0), 0)
    assert not holds(cells(), 0), "wdev_0 waits as the others"
    assert not holds(cells(**dict.fromkeys(WORKLOADS, 10.0)), 0), "the others do not wait, either"


def test_ratios_are_of_all_requests_together() -> None:
    def point(scheme: str, name: str, read_ns: float, write_ns: float) -> dict[str, object]:
        return {
            "point": f"{scheme} {name}",
            "trace": name,
            "scheme": scheme,
            "repeat": 0,
            "read_count": 3,
            "read_mean_ns": read_ns,
            "write_count": 1,
            "write_mean_ns": write_ns,
        }

    points = [point(RAID5, name, 100, 500) for name in WORKLOADS]
    points += [point(DGC, name, 100, 300) for name in WORKLOADS]
    buckets = [
        {"point": each["point"], "class": "write", "upper_ns": upper, "count": count}
        for each in points
        for upper, count in ((10, 98), (20, 1), (40 if DGC in str(each["point"]) else 80, 1))
    ]
    cells = Cells(pl.DataFrame(points), pl.DataFrame(buckets))
    assert cells.ratio("mean", "total", "hm_0", 0) == pytest.approx(600 / 800)
    assert cells.ratio("p99", "total", "hm_0", 0) == 1, "both reach 99 % at 20 ns"
