"""The paper on GC bypass as it ships: all that is printed is there, and figures follow from points."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from gc_bypass import cells as of
from gc_bypass import of_runs, of_variations, statements
from gc_bypass.cells import BASELINE, BYPASS, VENICE, VENICE_FIVE, Cells
from gc_bypass.course import Course
from gc_bypass.scouts import PORTS
from gc_bypass.statements import NAMES
from reclaim.papers.custom import Custom, Ran
from reclaim.papers.latencies import CLASSES
from reclaim.papers.measured import Figure
from reclaim.papers.paper import load_paper

CLAIMS = 127
"""That the paper makes, abstract to conclusion, and three of ours on Venice beside the bus and Table 1."""
SCHEMES = {BASELINE: 400, VENICE: 200, VENICE_FIVE: 180, BYPASS: 100, "pssd": 300, "smartnetssd": 190}
"""Mean latency of a read, in ns; a write takes five times as long."""


def point(scheme: str, name: str, repeat: int) -> dict[str, Any]:
    read = SCHEMES[scheme] + repeat
    waits = {f"{op}_breakdown_{part}_ns": 0.3 * read for op in CLASSES for part in ("queue", "gc")}
    works = {f"{op}_breakdown_{part}_ns": 20.0 for op in CLASSES for part in ("transfer", "array")}
    return {
        "experiment_key": "cells",
        "load": "own",
        "vary": "",
        "point": f"{scheme} {name} {repeat}",
        "trace": name,
        "scheme": scheme,
        "repeat": repeat,
        "read_count": 30,
        "read_mean_ns": read,
        "read_max_ns": 9 * read,
        "write_max_ns": 9 * read,
        "read_bytes": 4096,
        "write_count": 10,
        "write_mean_ns": 5 * read,
        "write_bytes": 4096,
        "simulated_ns": 1000 * read,
        "utilisation_die": 100 / read,
        "flash_gc_reads": read,
        "flash_gc_programs": read,
        "flash_erases": 1,
        "gc_jobs": 2,
        "gc_job_written_back_mean_ns": float(read),
        "gc_stalled_writes": 0,
        "wear_mean_erases": 4.0,
        "wear_stddev_erases": 1.0 if scheme == BYPASS else 2.0,
        "gc_relocation_lifted_pages": 7,
        **waits,
        **works,
    }


@pytest.fixture
def ran(tmp_path: Path) -> Ran:
    """A run of three repeats."""
    rows = [point(each, name, repeat) for each in SCHEMES for name in of.WORKLOADS for repeat in range(3)]
    points = pl.DataFrame(rows)
    buckets = [
        {"point": row["point"], "class": op, "upper_ns": upper * row["read_mean_ns"], "count": count}
        for row in rows
        for op, upper, count in (("read", 1, 9000), ("write", 5, 998), ("write", 9, 2))
    ]
    (tmp_path / "cells").mkdir()
    pl.DataFrame(buckets).write_parquet(tmp_path / "cells" / "histograms.parquet")
    return Ran("default", "own", points, tmp_path)


def test_every_printed_claim_is_there() -> None:
    claims = load_paper("gc-bypass").expected.claims
    assert len(claims) == CLAIMS
    printed = {each.id: each.value for each in claims}
    assert printed["f12-rsrch-p9999-vs-venice"] == 25.2
    assert printed["f8-max-reduction-vs-baseline"] == 62
    assert printed["t2-dram-batches4"] == 0.24


def test_every_claim_has_a_figure() -> None:
    claims = load_paper("gc-bypass").expected.claims
    scouts = {f"success at N = {ports}" for ports in PORTS}
    shapes = {"success rises from N = 1 to 3", "success is flat from N = 3 on"}
    assert [
        each.figure for each in claims if each.figure and each.figure not in {*NAMES, *scouts, *shapes}
    ] == []


def test_only_what_is_named_comes_out(ran: Ran) -> None:
    assert set(of_runs(ran)) == set(NAMES)


def test_reductions_are_the_largest_over_workloads(ran: Ran) -> None:
    found = of_runs(ran)
    figure = found["delay beside venice"].figure
    assert figure is not None
    assert figure.value == pytest.approx(100 * (1 - 101 / 201))
    assert len(found["delay beside venice"].parts) == len(of.WORKLOADS)
    tail = found["tail beside baseline"].figure
    assert tail is not None
    assert tail.value == pytest.approx(100 * (1 - 101 / 401))


def test_orders_take_the_better_of_both(ran: Ran) -> None:
    found = of_runs(ran)
    parts = dict(found["delay order"].parts)
    assert parts["hm_0"].value == pytest.approx(101 / 201), "beside Venice, the better one"
    parts = dict(found["use order"].parts)
    assert parts["hm_0"].value == pytest.approx(201 / 101)
    parts = dict(found["tail of baseline"].parts)
    assert parts["hm_0"].value == pytest.approx(401 / 201), "the highest: beside the higher of the others"


def test_overhead_is_beside_the_baseline(ran: Ran) -> None:
    figure = of_runs(ran)["job time, venice, most"].figure
    assert figure is not None
    assert figure.value == pytest.approx(201 / 401)


def test_jobs_free_space_and_wear(ran: Ran) -> None:
    found = of_runs(ran)
    parts = dict(found["job time order"].parts)
    assert parts["ali0"].value == pytest.approx(101 / 191), "beside the best, SmartNetSSD"
    for name, value in (("free space in time", 1), ("wear is even", 1), ("job time, pssd", 301 / 201)):
        figure = found[name].figure
        assert figure is not None
        assert figure.value == pytest.approx(value), name
    late = ran.points.with_columns(pl.when(pl.col("scheme") == BYPASS).then(1).alias("gc_stalled_writes"))
    figure = of_runs(replace(ran, points=late))["free space in time"].figure
    assert figure is not None
    assert figure.value == 0


def test_the_tail_is_that_of_a_million_requests_where_there_are(ran: Ran) -> None:
    longer = ran.points.filter(pl.col("trace").is_in(of.MSR)).with_columns(
        pl.lit("million").alias("experiment_key"),
        ("long " + pl.col("point")).alias("point"),
    )
    buckets = [
        {"point": row["point"], "class": "read", "upper_ns": 2 if row["scheme"] == BYPASS else 8, "count": 9}
        for row in longer.iter_rows(named=True)
    ]
    (ran.sweeps / "million").mkdir()
    pl.DataFrame(buckets).write_parquet(ran.sweeps / "million" / "histograms.parquet")
    found = of_runs(replace(ran, points=pl.concat([ran.points, longer])))
    figure = found["tail beside venice"].figure
    assert figure is not None
    assert figure.value == 75


def test_variations_find_the_distributions_of_their_own_runs(ran: Ran) -> None:
    (ran.sweeps / "cells").rename(ran.sweeps / "cells-load-60")
    without = ran.points.filter(~pl.col("scheme").is_in(["pssd", "smartnetssd"]))
    found = of_variations(replace(ran, points=without))
    figure = found["tail beside baseline"].figure
    assert figure is not None
    assert figure.value == pytest.approx(100 * (1 - 101 / 401))
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


def test_what_a_level_lacks_says_so(ran: Ran) -> None:
    assert of_runs(ran)["gc time, 2 batches"].reason == "this level does not run it"


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
    course = Course.of(points, timelines)
    assert [mean for _, mean, _ in course.means("hm_0", BYPASS, 0)] == [2, 6, 1]
    assert course.level("hm_0", BYPASS, 0) == 2
    assert course.peak("hm_0", BYPASS, 0) == 6
    assert course.relocation_rate("hm_0", BYPASS, 0, 300) == pytest.approx(6 / 300 * 1e9), (
        "not what comes later"
    )


def test_tails_are_of_reads_and_writes_together() -> None:
    rows = [{"point": "p", "trace": "hm_0", "scheme": BYPASS, "repeat": 0}]
    buckets = pl.DataFrame(
        [("p", "read", 10, 9998), ("p", "write", 40, 1), ("p", "write", 90, 1)],
        schema=["point", "class", "upper_ns", "count"],
        orient="row",
    )
    assert Cells(pl.DataFrame(rows), buckets).percentile("p", 0.9999) == 40
