"""The paper on GC bypass as it ships: all that is printed is there, and figures follow from points."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import made_points
from gc_bypass import cells as of
from gc_bypass import of_runs, of_variations, statements
from gc_bypass.cells import BASELINE, BYPASS, VENICE, VENICE_FIVE, Cells
from gc_bypass.course import Course
from gc_bypass.scouts import PORTS
from gc_bypass.statements import NAMES
from made_points import values, write_histograms
from reclaim.papers.custom import Custom, Ran
from reclaim.papers.latencies import CLASSES
from reclaim.papers.measured import Figure
from reclaim.papers.paper import load_paper

CLAIMS = 127
"""That the paper makes, abstract to conclusion, and three of ours on Venice beside the bus and Table 1."""
SCHEMES = {BASELINE: 400, VENICE: 200, VENICE_FIVE: 180, BYPASS: 100, "pssd": 300, "smartnetssd": 190}
"""Mean latency of a read, in ns; a write takes five times as long."""
READ = pl.col("read_mean_ns")


@pytest.fixture
def ran(tmp_path: Path) -> Ran:
    """A run of three repeats, each of which takes 1 ns more than the one before."""
    same: dict[str, Any] = {"read_count": 30, "read_bytes": 4096, "write_count": 10, "write_bytes": 4096}
    same |= {"flash_erases": 1, "gc_jobs": 2, "gc_stalled_writes": 0, "gc_relocation_lifted_pages": 7}
    same |= {f"{op}_breakdown_{part}_ns": 20.0 for op in CLASSES for part in ("transfer", "array")}
    given = {scheme: {"read_mean_ns": mean} for scheme, mean in SCHEMES.items()}
    points = made_points.points(given, of.WORKLOADS, 3, wear_mean_erases=4.0, **same)
    points = points.with_columns(READ + pl.col("repeat")).with_columns(
        *((0.3 * READ).alias(f"{op}_breakdown_{part}_ns") for op in CLASSES for part in ("queue", "gc")),
        *((9 * READ).alias(f"{op}_max_ns") for op in ("read", "write")),
        *(READ.alias(name) for name in ("flash_gc_reads", "flash_gc_programs")),
        write_mean_ns=5 * READ,
        simulated_ns=1000 * READ,
        utilisation_die=100 / READ,
        gc_job_written_back_mean_ns=READ.cast(pl.Float64),
        wear_stddev_erases=pl.when(pl.col("scheme") == BYPASS).then(1.0).otherwise(2.0),
    )
    buckets = (("read", 1, 9000), ("write", 5, 998), ("write", 9, 2))
    write_histograms(tmp_path / "cells", points, "read_mean_ns", buckets)
    return Ran("default", "own", points, tmp_path)


def test_every_printed_claim_is_there_and_has_a_figure() -> None:
    claims = load_paper("gc-bypass").expected.claims
    assert len(claims) == CLAIMS
    printed = {each.id: each.value for each in claims}
    assert printed["f12-rsrch-p9999-vs-venice"] == 25.2
    assert printed["f8-max-reduction-vs-baseline"] == 62
    assert printed["t2-dram-batches4"] == 0.24
    there = {*NAMES, *(f"success at N = {ports}" for ports in PORTS)}
    there |= {"success rises from N = 1 to 3", "success is flat from N = 3 on"}
    assert {each.figure for each in claims if each.figure} <= there


def test_figures_are_the_largest_over_workloads_and_orders_beside_the_better(ran: Ran) -> None:
    found = of_runs(ran)
    assert set(found) == set(NAMES)
    assert found["gc time, 2 batches"].reason, "this level does not run it"
    there = values(found)
    expected = {
        "delay beside venice": 100 * (1 - 101 / 201),
        "tail beside baseline": 100 * (1 - 101 / 401),
        "job time, venice, most": 201 / 401,
        "job time, pssd": 301 / 201,
        "free space in time": 1,
        "wear is even": 1,
    }
    assert {name: there[name] for name in expected} == pytest.approx(expected)
    assert len(found["delay beside venice"].parts) == len(of.WORKLOADS)
    parts = {
        # Beside Venice, the better one; the highest beside the higher of the others; beside SmartNetSSD.
        ("delay order", "hm_0"): 101 / 201,
        ("use order", "hm_0"): 201 / 101,
        ("tail of baseline", "hm_0"): 401 / 201,
        ("job time order", "ali0"): 101 / 191,
    }
    for (name, workload), value in parts.items():
        assert dict(found[name].parts)[workload].value == pytest.approx(value), name


def test_a_write_that_waits_for_space_is_late(ran: Ran) -> None:
    late = ran.points.with_columns(gc_stalled_writes=pl.when(pl.col("scheme") == BYPASS).then(1))
    assert values(of_runs(replace(ran, points=late)))["free space in time"] == 0


def test_the_tail_is_that_of_a_million_requests_where_there_are(ran: Ran) -> None:
    longer = ran.points.filter(pl.col("trace").is_in(of.MSR)).with_columns(
        ("long " + pl.col("point")).alias("point"), experiment_key=pl.lit("million")
    )
    took = longer.with_columns(took=pl.when(pl.col("scheme") == BYPASS).then(2).otherwise(8))
    write_histograms(ran.sweeps / "million", took, "took", [("read", 1, 9)])
    found = values(of_runs(replace(ran, points=pl.concat([ran.points, longer]))))
    assert found["tail beside venice"] == 75


def test_variations_find_the_distributions_of_their_own_runs(ran: Ran) -> None:
    (ran.sweeps / "cells").rename(ran.sweeps / "cells-load-60")
    without = ran.points.filter(~pl.col("scheme").is_in(["pssd", "smartnetssd"]))
    found = values(of_variations(replace(ran, points=without)))
    assert found["tail beside baseline"] == pytest.approx(100 * (1 - 101 / 401))
    assert "job time order" not in found, "which needs all schemes"


def test_workloads_that_the_paper_has_not_come_last(ran: Ran) -> None:
    ours = ran.points.filter(pl.col("trace") == "hm_0").with_columns(trace=pl.lit("sqlite"))
    cells = Cells.of(pl.concat([ours, ran.points]), ran.sweeps / "cells")
    assert cells.workloads == [*of.WORKLOADS, "sqlite"]


def test_response_over_time_needs_no_million_requests(ran: Ran, monkeypatch: pytest.MonkeyPatch) -> None:
    """Figure 13 is of the cells, at any level that has them."""
    there = {"level over time": Custom(Figure(0.5))}
    monkeypatch.setattr(statements, "_courses", lambda _cells, _ran: there)
    assert of_runs(ran)["level over time"] is there["level over time"]


def test_the_bound_of_a_held_circuit() -> None:
    assert round(of.BOUND_PAGES_PER_S) == 2667


def test_response_over_time() -> None:
    points = pl.DataFrame({"point": ["p"], "trace": ["hm_0"], "scheme": [BYPASS], "repeat": [0]})
    timelines = pl.DataFrame(
        {
            "point": ["p"] * 4,
            "start_ns": [0, 100, 200, 300],
            "length_ns": [100] * 4,
            "completed_requests": [2, 0, 1, 1],
            "latency_sum_ns": [4_000_000, 0, 6_000_000, 1_000_000],
            "latency_max_ns": [3_000_000, 0, 6_000_000, 1_000_000],
            "gc_programs": [2, 1, 3, 9],
        }
    )
    course, of_one = Course.of(points, timelines), ("hm_0", BYPASS, 0)
    assert [mean for _, mean, _ in course.means(*of_one)] == [2, 6, 1]
    assert (course.level(*of_one), course.peak(*of_one)) == (2, 6)
    assert course.relocation_rate(*of_one, 300) == pytest.approx(6 / 300 * 1e9), "not what comes later"


def test_tails_are_of_reads_and_writes_together() -> None:
    rows = [{"point": "p", "trace": "hm_0", "scheme": BYPASS, "repeat": 0}]
    buckets = [("p", "read", 10, 9998), ("p", "write", 40, 1), ("p", "write", 90, 1)]
    frame = pl.DataFrame(buckets, schema=["point", "class", "upper_ns", "count"], orient="row")
    assert Cells(pl.DataFrame(rows), frame).percentile("p", 0.9999) == 40
