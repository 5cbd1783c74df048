"""Gains of channel-aware GC by reading, from latencies that are worked by hand."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from channel_aware import choices, figures, readings
from channel_aware.gains import METRICS, WORKLOADS
from reclaim.papers.custom import Ran

LATENCIES = {
    "conv-0-allch, idle": 50,
    "conv-0.7-allch, idle": 10,
    "conv-0.7-halfch, idle": 12,
    "adaptive, idle": 20,
    "conv-0-allch, first": 90,
    "conv-0.7-allch, first": 30,
    "conv-0.7-halfch, first": 36,
    "adaptive, first": 60,
    "conv-0-allch, turn": 55,
    "conv-0.7-allch, turn": 25,
    "conv-0.7-halfch, turn": 35,
    "conv-0.7-allch, idle, drained": 40,
    "conv-0.7-halfch, idle, drained": 45,
    "conv-0.7-allch, first, drained": 120,
    "conv-0.7-halfch, first, drained": 80,
}
"""Of every cell, ms: waiting takes two thirds off, not draining three quarters, and G(t) doubles the rest."""


@pytest.fixture(scope="module")
def ran() -> Ran:
    points = [
        {
            "experiment_key": "readings",
            "load": "own",
            "vary": "",
            "trace": workload,
            "scheme": scheme,
            "repeat": repeat,
            **dict.fromkeys(METRICS, latency * 1e6),
        }
        for scheme, latency in LATENCIES.items()
        for workload in WORKLOADS
        for repeat in range(6)
    ]
    return Ran("default", "own", pl.DataFrame(points), Path())


def test_each_part_alone_is_beside_what_differs_in_it_alone(ran: Ran) -> None:
    figures = readings.of_runs(ran)
    alone = {name: figures[f"{name}, recordings"].figure.value for name in readings.ALONE}
    assert alone == pytest.approx(
        {
            "G alone, idle": 0.5,
            "G alone, first": 0.5,
            "G alone, first, drained": 2,
            "half alone, idle": 10 / 12,
            "half alone, first, drained": 1.5,
            "not draining alone, first": 4,
            # The best of the three baselines: 80 of those that drain, 30 of those that do not.
            "control": 8,
            "control, not drained": 3,
            "control, idle drained": 4,
            "control, turn": 2.5,
        }
    )


def test_the_gain_is_over_the_best_of_the_baselines_of_a_reading(ran: Ran) -> None:
    (gains,) = readings.tables(ran)
    rows = {row[0]: row[1:] for row in gains.rows}
    assert rows["all wait for idle channels (section 3.1): the default"][:2] == ("0.50", "0.50")
    assert rows["conventional ones go before the host (section 4.3)"][-1] == "20.00"


def counted(ran: Ran) -> Ran:
    """Crossed with valid pages as the usage, where G(t) is as fast as the gate; MongoDB's jobs are forced."""
    points = ran.points.with_columns(
        pl.lit("crossed").alias("experiment_key"),
        pl.lit(1000).alias("gc_jobs"),
        pl.lit(900).alias("gc_trigger_blocks_listed"),
        pl.when(pl.col("trace") == "mongodb")
        .then(990)
        .otherwise(200)
        .alias("gc_concurrency_emergency_starts"),
        pl.lit(1.25).alias("gc_write_amplification"),
        pl.lit(0.5).alias("utilisation_die"),
    )
    of_gates = points.filter(pl.col("scheme").str.contains("conv-0.7"))
    of_g = points.filter(pl.col("scheme") == "conv-0.7-allch, idle").with_columns(
        scheme=pl.lit("adaptive, idle")
    )
    valid = pl.concat([of_gates, of_g]).with_columns(pl.col("scheme") + ", valid")
    return Ran("default", "own", pl.concat([points, valid]), Path())


def test_rules_are_crossed_with_readings(ran: Ran) -> None:
    found = readings.of_runs(counted(ran))
    name = "first drained against idle, valid, recordings, where it acts"
    values = {each: custom.figure.value for each, custom in found.items() if custom.figure is not None}
    # The best baseline takes 80, G(t) as long as the gate.
    assert values[name] == values[f"plain gate, {name}"] == pytest.approx(8)
    assert values["G beside the gate, recordings"] == 0.5
    assert values["G beside the gate, valid, recordings"] == 1
    assert not any("interleaved" in each for each in found), "without such runs there are no figures"


def test_workloads_whose_jobs_are_forced_are_set_apart(ran: Ran) -> None:
    points = counted(ran).points
    of = readings.Set(readings.Gains(points))
    assert {workload for _, workload in of.acting()} == {*WORKLOADS} - {"mongodb"}
    _, acting = readings.tables(Ran("default", "own", points, Path()))
    rows = {row[0]: row[1:] for row in acting.rows}
    assert rows["mongodb"] == ("1 %", "1.25", "50 %")
    assert rows["sqlite"][0] == "80 %"


def test_curves_have_a_point_for_each_part_of_a_run() -> None:
    run = pl.DataFrame({"start_ns": [0, 10**9], "outstanding_requests": [4, 8]})
    of = {"a": ("cassandra", "adaptive")}
    rows = run.with_columns(trace=pl.lit("cassandra"), scheme=pl.lit("adaptive"))
    assert figures.rows(rows, figures.Curves(figures.WAITING, of)) == [("a", 0.0, 4.0), ("a", 1.0, 8.0)]


def test_other_parameters_are_beside_the_same_baselines(ran: Ran) -> None:
    assert choices.table(ran) == [], "without such runs there is no table"
    points = []
    for experiment, others in choices.EXPERIMENTS.items():
        points.append(ran.points.with_columns(pl.lit(experiment).alias("experiment_key")))
        of_proposed = ran.points.filter(pl.col("scheme") == "adaptive, idle")
        for number, name in enumerate(name for name in choices.CHOICES if name != "idle"):
            points.append(
                of_proposed.with_columns(
                    pl.lit(others[0]).alias("experiment_key"),
                    pl.lit(f"adaptive, {name}").alias("scheme"),
                    *((pl.col(metric) / 2**number).alias(metric) for metric in METRICS),
                )
            )
        points += [
            ran.points.filter(pl.col("scheme") == name).with_columns(
                pl.lit(others[0]).alias("experiment_key"),
                pl.lit(f"{name}, most invalid").alias("scheme"),
                *((3 * pl.col(metric)).alias(metric) for metric in METRICS),
            )
            for name in ("conv-0-allch, idle", "conv-0.7-allch, idle", "conv-0.7-halfch, idle")
        ]
    (table,) = choices.table(Ran("default", "own", pl.concat(points), Path()))
    # The best that waits has 10 ms, the best that drains before the host 80.
    assert [row[1] for row in table.rows[:4]] == ["0.50", "0.50", "1.00", "2.00"]
    assert [row[2] for row in table.rows[:4]] == ["4.00", "4.00", "8.00", "16.00"]
    assert [row[1:3] for row in table.rows] == [row[3:5] for row in table.rows]
    alone, alike = table.rows[-2:]
    assert alike[1] == f"{3 * float(alone[1]):.2f}", (
        "baselines that share the choice take three times as long"
    )
    assert alike[2] == "", "those before the host were not run with it"
