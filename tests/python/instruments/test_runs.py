"""Variants of an experiment in the folder of its sweep: a point is run once, and neither sees the other's."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl

import reclaim
from bench.small import contents, experiment
from reclaim.bench.experiment import Experiment
from reclaim.bench.parts import Setting
from reclaim.bench.run import How, sweep_into
from reclaim.instruments.runs import Points, running
from reclaim.instruments.variants import Run, Variant, runs_of, workloads_of

SMALL = experiment(record={})
NAME = "trial"


def variants(made: Experiment) -> list[Variant]:
    """Both schemes as they are, the first with more pages at once, and one that no drive takes."""
    greedy, fifo = made.parts.schemes
    d = Setting("4", ("schemes", 0))
    return [
        *(Variant.of(each) for each in (greedy, fifo)),
        Variant.of(greedy, "deep", {"gc.pages_in_flight": Setting("8", ("schemes", 0))}),
        Variant.of(greedy, "odd", {"gc.victim.d": d}),
    ]


def stored(folder: Path) -> list[str]:
    lines = map(json.loads, (folder / "log.jsonl").read_text().splitlines())
    return [line["point"] for line in lines if line["outcome"] != "began"]


def run_variants(made: Experiment, chosen: Sequence[Variant], folder: Path) -> dict[Run, Any]:
    """Run them under every workload with all repeats, and close the folder again."""
    wanted = runs_of(workloads_of(made.parts), chosen, range(made.parts.repeats.count))
    with running(made, NAME, Points(made), folder, How(workers=2)) as runs:
        return runs.run(wanted)


def run(folder: Path, **sections: Any) -> dict[Run, Any]:
    made = Experiment.from_dict(SMALL | sections)
    return run_variants(made, variants(made), folder)


def test_a_variant_is_what_its_settings_make_of_the_drive(tmp_path: Path) -> None:
    found = run(tmp_path / "out", axes={})
    made = Experiment.from_dict(SMALL | {"axes": {}})
    (workload,) = workloads_of(made.parts)
    assert workload.label() == "coupled-copyback-mini, uniform"
    assert len(found) == 4 * 2
    greedy, fifo, deep, odd = (found[workload, each, 1] for each in variants(made))
    assert odd.refused.startswith("gc.victim.d = 4: ")
    assert not odd.ran
    assert (odd.level, odd.codes, odd.concerning("read_mean_ns")) == (None, (), None)
    assert greedy.figures["gc_jobs"] > 0
    assert len({each.point for each in (greedy, fifo, deep)}) == 3
    assert deep.figures["write_mean_ns"] != greedy.figures["write_mean_ns"]
    drive = reclaim.Device("coupled-copyback-mini").with_scheme("greedy")
    drive = drive.with_settings(SMALL["set"] | {"gc.pages_in_flight": 8, "seed": 43})
    trace = reclaim.generate_trace(name="uniform", **SMALL["traces"][0]["generate"])
    alone = reclaim.simulate(drive, trace, warn=False)
    assert deep.figures["write_mean_ns"] == alone.summary()["write_mean_ns"]
    assert (tmp_path / "out/points" / deep.point / "results.json").read_text() == alone.to_json()
    assert deep.verdict == alone.verdict
    assert deep.level == "not-established"
    assert deep.concerning("gc_write_amplification") == "doubt"
    assert deep.concerning("simulated_ns") is None


def test_settings_of_a_variant_win_over_those_of_an_axis(tmp_path: Path) -> None:
    found = run(tmp_path / "out")
    made = Experiment.from_dict(SMALL)
    one, two = workloads_of(made.parts)
    deep = variants(made)[2]
    assert (one.place[-1], two.place[-1]) == (("gc.pages_in_flight", "1"), ("gc.pages_in_flight", "2"))
    assert found[one, deep, 0].point == found[two, deep, 0].point


def test_points_that_the_sweep_has_are_not_run_again(tmp_path: Path) -> None:
    first, second = tmp_path / "sweep-first", tmp_path / "variants-first"
    reclaim.sweep(SMALL, first)
    before = stored(first)
    found = run(first)
    assert stored(first)[: len(before)] == before
    extra = {each.point for each in found.values() if each.ran} - set(before)
    assert sorted(stored(first)[len(before) :]) == sorted(extra)
    assert len(extra) == 2
    assert run(second) == found
    swept = sweep_into(Experiment.from_dict(SMALL), second)
    assert (swept.total, swept.before, swept.aside) == (8, 8, 0)
    assert len(stored(second)) == len(set(stored(second))) == 10
    assert contents(first) == contents(second)
    assert reclaim.ResultSet.load(second).failures == []


def test_a_sweep_leaves_points_of_instruments_where_they_are_and_out_of_its_tables(tmp_path: Path) -> None:
    alone, both = tmp_path / "alone", tmp_path / "both"
    sweep_into(Experiment.from_dict(SMALL), alone)
    found = run(both)
    sweep_into(Experiment.from_dict(SMALL), both)
    for name in ("points.parquet", "histograms.parquet", "manifest.json"):
        assert (both / name).read_bytes() == (alone / name).read_bytes(), name
    points = {each.point for each in found.values() if each.ran}
    swept = set(pl.read_parquet(both / "points.parquet")["point"])
    assert points - swept
    assert all((both / "points" / each).is_dir() for each in points)
    assert set(json.loads((both / NAME / "points.json").read_text())) == points


def test_what_an_instrument_no_longer_keeps_is_put_aside_and_comes_back(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    found = run(folder)
    made = Experiment.from_dict(SMALL)
    run_variants(made, variants(made)[:2], folder)
    assert sweep_into(made, folder).aside == 2
    log = stored(folder)
    assert run(folder) == found
    assert stored(folder) == log
    assert not (folder / "aside").exists()


def test_a_damaged_point_is_named_and_run_again(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    found = run(folder)
    made = Experiment.from_dict(SMALL)
    deep = next(each for run, each in found.items() if run.variant.name == "deep")
    (folder / "points" / deep.point / "results.json").write_text("{}")
    points = Points(made)
    with running(made, NAME, points, folder, How()) as runs:
        again = runs.run(runs_of(workloads_of(made.parts), variants(made), range(2)))
        assert (runs.before, len(runs.damaged)) == (9, 1)
        assert deep.point in runs.damaged[0]
    assert again == found


def test_runs_can_be_asked_for_in_several_steps(tmp_path: Path) -> None:
    made = Experiment.from_dict(SMALL)
    points, (one, two) = Points(made), workloads_of(made.parts)
    with running(made, NAME, points, tmp_path / "out", How(workers=1)) as runs:
        first = runs.run(runs_of([one], variants(made), range(1)))
        # Repeats past those of the file are fresh ones.
        more = runs.run(runs_of([one, two], variants(made)[:1], [0, 1, 7]))
        listed = set(json.loads((runs.place / "points.json").read_text()))
    assert more[one, variants(made)[0], 0] == first[one, variants(made)[0], 0]
    assert more[one, variants(made)[0], 7].figures != more[one, variants(made)[0], 1].figures
    assert listed == {each.point for each in (*first.values(), *more.values()) if each.ran}
