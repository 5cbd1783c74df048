"""Orders, sizes, tails, choices and parts of GC bypass, and where it can act: figures worked out by hand."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from pathlib import Path

import polars as pl
import pytest

import made_points
from gc_bypass import choices, of_runs, parts
from gc_bypass.cells import Cells
from gc_bypass.orders import ORDERS
from made_points import values
from reclaim.papers.custom import Ran
from reclaim.papers.measured import Figure

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
    points = made_points.points(given, traces, 6, experiment_key=experiment, **same)
    points = points.with_columns(read_p99_9_ns=2 * pl.col("mean_latency_ns"))
    buckets = [("write", times, count) for times, count in ((1, 9989), (9, 10), (100, 1))]
    made_points.write_histograms(folder / experiment, points, "mean_latency_ns", buckets, unit=1_000_000)
    return values(of_runs(Ran("default", "own", points, folder)))


def test_orders_are_told_of_all_workloads_and_of_each(tmp_path: Path) -> None:
    means = {f"venice, {order}": SLOWER[order] for order in ORDERS}
    means |= {f"gc-bypass, {order}": 0.75 * SLOWER[order] for order in ORDERS}
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
    means = {f"{who}, {order}": 1.0 for who in ("venice", "gc-bypass") for order in ORDERS}
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
    points = made_points.points(given, ("rsrch", "stg_0"), 6, experiment_key=experiment)
    points = points.with_columns(pl.col("mean_latency_ns") * times)
    return points.with_columns(read_p99_9_ns=2 * pl.col("mean_latency_ns"))


@pytest.fixture
def _tails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Cells, "tail", lambda _self, row: 3.0 * row["mean_latency_ns"])


@pytest.mark.usefixtures("_tails")
def test_a_choice_is_made_for_both_and_for_each_alone() -> None:
    means = {"venice, as set": 100.0, "gc-bypass, as set": 80.0}
    means |= {"venice, spare 22 %": 50.0, "gc-bypass, spare 22 %": 60.0, "gc-bypass, chips in turn": 90.0}
    ran = Ran("default", "own", choice_points("choices-host", means), Path())
    (table,) = choices.tables(ran)
    assert table.name == "choices, own pace, host first"
    assert table.rows == (
        ("as set", "0.80", "0.80", "0.80", "0.80", "0.80", "0.80"),
        ("spare 22 %", "1.20", "1.20", "1.20", "0.60", "0.60", "1.60"),
        ("chips in turn", "–", "–", "–", "0.90", "0.90", "–"),
    )
    found = of_runs(ran)
    assert found["spare 22 %, Venice alone, mean, own pace, host first"].figure == Figure(1.6, 1.6, 1.6)
    assert "chips in turn, both, mean, own pace, host first" not in found


@pytest.mark.usefixtures("_tails")
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
    ran = Ran(
        "default",
        "own",
        pl.concat([choice_points("parts", means), choice_points("parts-host", host)]),
        Path(),
    )
    table, _ = parts.tables(ran)
    factors = {row[0]: float(row[1]) for row in table.rows}
    assert factors["all five"] == 0.3, "0.5 x 0.75 x 0.8"
    assert factors[parts.PARTS["network"]] == 0.5
    # Destination before absorption in half of the orders: then it adds a half, and absorption takes it away.
    assert factors[parts.PARTS["destination"]] == round(1.5**0.5, 2)
    assert factors[parts.PARTS["absorption"]] == round(1.5**-0.5, 2)
    assert table.rows[0][1:] == (table.rows[0][1],) * 5, "all metrics are multiples of one here"
    # The fifth goes to whichever of controller and buffer comes last.
    found = values(of_runs(ran))
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
