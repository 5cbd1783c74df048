"""Orders, sizes, tails of GC bypass, and where it can act: figures worked out by hand."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from gc_bypass import of_runs
from gc_bypass.orders import ORDERS
from reclaim.papers.custom import Custom, Ran

REPEATS = range(6)
SLOWER = {"urgent": 1.0, "host": 0.5, "arrival": 2.0, "collection": 4.0}
"""Times the mean of Venice under each order at the die; GC bypass has three quarters of each."""


def ran_of(folder: Path, experiment: str, means: dict[str, float], traces: tuple[str, ...]) -> Ran:
    """Requests of each point: 9,989 take its mean, ten take nine times as long, and one a hundred times."""
    rows: list[dict[str, Any]] = [
        {
            "experiment_key": experiment,
            "load": "own",
            "vary": "",
            "point": f"{scheme} {trace} {repeat}",
            "trace": trace,
            "scheme": scheme,
            "repeat": repeat,
            "mean_latency_ns": mean,
            "read_p99_9_ns": 2 * mean,
            "gc_jobs": 200,
            "gc_victim_empty_victims": 150,
            "gc_pages_moved": 500,
            "gc_stalled_writes": 0,
            "interconnect_preemptions": 20 if "gc-bypass" in scheme else None,
            "gc_write_amplification": 1.5,
            "drift_free_pages_gained_share": 0.125,
            "utilisation_die": 0.25,
        }
        for (scheme, mean), trace, repeat in product(means.items(), traces, REPEATS)
    ]
    (folder / experiment).mkdir()
    pl.DataFrame(
        [
            {
                "point": row["point"],
                "class": "write",
                "upper_ns": int(1e6 * times * row["mean_latency_ns"]),
                "count": count,
            }
            for row in rows
            for times, count in ((1, 9989), (9, 10), (100, 1))
        ]
    ).write_parquet(folder / experiment / "histograms.parquet")
    return Ran("default", "own", pl.DataFrame(rows), folder)


def value(found: dict[str, Custom], name: str) -> float:
    figure = found[name].figure
    assert figure is not None
    return figure.value


def test_orders_are_told_of_all_workloads_and_of_each(tmp_path: Path) -> None:
    means = {f"venice, {order}": SLOWER[order] for order in ORDERS}
    means |= {f"gc-bypass, {order}": 0.75 * SLOWER[order] for order in ORDERS}
    found = of_runs(ran_of(tmp_path, "orders-drive", means, ("rsrch", "ali2")))
    for measure in ("mean, own pace, drive", "p99.99 of all, own pace, drive", "mean, ali2, own pace, drive"):
        assert value(found, f"arrival order, {measure}") == pytest.approx(0.75)
        assert value(found, f"venice, host, {measure}") == pytest.approx(0.5)
        assert value(found, f"gc-bypass, host, beside venice, arrival, {measure}") == pytest.approx(0.1875)
        assert value(found, f"venice, host, beside venice, arrival, {measure}") == pytest.approx(0.25)


def test_where_it_can_act(tmp_path: Path) -> None:
    means = {f"{who}, {order}": 1.0 for who in ("venice", "gc-bypass") for order in ORDERS}
    found = of_runs(ran_of(tmp_path, "recordings-orders-drive", means, ("sqlite",)))
    expected = {
        "GC jobs": 200,
        "jobs with valid pages": 25,
        "write-backs that gave way": 4,
        "write amplification": 1.5,
        "free space gained": 12.5,
        "die utilization": 25,
    }
    for measure, figure in expected.items():
        name = f"{measure}, gc-bypass, urgent, sqlite, recordings, drive"
        assert value(found, name) == pytest.approx(figure), measure
    assert value(found, "write-backs that gave way, venice, urgent, sqlite, recordings, drive") == 0


def test_a_size_is_compared_with_venice_of_that_size(tmp_path: Path) -> None:
    means = {
        "venice, urgent, 48 small": 1.0,
        "venice, host, 48 small": 0.8,
        "gc-bypass, urgent, 48 small": 0.9,
        "venice, urgent, 192 small": 2.0,
        "gc-bypass, urgent, 192 small": 2.0,
    }
    found = of_runs(ran_of(tmp_path, "sizes-fast", means, ("rsrch",)))
    assert value(found, "gc-bypass, urgent, 48 small blocks, mean, hundredfold pace") == pytest.approx(0.9)
    assert value(found, "venice, host, 48 small blocks, mean, hundredfold pace") == pytest.approx(0.8)
    assert value(found, "gc-bypass, urgent, 192 small blocks, mean, hundredfold pace") == pytest.approx(1)
    assert value(found, "jobs with valid pages, 48 small blocks, hundredfold pace") == 25


def test_percentiles_are_of_reads_and_writes_in_milliseconds(tmp_path: Path) -> None:
    found = of_runs(ran_of(tmp_path, "tails", {"venice": 3.0}, ("hm_1",)))
    expected = {"p50": 3, "p99": 3, "p99.9": 27, "p99.99": 27}
    for label, figure in expected.items():
        assert value(found, f"hm_1, venice, {label}, 32 outstanding") == figure, label
