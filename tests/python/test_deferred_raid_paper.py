"""The paper on deferred GC over RAID-5 as it ships: its numbers are all there, its example plays as told."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from deferred_raid import figures, parts, printed_figures, weeks
from deferred_raid.example import GIB, TARGET, Example, extra_bits, table_bytes
from deferred_raid.gains import DGC, RAID5, WORKLOADS, Cells
from deferred_raid.statements import NAMES, SHAPES
from reclaim.papers.custom import Ran
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
    assert 2.4 < example["part of slots"] < 2.5, "W2 takes as long as 2.4 times W0"
    assert example["slots"] == 3, "so it ends in the third slot"
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


def _week(scheme: str, name: str, write_ns: float, jobs: int) -> dict[str, object]:
    """A point of a thousand writes of a page and its parity, and as many reads, beside what it redirects."""
    return {
        "point": f"{scheme} {name}",
        "trace": name,
        "trace_hash": name,
        "scheme": scheme,
        "repeat": 0,
        "redundancy.stripe_chips": "8",
        "experiment_key": "weeks",
        "load": "own",
        "vary": "",
        "read_count": 1000,
        "write_count": 1000,
        "mean_latency_ns": (write_ns + 100_000) / 2,
        "write_mean_ns": write_ns,
        "write_p99_ns": 2 * write_ns,
        "write_p99_9_ns": 3 * write_ns,
        "read_mean_ns": 100_000.0,
        "read_p99_ns": 100_000.0,
        "read_p99_9_ns": 200_000.0,
        "flash_host_programs": 1000,
        "flash_parity_programs": 1000,
        "gc_jobs": jobs,
        "gc_valid_pages_per_victim": 2.0,
        "gc_write_amplification": 2.0,
        "gc_deferral_redirects": None if scheme == RAID5 else 50,
        "gc_deferral_idle_jobs": None if scheme == RAID5 else 25,
        "utilisation_die": 0.25,
        "wear_max_erases": 3,
    }


def _ran(folder: Path) -> Ran:
    """Whole weeks of all workloads; parts and the lowest of equals of one."""
    rows = [_week(RAID5, name, 600_000, 100) for name in WORKLOADS]
    rows += [_week(DGC, name, 300_000 if name == "hm_0" else 450_000, 100) for name in WORKLOADS]
    rows[-1] = _week(DGC, "wdev_0", 540_000, 100)
    alone = {**_week("redirection alone", "hm_0", 900_000, 100), "experiment_key": "parts"}
    other = {**_week("raid5, any", "hm_0", 500_000, 100), "experiment_key": "parts"}
    both = {**_week("dgc, any", "hm_0", 400_000, 100), "experiment_key": "parts"}
    lowest = {**_week("dgc, lowest", "hm_0", 600_000, 100), "experiment_key": "ties"}
    flash = {"t_read": "25us", "t_program": "200us"}
    for row in (*rows, lowest):
        result = {
            "facts": {"erase_ns": 1_500_000, "unloaded_write_ns": 420_000},
            "config": {"flash": flash, "geometry": {"pages_per_block": 32}},
            "planes": {"jobs": [30, 10, 60] if row is lowest else [30, 40, 30]},
        }
        place = folder / str(row["experiment_key"]) / "points" / str(row["point"])
        place.mkdir(parents=True)
        (place / "results.json").write_text(json.dumps(result))
    busy = [
        {
            **_week(scheme, "hm_0", write_ns, 100),
            "experiment_key": "loaded",
            "redundancy.stripe_chips": None,
        }
        for scheme, write_ns in ((RAID5, 800_000), (DGC, 600_000))
    ]
    return Ran("default", "own", pl.DataFrame([*rows, alone, other, both, lowest, *busy]), folder)


def test_figures_of_whole_weeks(tmp_path: Path) -> None:
    """Writes gain 50, 25, 25, 25 and 10 per cent: 27 on average. A reader gains nothing of its own."""
    found = {name: each.figure.value for name, each in weeks.of_runs(_ran(tmp_path)).items() if each.figure}
    assert found["full: mean write"] == pytest.approx(27)
    assert found["full: mean read"] == 0
    assert found["full: mean total, hm_0"] == pytest.approx(100 * 300 / 700)
    assert found["full: ranked as printed"] == 1
    assert found["full: amplification, hm_0"] == 1
    # A tenth of the writes waits for 1500 us and two pages of 225 us: 195 us beside 420.
    by_hand = 100 * 195 / 615
    assert found["full: by hand, farthest off"] == pytest.approx(by_hand - 10)
    # Of a page and its parity one ends a block by 63 in 1024.
    assert found["full: by hand, writes of one page"] == pytest.approx(100 * 92.285 / 512.285, abs=1e-3)
    assert found["parts: redirection alone, writes, hm_0"] == pytest.approx(-50)
    assert found["parts: dgc, any, writes"] == pytest.approx(20), "beside RAID-5 with the same trigger"
    assert found["loaded: dgc, writes"] == pytest.approx(25)
    assert found["loaded: dgc, reads"] == 0
    assert found["loaded: dgc, written beside"] == 0
    assert found["loaded: dgc, idle jobs, hm_0"] == 25
    assert found["loaded: raid5, utilization, hm_0"] == 25
    assert [found[f"ties: {each}, hm_0, most jobs"] for each in ("dgc", "dgc, lowest")] == [40, 60]
    assert found["ties: dgc, lowest, hm_0, typical jobs"] == 30


def test_tables_of_whole_weeks(tmp_path: Path) -> None:
    """Of two pages of a write each ends a block of 32 by a chance of 1 in 32: 63 in 1024."""
    ran = _ran(tmp_path)
    tables = {each.name: each.rows for each in weeks.tables(ran)}
    cells = weeks.starts(ran)[weeks.FULL]
    assert cells.erases_a_write("hm_0", 0) == pytest.approx(63 / 1024)
    of_sizes = 100 * 1500 * 63 / 1024 / (420 + 1500 * 63 / 1024)
    assert cells.hand("hm_0", 0, counted=False).gain == pytest.approx(of_sizes)
    assert tables["by-hand"][0][2:] == ("0.100", "1950 us", "420.0 us", "31.7 %", "50.00 %", "18.0 %")
    assert tables["parts-parts"][1] == (
        "parts",
        "redirection alone",
        "1.43",
        "1.50",
        "1.50",
        "1.00",
        "1.00",
        "2.50",
    )
    assert [row[:2] for row in tables["parts-parts"]] == [
        ("parts", "dgc"),
        ("parts", "redirection alone"),
        ("parts", "dgc, any"),
    ]
    assert [row[:2] for row in tables["parts-loaded"]] == [("loaded", "dgc")]
    assert "weeks" not in tables, "one start alone is compared with nothing"


def test_starts_are_compared(tmp_path: Path) -> None:
    ran = _ran(tmp_path)
    slices = ran.points.filter(pl.col("experiment_key") == "weeks")
    (tmp_path / "weeks").rename(tmp_path / "cells")
    (tmp_path / "weeks").symlink_to(tmp_path / "cells")
    both = pl.concat([ran.points, slices.with_columns(experiment_key=pl.lit("cells"))])
    tables = {each.name: each.rows for each in weeks.tables(replace(ran, points=both))}
    assert len(tables["weeks"]) == 2 * len(weeks.GAINS)
    assert tables["weeks"][1][1:] == (
        "mean, writes", "50.00 %", "25.00 %", "25.00 %", "25.00 %", "10.00 %", "27.00 %",
    )  # fmt: skip
    chips = tables["chips"][5]
    assert chips[1:] == ("hm_0", "2.000", "1.0000", "2.00", "30, most 40", "30, most 40", "3", "3", "2.5")


def test_a_scheme_is_compared_with_raid5_of_its_setting() -> None:
    """With the last words of its name where there is such a RAID-5; a lost chip with the scheme's own."""
    names = ["raid5", "dgc", "raid5, any", "dgc, any", "dgc, all idle chips, any", "dgc, eight blocks"]
    cells = weeks.Weeks(pl.DataFrame([_week(each, "hm_0", 1, 1) for each in names]))
    assert dict(parts.Sweep("some").pairs(cells)) == {
        "dgc": "raid5",
        "dgc, any": "raid5, any",
        "dgc, all idle chips, any": "raid5, any",
        "dgc, eight blocks": "raid5",
    }
    lost = weeks.Weeks(
        pl.DataFrame([_week(f"dgc, {each}", "hm_0", 1, 1) for each in ("healthy", "degraded")])
    )
    of_itself = next(each for each in parts.SWEEPS if each.experiment == "rebuild")
    assert dict(of_itself.pairs(lost)) == {"dgc, degraded": "dgc, healthy"}


def test_settings_of_an_axis_stand_apart(tmp_path: Path) -> None:
    points = pl.DataFrame(
        [
            {**_week(scheme, "hm_0", write_ns, 100), "experiment_key": "loads", "load_of_host": load}
            for load, saved in (("2 %", 0.5), ("5 %", 0.25))
            for scheme, write_ns in ((RAID5, 800.0), (DGC, 800 * (1 - saved)))
        ]
    )
    ran = Ran("default", "own", points, tmp_path)
    found = {name: each.value for name, each in parts.of_runs(ran)}
    assert [found[f"loads, {load}: dgc, writes"] for load in ("2 %", "5 %")] == [50, 25]
    assert [row[0] for row in next(iter(parts.tables(ran))).rows] == ["loads, 2 %", "loads, 5 %"]


def test_the_parts_of_a_response_time_are_all_of_it(tmp_path: Path) -> None:
    """Of 500 us under RAID-5: 200 of the chip, a lookup, 49 waiting and 250 of collection."""

    def point(scheme: str, experiment: str, write_us: float) -> dict[str, object]:
        spent = {"array": 150.0, "transfer": 50.0, "queue": 50.0, "gc": 250.0}
        times = {f"write_breakdown_{part}_ns": 1000 * us for part, us in spent.items()}
        reads = {f"read_breakdown_{part}_ns": None for part in spent}
        week = _week(scheme, "hm_0", 1000 * write_us, 1)
        rest = {"read_count": 0, "read_mean_ns": None, "mean_latency_ns": 1000 * write_us}
        return {**week, **times, **reads, **rest, "experiment_key": experiment, "start": "overwritten"}

    points = [point(RAID5, "starts", 500), point(DGC, "starts", 300), point(RAID5, "without", 250)]
    points += [
        {**point(scheme, "sizes", us), "redundancy.stripe_chips": chips}
        for chips, us in (("4", 600.0), ("16", 150.0))
        for scheme in (RAID5, DGC)
    ]
    for experiment in ("starts", "sizes"):
        (tmp_path / experiment).mkdir()
    ran = Ran("default", "own", pl.DataFrame(points, infer_schema_length=None), tmp_path)
    found = {name: each.value for name, each in printed_figures.of_runs(ran)}
    shares = [found[f"figure 4: {part}, hm_0"] for part in ("T_chip", "T_meta", "T_GC", "T_wait")]
    assert shares == pytest.approx([40, 0.2, 50, 9.8])
    assert found["figure 4: slowed, hm_0"] == 2
    assert [found[f"figure 10: {chips} chips"] for chips in (4, 8, 16)] == [100, 50, 25]
    assert [found[f"figure 11: {chips} chips"] for chips in (4, 8, 16)] == pytest.approx([0, 40, 0])
