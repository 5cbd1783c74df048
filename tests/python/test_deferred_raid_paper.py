"""The paper on deferred GC over RAID-5 as it ships: its numbers are all there, its example plays as told."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import deferred_raid
import made_points
from deferred_raid import figures, weeks
from deferred_raid.example import GIB, TARGET, Example, extra_bits, table_bytes
from deferred_raid.gains import DGC, RAID5, WORKLOADS
from deferred_raid.statements import SHAPES
from made_points import tables, told, values
from reclaim.paper.figures import LevelRuns
from reclaim.paper.measures import COLUMNS, with_columns
from reclaim.paper.paper import load_paper
from reclaim.paper.toolkit import Cells

CLAIMS = 72
"""That the paper makes: abstract to conclusion."""


@pytest.fixture(scope="module")
def example() -> Mapping[str, float]:
    """The value of every figure that needs no sweep."""
    return values(figures("quick", lambda *_: None))


def test_every_printed_claim_is_there_and_has_a_figure() -> None:
    claims = {each.id: each for each in load_paper("deferred-raid").expected.claims}
    assert len(claims) == CLAIMS
    assert (claims["f8-avg-total-mean"].value, claims["f9-p99-read-hm0"].value) == (22.9, 81.9)
    # No mean of an idle drive counts as the paper's.
    assert all("channel rate" in claims[name].open for name in ("f8-avg-total-mean", "f8-avg-write-mean"))
    assert claims["s33-gc-degrades"].missing
    assert claims["f11-reason-fewer-candidates"].outside


def test_the_example_of_figures_3_and_5(example: Mapping[str, float]) -> None:
    assert [example[f"{name}-writes"] for name in ("w0", "w1", "w2")] == [4, 2, 3]
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


@pytest.mark.parametrize(
    ("wdev", "others", "holds"), [(10.0, 60.0, True), (60.0, 60.0, False), (10.0, 10.0, False)]
)
def test_waiting_is_told_of_wdev_apart_from_the_others(wdev: float, others: float, *, holds: bool) -> None:
    zero = {f"{kind}_{part}": 0.0 for kind in ("read", "write") for part in ("count", "mean_ns")}
    zero |= {f"{kind}_breakdown_{part}_ns": 0.0 for kind in ("read", "write") for part in ("gc", "queue")}
    made = made_points.points(
        {RAID5: {}}, WORKLOADS, 1, **zero | {"write_count": 1.0, "write_mean_ns": 100.0}
    )
    waits = pl.when(pl.col("trace") == "wdev_0").then(wdev).otherwise(others)
    cells = Cells(with_columns(made.with_columns(write_breakdown_gc_ns=waits), COLUMNS))
    assert values(SHAPES.of(cells, "wdev-is-other")) == {"wdev-is-other": holds}


def test_ratios_are_of_all_requests_together(tmp_path: Path) -> None:
    given = {RAID5: {"write_mean_ns": 500.0}, DGC: {"write_mean_ns": 300.0}}
    points = made_points.points(given, WORKLOADS, 1, read_count=3, read_mean_ns=100.0, write_count=1)
    slowest = pl.when(pl.col("scheme") == DGC).then(40).otherwise(80)
    buckets = pl.concat(
        points.select(
            "point", pl.lit("write").alias("class"), upper.alias("upper_ns"), pl.lit(count).alias("count")
        )
        for upper, count in ((pl.lit(10), 98), (pl.lit(20), 1), (slowest, 1))
    )
    buckets.write_parquet(tmp_path / "histograms.parquet")
    cells = Cells(with_columns(points, COLUMNS), (tmp_path,))
    assert cells.ratio("latency_ns", DGC, RAID5)("hm_0", 0) == pytest.approx(600 / 800)
    assert cells.ratio("all_p99_ns", DGC, RAID5)("hm_0", 0) == 1, "both reach 99 % at 20 ns"


def week(scheme: str, name: str = "hm_0", write_ns: float = 1, **more: Any) -> dict[str, Any]:
    """A point of a thousand writes of a page and its parity, and as many reads, beside what it redirects."""
    deferred = (None, None) if scheme == RAID5 else (50, 25)
    return (
        {"point": f"{scheme} {name}", "trace": name, "trace_hash": name, "scheme": scheme, "repeat": 0}
        | {"redundancy.stripe_chips": "8", "experiment_key": "weeks", "load": "own", "vary": ""}
        | {"read_count": 1000, "read_mean_ns": 1e5, "read_p99_ns": 1e5, "read_p99_9_ns": 2e5}
        | {"write_count": 1000, "write_mean_ns": write_ns, "mean_latency_ns": (write_ns + 100_000) / 2}
        | {"write_p99_ns": 2 * write_ns, "write_p99_9_ns": 3 * write_ns}
        | {"flash_host_programs": 1000, "flash_parity_programs": 1000, "gc_jobs": 100}
        | {"gc_valid_pages_per_victim": 2.0, "gc_write_amplification": 2.0, "utilisation_die": 0.25}
        | {"gc_deferral_redirects": deferred[0], "gc_deferral_idle_jobs": deferred[1], "wear_max_erases": 3}
        | more
    )


def ran_of(rows: list[dict[str, Any]], folder: Path) -> LevelRuns:
    return LevelRuns("default", "own", pl.DataFrame(rows, infer_schema_length=None), folder)


@pytest.fixture
def ran(tmp_path: Path) -> LevelRuns:
    """Whole weeks of all workloads; parts and the lowest of equals of one."""
    rows = [week(RAID5, name, 600_000) for name in WORKLOADS]
    of_dgc = dict.fromkeys(WORKLOADS, 450_000) | {"hm_0": 300_000, "wdev_0": 540_000}
    rows += [week(DGC, name, write_ns) for name, write_ns in of_dgc.items()]
    lowest = week("dgc, lowest", "hm_0", 600_000, experiment_key="ties")
    for row in (*rows, lowest):
        result = {
            "facts": {"erase_ns": 1_500_000, "unloaded_write_ns": 420_000},
            "config": {
                "flash": {"t_read": "25us", "t_program": "200us"},
                "geometry": {"pages_per_block": 32},
            },
            "planes": {"jobs": [30, 10, 60] if row is lowest else [30, 40, 30]},
        }
        place = tmp_path / str(row["experiment_key"]) / "points" / str(row["point"])
        place.mkdir(parents=True)
        (place / "results.json").write_text(json.dumps(result))
    alone = {"redirection alone": 900_000, "raid5, any": 500_000, "dgc, any": 400_000}
    rows += [week(scheme, "hm_0", write_ns, experiment_key="parts") for scheme, write_ns in alone.items()]
    busy: dict[str, Any] = {"experiment_key": "loaded", "redundancy.stripe_chips": None}
    rows += [lowest, week(RAID5, "hm_0", 800_000, **busy), week(DGC, "hm_0", 600_000, **busy)]
    return ran_of(rows, tmp_path)


def test_figures_of_whole_weeks(ran: LevelRuns) -> None:
    """Writes gain 50, 25, 25, 25 and 10 per cent: 27 on average. A reader gains nothing of its own."""
    found = values(told("deferred-raid", ran, deferred_raid).figures)
    # A tenth of the writes waits for 1500 us and two pages of 225 us: 195 us beside 420.
    by_hand = 100 * 195 / 615
    expected = {
        "full: mean write": 27,
        "full: mean read": 0,
        "full: mean total, hm_0": 100 * 300 / 700,
        "full: ranked as printed": 1,
        "full: amplification, hm_0": 1,
        "full: by hand, farthest off": by_hand - 10,
        # Of a page and its parity one ends a block by 63 in 1024.
        "full: by hand, writes of one page": 100 * 1500 * 63 / 1024 / (420 + 1500 * 63 / 1024),
        "parts: redirection alone, writes, hm_0": -50,
        # Beside RAID-5 with the same trigger.
        "parts: dgc, any, writes": 20,
        "loaded: dgc, writes": 25,
        "loaded: dgc, reads": 0,
        "loaded: dgc, written beside": 0,
        "loaded: dgc, idle jobs, hm_0": 25,
        "loaded: raid5, utilization, hm_0": 25,
        "ties: dgc, hm_0, most jobs": 40,
        "ties: dgc, lowest, hm_0, most jobs": 60,
        "ties: dgc, lowest, hm_0, typical jobs": 30,
    }
    assert {name: found[name] for name in expected} == pytest.approx(expected)


def test_tables_of_whole_weeks(ran: LevelRuns) -> None:
    """Of two pages of a write each ends a block of 32 by a chance of 1 in 32: 63 in 1024."""
    rows = tables("deferred-raid", ran, deferred_raid)
    assert weeks.of_sizes(Cells.of(ran, "weeks"), "hm_0", 0).share == pytest.approx(63 / 1024)
    assert rows["by-hand"][0][2:] == ("0.100", "1,950 us", "420.0 us", "31.7 %", "50.00 %", "18.0 %")
    of_parts = {row[1]: row[2:] for row in rows["parts-parts"]}
    assert list(of_parts) == ["dgc", "redirection alone", "dgc, any"]
    assert of_parts["redirection alone"] == ("1.43", "1.50", "1.50", "1.00", "1.00", "2.50")
    assert [row[:2] for row in rows["parts-loaded"]] == [("loaded", "dgc")]


def test_starts_are_compared(ran: LevelRuns) -> None:
    slices = ran.points.filter(pl.col("experiment_key") == "weeks")
    (ran.sweeps / "weeks").rename(ran.sweeps / "cells")
    (ran.sweeps / "weeks").symlink_to(ran.sweeps / "cells")
    both = pl.concat([ran.points, slices.with_columns(experiment_key=pl.lit("cells"))])
    rows = tables("deferred-raid", replace(ran, points=both), weeks)
    assert len(rows["weeks"]) == 2 * 5
    gains = tuple(f"{each}.00 %" for each in (50, 25, 25, 25, 10, 27))
    assert rows["weeks"][1][1:] == ("mean, writes", *gains)
    counted = ("2.000", "1.0000", "2.00", "30", "30", "40", "40", "3", "3", "2.5")
    assert rows["chips"][5][1:] == ("hm_0", *counted)


def test_a_scheme_is_compared_with_raid5_of_its_setting(tmp_path: Path) -> None:
    """With the last words of its name where there is such a RAID-5; a lost chip with the scheme's own."""
    took = {"raid5": 1000, "dgc": 500, "raid5, any": 400, "dgc, any": 300, "dgc, eight blocks": 900}
    took |= {"dgc, all idle chips, any": 200}
    rows = [week(scheme, write_ns=ns, experiment_key="aged") for scheme, ns in took.items()]
    lost = {"dgc, healthy": 500, "dgc, degraded": 600}
    rows += [week(scheme, write_ns=ns, experiment_key="rebuild") for scheme, ns in lost.items()]
    made = tables("deferred-raid", ran_of(rows, tmp_path))
    assert {row[1]: row[3] for row in made["parts-aged"]} == {
        "dgc": "0.50",
        "dgc, any": "0.75",
        "dgc, eight blocks": "0.90",
        "dgc, all idle chips, any": "0.50",
    }
    assert [row[1:4:2] for row in made["parts-rebuild"]] == [("dgc, degraded", "1.20")]


def test_settings_of_an_axis_stand_apart(tmp_path: Path) -> None:
    rows = [
        week(scheme, "hm_0", write_ns, experiment_key="loads", load_of_host=load)
        for load, saved in (("2 %", 0.5), ("5 %", 0.25))
        for scheme, write_ns in ((RAID5, 800.0), (DGC, 800 * (1 - saved)))
    ]
    ran = ran_of(rows, tmp_path)
    of_ran = told("deferred-raid", ran)
    found = values(of_ran.figures)
    assert [found[f"loads, {load}: dgc, writes"] for load in ("2 %", "5 %")] == [50, 25]
    (table,) = of_ran.tables
    assert [row[0] for row in table.rows] == ["loads, 2 %", "loads, 5 %"]


def test_the_parts_of_a_response_time_are_all_of_it(tmp_path: Path) -> None:
    """Of 500 us under RAID-5: 200 of the chip, a lookup, 49 waiting and 250 of collection."""
    spent = {"array": 150.0, "transfer": 50.0, "queue": 50.0, "gc": 250.0}
    times: dict[str, Any] = {f"write_breakdown_{part}_ns": 1000 * us for part, us in spent.items()}
    times |= {f"read_breakdown_{part}_ns": None for part in spent}
    times |= {"read_count": 0, "read_mean_ns": None, "start": "overwritten"}

    def point(scheme: str, experiment: str, write_us: float, chips: str = "8") -> dict[str, Any]:
        ns = 1000 * write_us
        more = {"mean_latency_ns": ns, "experiment_key": experiment, "redundancy.stripe_chips": chips}
        return week(scheme, "hm_0", ns, **times, **more)

    rows = [point(RAID5, "starts", 500), point(DGC, "starts", 300), point(RAID5, "without", 250)]
    for chips, us in (("4", 600.0), ("16", 150.0)):
        rows += [point(scheme, "sizes", us, chips) for scheme in (RAID5, DGC)]
    for experiment in ("starts", "sizes"):
        (tmp_path / experiment).mkdir()
    found = values(told("deferred-raid", ran_of(rows, tmp_path)).figures)
    shares = [found[f"figure 4: {part}, hm_0"] for part in ("T_chip", "T_meta", "T_GC", "T_wait")]
    assert shares == pytest.approx([40, 0.2, 50, 9.8])
    assert found["figure 4: slowed, hm_0"] == 2
    assert [found[f"figure 10: {chips} chips"] for chips in (4, 8, 16)] == [100, 50, 25]
    assert [found[f"figure 11: {chips} chips"] for chips in (4, 8, 16)] == pytest.approx([0, 40, 0])
