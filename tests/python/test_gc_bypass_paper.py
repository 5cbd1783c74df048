"""The paper on GC bypass as it ships: all that is printed is there, and figures follow from points."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import gc_bypass
from gc_bypass import cells as of
from gc_bypass import statements
from gc_bypass.cells import BASELINE, BYPASS, VENICE, VENICE_FIVE
from gc_bypass.course import Course
from made_points import points as points_of
from made_points import told, values, write_histograms
from reclaim.paper.figures import LevelRuns
from reclaim.paper.latencies import CLASSES
from reclaim.paper.measured import Figure
from reclaim.paper.measures import choices
from reclaim.paper.paper import load_paper
from reclaim.paper.toolkit import Cells
from reclaim.shipped import PAPERS

CLAIMS = 127
"""That the paper makes, abstract to conclusion, and three of ours on Venice beside the bus and Table 1."""
SCHEMES = {BASELINE: 400, VENICE: 200, VENICE_FIVE: 180, BYPASS: 100, "pssd": 300, "smartnetssd": 190}
"""Mean latency of a read, in ns; a write takes five times as long."""
READ = pl.col("read_mean_ns")


@pytest.fixture
def ran(tmp_path: Path) -> LevelRuns:
    """A run of three repeats, each of which takes 1 ns more than the one before."""
    same: dict[str, Any] = {"read_count": 30, "read_bytes": 4096, "write_count": 10, "write_bytes": 4096}
    same |= {"flash_erases": 1, "gc_jobs": 2, "gc_stalled_writes": 0, "gc_relocation_lifted_pages": 7}
    same |= {f"{op}_breakdown_{part}_ns": 20.0 for op in CLASSES for part in ("transfer", "array")}
    given = {scheme: {"read_mean_ns": mean} for scheme, mean in SCHEMES.items()}
    points = points_of(given, of.WORKLOADS, 3, wear_mean_erases=4.0, **same)
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
    return LevelRuns("default", "own", points, tmp_path)


def figures(runs: LevelRuns) -> dict[str, Any]:
    return dict(told("gc-bypass", runs, gc_bypass).figures)


def test_every_printed_claim_is_there_and_has_a_figure() -> None:
    claims = load_paper("gc-bypass").expected.claims
    assert len(claims) == CLAIMS
    printed = {each.id: each.value for each in claims}
    assert printed["f12-rsrch-p9999-vs-venice"] == 25.2
    assert printed["f8-max-reduction-vs-baseline"] == 62
    assert printed["t2-dram-batches4"] == 0.24


def test_figures_are_the_largest_over_workloads_and_orders_beside_the_better(ran: LevelRuns) -> None:
    found = figures(ran)
    assert "gc time, 2 batches" not in found, "this level does not run it"
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


def test_a_write_that_waits_for_space_is_late(ran: LevelRuns) -> None:
    late = ran.points.with_columns(gc_stalled_writes=pl.when(pl.col("scheme") == BYPASS).then(1))
    assert values(figures(replace(ran, points=late)))["free space in time"] == 0


def test_the_tail_is_that_of_a_million_requests_where_there_are(ran: LevelRuns) -> None:
    longer = ran.points.filter(pl.col("trace").is_in(of.MSR)).with_columns(
        ("long " + pl.col("point")).alias("point"), experiment_key=pl.lit("million")
    )
    took = longer.with_columns(took=pl.when(pl.col("scheme") == BYPASS).then(2).otherwise(8))
    write_histograms(ran.sweeps / "million", took, "took", [("read", 1, 9)])
    found = values(figures(replace(ran, points=pl.concat([ran.points, longer]))))
    assert found["tail beside venice"] == 75


def test_variations_find_the_distributions_of_their_own_runs(ran: LevelRuns) -> None:
    (ran.sweeps / "cells").rename(ran.sweeps / "cells-load-60")
    without = ran.points.filter(~pl.col("scheme").is_in(["pssd", "smartnetssd"]))
    found = values(figures(replace(ran, points=without)))
    assert found["tail beside baseline"] == pytest.approx(100 * (1 - 101 / 401))
    assert "job time order" not in found, "which needs all schemes"


def test_workloads_that_the_paper_has_not_come_last(ran: LevelRuns) -> None:
    ours = ran.points.filter(pl.col("trace") == "hm_0").with_columns(trace=pl.lit("sqlite"))
    cells = Cells(pl.concat([ours, ran.points]), listed=of.WORKLOADS)
    assert cells.workloads == [*of.WORKLOADS, "sqlite"]


def test_response_over_time_needs_no_million_requests(
    ran: LevelRuns, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Figure 13 is of the cells, at any level that has them."""
    there = {"level over time": Figure(0.5)}
    monkeypatch.setattr(statements, "_courses", lambda _cells, _course: there)
    assert figures(ran)["level over time"].figure is there["level over time"]


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
    course, of_one = Course(timelines.join(points, on="point")), ("hm_0", BYPASS, 0)
    assert [mean for _, mean in course.means(*of_one)] == [2, 6, 1]
    assert (course.level(*of_one), course.peak(*of_one)) == (2, 6)
    assert course.relocation_rate(*of_one, 300) == pytest.approx(6 / 300 * 1e9), "not what comes later"


def test_tails_are_of_reads_and_writes_together(tmp_path: Path) -> None:
    rows = [{"point": "p", "trace": "hm_0", "scheme": BYPASS, "repeat": 0}]
    buckets = [("p", "read", 10, 9998), ("p", "write", 40, 1), ("p", "write", 90, 1)]
    frame = pl.DataFrame(buckets, schema=["point", "class", "upper_ns", "count"], orient="row")
    frame.write_parquet(tmp_path / "histograms.parquet")
    assert Cells(pl.DataFrame(rows), (tmp_path,)).values("all_p99_99_ns") == {("hm_0", BYPASS, 0): 40}


SLOWER = {"urgent": 1.0, "host": 0.5, "arrival": 2.0, "collection": 4.0}
"""Times the mean of Venice under each order at the die; GC bypass has three quarters of each."""


def found_of(folder: Path, experiment: str, means: Mapping[str, float], *traces: str) -> dict[str, float]:
    """Requests of each point: 9,989 take its mean, ten take nine times as long, and one a hundred times."""
    given = {
        scheme: {"mean_latency_ns": mean, "interconnect_preemptions": 20 if "gc-bypass" in scheme else None}
        for scheme, mean in means.items()
    }
    same = {"gc_jobs": 200, "gc_victim_empty_victims": 150, "gc_pages_moved": 500, "gc_stalled_writes": 0}
    same |= {"gc_write_amplification": 1.5, "drift_free_pages_gained_share": 0.125, "utilisation_die": 0.25}
    points = points_of(given, traces, 6, experiment_key=experiment, **same)
    points = points.with_columns(read_p99_9_ns=2 * pl.col("mean_latency_ns"))
    buckets = [("write", times, count) for times, count in ((1, 9989), (9, 10), (100, 1))]
    write_histograms(folder / experiment, points, "mean_latency_ns", buckets, unit=1_000_000)
    return values(figures(LevelRuns("default", "own", points, folder)))


def test_orders_are_told_of_all_workloads_and_of_each(tmp_path: Path) -> None:
    means = {f"venice, {order}": SLOWER[order] for order in SLOWER}
    means |= {f"gc-bypass, {order}": 0.75 * SLOWER[order] for order in SLOWER}
    found = found_of(tmp_path, "orders-drive", means, "rsrch", "ali2")
    expected = {
        "arrival order": 0.75,
        "venice, host": 0.5,
        "gc-bypass, host, beside venice, arrival": 0.1875,
        "venice, host, beside venice, arrival": 0.25,
    }
    for measure in ("mean, own pace, drive", "p99.99 of all, own pace, drive", "mean, ali2, own pace, drive"):
        assert {name: found[f"{name}, {measure}"] for name in expected} == pytest.approx(expected)


def test_where_it_can_act(tmp_path: Path) -> None:
    means = {f"{who}, {order}": 1.0 for who in ("venice", "gc-bypass") for order in SLOWER}
    found = found_of(tmp_path, "recordings-orders-drive", means, "sqlite")
    expected = {
        "GC jobs": 200,
        "jobs with valid pages": 25,
        "write-backs that gave way": 4,
        "write amplification": 1.5,
        "free space gained": 12.5,
        "die utilization": 25,
    }
    of_bypass = {name: found[f"{name}, gc-bypass, urgent, sqlite, recordings, drive"] for name in expected}
    assert of_bypass == pytest.approx(expected)
    assert found["write-backs that gave way, venice, urgent, sqlite, recordings, drive"] == 0


def test_a_size_is_compared_with_venice_of_that_size(tmp_path: Path) -> None:
    means = {"venice, urgent, 48 small": 1.0, "venice, host, 48 small": 0.8}
    means |= {"gc-bypass, urgent, 48 small": 0.9}
    means |= {"venice, urgent, 192 small": 2.0, "gc-bypass, urgent, 192 small": 2.0}
    found = found_of(tmp_path, "sizes-fast", means, "rsrch")
    expected = {"gc-bypass, urgent, 48": 0.9, "venice, host, 48": 0.8, "gc-bypass, urgent, 192": 1}
    for name, value in expected.items():
        assert found[f"{name} small blocks, mean, hundredfold pace"] == pytest.approx(value), name
    assert found["jobs with valid pages, 48 small blocks, hundredfold pace"] == 25


def test_percentiles_are_of_reads_and_writes_in_milliseconds(tmp_path: Path) -> None:
    found = found_of(tmp_path, "tails", {"venice": 3.0}, "hm_1")
    for label, ms in {"p50": 3, "p99": 3, "p99.9": 27, "p99.99": 27}.items():
        assert found[f"hm_1, venice, {label}, 32 outstanding"] == ms, label


def choice_points(experiment: str, means: Mapping[str, float]) -> pl.DataFrame:
    """Two workloads, of which the second takes four times as long; repeats differ alike for all schemes."""
    given = {
        scheme: {"mean_latency_ns": mean, "gc_write_amplification": mean, "read_mean_ns": mean}
        for scheme, mean in means.items()
    }
    times = pl.when(pl.col("trace") == "stg_0").then(4).otherwise(1) * (1 + pl.col("repeat"))
    points = points_of(given, ("rsrch", "stg_0"), 6, experiment_key=experiment)
    points = points.with_columns(pl.col("mean_latency_ns") * times)
    mean = pl.col("mean_latency_ns")
    return points.with_columns(read_p99_9_ns=2 * mean, all_p99_99_ns=3 * mean)


def test_a_choice_is_made_for_both_and_for_each_alone() -> None:
    means = {"venice, as set": 100.0, "gc-bypass, as set": 80.0}
    means |= {"venice, spare 22 %": 50.0, "gc-bypass, spare 22 %": 60.0, "gc-bypass, chips in turn": 90.0}
    ran = LevelRuns("default", "own", choice_points("choices-host", means), Path())
    found = told("gc-bypass", ran)
    (table,) = found.tables
    assert table.name == "choices, own pace, host first"
    assert table.rows == (
        ("as set", "0.80", "0.80", "0.80", "0.80", "0.80", "0.80"),
        ("spare 22 %", "1.20", "1.20", "1.20", "0.60", "0.60", "1.60"),
        ("chips in turn", "–", "–", "–", "0.90", "0.90", "–"),
    )
    name = "Venice alone, mean, own pace, host first"
    assert found.figures[f"spare 22 %, {name}"].figure == Figure(1.6, 1.6, 1.6)
    assert "chips in turn, both, mean, own pace, host first" not in found.figures


def test_parts_are_averaged_over_the_orders_of_putting_them_in() -> None:
    # The network halves; the controller takes a fifth beside a buffer, and nothing without one; the buffer
    # takes a quarter; the destination adds a half, unless what the host writes is absorbed; absorption does
    # nothing else.
    means = {}
    for net, buffer in product(
        ("", "network", "network+controller"),
        ("", "buffer", "buffer+destination", "buffer+absorption", "buffer+destination+absorption"),
    ):
        mean = 100.0 * (0.5 if net else 1) * (0.75 if buffer else 1)
        mean *= 0.8 if "controller" in net and buffer else 1
        mean *= 1.5 if "destination" in buffer and "absorption" not in buffer else 1
        means["+".join(each for each in (net, buffer) if each) or "none"] = mean
    host = {scheme: mean / 5 if scheme == "none" else mean / 10 for scheme, mean in means.items()}
    ran = LevelRuns(
        "default",
        "own",
        pl.concat([choice_points("parts", means), choice_points("parts-host", host)]),
        Path(),
    )
    of_ran = told("gc-bypass", ran, gc_bypass)
    table, _ = of_ran.tables
    words = choices(PAPERS / "gc-bypass", "parts")
    factors = {row[0]: float(row[1]) for row in table.rows}
    assert factors["all five"] == 0.3, "0.5 x 0.75 x 0.8"
    assert factors[words["network"]] == 0.5
    # Destination before absorption in half of the orders: then it adds a half, and absorption takes it away.
    assert factors[words["destination"]] == round(1.5**0.5, 2)
    assert factors[words["absorption"]] == round(1.5**-0.5, 2)
    assert table.rows[0][1:] == (table.rows[0][1],) * 5, "all metrics are multiples of one here"
    # The fifth goes to whichever of controller and buffer comes last.
    found = values(of_ran.figures)
    buffer, controller = (found[f"part {part}, mean, own pace"] for part in ("buffer", "controller"))
    assert 0.8 < controller < 1
    assert buffer * controller == pytest.approx(0.75 * 0.8)
    controls = {
        "host first beside a bus": 1 / 5,
        "buffer beside host first": 0.75 / 2,
        "GC bypass beside host first": 0.3 * 5,
        "GC bypass, host first, beside host first": 0.3 / 2,
    }
    assert {name: found[f"{name}, mean, own pace"] for name in controls} == pytest.approx(controls)
