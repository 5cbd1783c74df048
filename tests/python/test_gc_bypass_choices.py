"""Choices and parts of GC bypass: figures worked out by hand."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from gc_bypass import choices, of_runs, parts
from gc_bypass.cells import Cells
from reclaim.papers.custom import Ran
from reclaim.papers.measured import Figure

REPEATS = range(6)


@pytest.fixture(autouse=True)
def _tails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Cells, "tail", lambda _self, row: 3.0 * row["mean_latency_ns"])


def ran_of(experiment: str, means: dict[str, float]) -> Ran:
    """Two workloads, of which the second takes four times as long; repeats differ alike for all schemes."""
    rows: list[dict[str, Any]] = [
        {
            "experiment_key": experiment,
            "load": "own",
            "vary": "",
            "point": f"{scheme} {trace} {repeat}",
            "trace": trace,
            "scheme": scheme,
            "repeat": repeat,
            "mean_latency_ns": mean * times * (1 + repeat),
            "read_p99_9_ns": 2 * mean * times * (1 + repeat),
            "gc_write_amplification": mean,
            "read_mean_ns": mean,
        }
        for (scheme, mean), (trace, times), repeat in product(
            means.items(), {"rsrch": 1, "stg_0": 4}.items(), REPEATS
        )
    ]
    return Ran("default", "own", pl.DataFrame(rows), Path())


def test_a_choice_is_made_for_both_and_for_each_alone() -> None:
    ran = ran_of(
        "choices-host",
        {
            "venice, as set": 100.0,
            "gc-bypass, as set": 80.0,
            "venice, spare 22 %": 50.0,
            "gc-bypass, spare 22 %": 60.0,
            "gc-bypass, chips in turn": 90.0,
        },
    )
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
    both = [ran_of("parts", means).points, ran_of("parts-host", host).points]
    ran = Ran("default", "own", pl.concat(both), Path())
    table, _ = parts.tables(ran)
    factors = {row[0]: float(row[1]) for row in table.rows}
    assert factors["all five"] == 0.3, "0.5 x 0.75 x 0.8"
    assert factors[parts.PARTS["network"]] == 0.5
    # Destination before absorption in half of the orders: then it adds a half, and absorption takes it away.
    assert factors[parts.PARTS["destination"]] == round(1.5**0.5, 2)
    assert factors[parts.PARTS["absorption"]] == round(1.5**-0.5, 2)
    # The fifth goes to whichever of controller and buffer comes last.
    found = of_runs(ran)
    buffer, controller = (found[f"part {part}, mean, own pace"].figure for part in ("buffer", "controller"))
    assert buffer is not None
    assert controller is not None
    assert 0.8 < controller.value < 1
    assert buffer.value * controller.value == pytest.approx(0.75 * 0.8)
    controls = {
        "host first beside a bus": 1 / 5,
        "buffer beside host first": 0.75 / 2,
        "GC bypass beside host first": 0.3 * 5,
        "GC bypass, host first, beside host first": 0.3 / 2,
    }
    for name, expected in controls.items():
        figure = found[f"{name}, mean, own pace"].figure
        assert figure is not None
        assert figure.value == pytest.approx(expected), name
    assert table.rows[0][1:] == (table.rows[0][1],) * 5, "all metrics are multiples of one here"
