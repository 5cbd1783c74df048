"""The CoupledCB paper as it ships: claims have figures, figures are right, models see no test data."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import coupled
import made_points
from coupled import training
from coupled.cells import BASELINE, COUPLED, FREE, OSPADA, PCGC, TP, WORKLOADS
from coupled.statements import GATES, ORACLE
from coupled.training import OTHERS, TESTED, Sample, trained
from made_points import told, values
from reclaim.paper.evaluation import Evidence, Variations
from reclaim.paper.experiments import read_table, scheme_name, trace_table
from reclaim.paper.figures import LevelRuns, PaperFigure
from reclaim.paper.measures import of_runs
from reclaim.paper.paper import load_paper
from reclaim.shipped import PAPERS

PLACE = PAPERS / "coupled-copyback"
CLAIMS = 74
"""That the paper makes: abstract to conclusion."""
OURS = "past-"
SCHEMES = (TP, BASELINE, OSPADA, PCGC, COUPLED, FREE)
WASTED = {TP: 50, BASELINE: 100, OSPADA: 80, PCGC: 4, COUPLED: 1, FREE: 0}
MOVED = {TP: 150, BASELINE: 200, OSPADA: 180, PCGC: 110, COUPLED: 100, FREE: 99}


def experiment(name: str) -> dict[str, Any]:
    return read_table(PLACE / f"{name}.toml", PLACE)


def test_every_printed_claim_is_there_with_a_figure_or_why_not() -> None:
    claims = load_paper("coupled-copyback").expected.claims
    assert sum(not each.id.startswith(OURS) for each in claims) == CLAIMS
    printed = {each.id: each.value for each in claims}
    assert (printed["s4b-waste-vs-baseline"], printed["t3-accuracy-ali181"]) == (98.6, 98.7)
    assert all(each.figure or each.repeats or each.outside or each.missing for each in claims)


def test_all_workloads_and_schemes_are_there() -> None:
    for name in ("cells", "roomy", "ssdsim"):
        table = experiment(name)
        assert [scheme_name(each) for each in table["schemes"]] == list(SCHEMES)
        assert [trace_table(each)["name"] for each in table["traces"]] == list(WORKLOADS)


def points(repeats: int = 3) -> pl.DataFrame:
    """Two workloads, of which the second wastes and moves twice as much."""
    counted = {
        scheme: {
            "flash_wasted_pages": WASTED[scheme] * 1000,
            "flash_gc_programs": moved * 1000,
            "flash_copybacks": (moved + (10 if scheme == COUPLED else 0)) * 1000,
            "gc_relocation_filled_pages": 10_000 if scheme == COUPLED else 0,
            "gc_relocation_filled_pages_changed": 200 if scheme == COUPLED else 0,
            "gc_write_amplification": 1 + moved / 100,
            "write_mean_ns": 100.0 + moved,
            "write_p99_99_ns": 10.0 * moved,
        }
        for scheme, moved in MOVED.items()
    }
    same = {"load": "30%", "flash_gc_reads": 0, "read_count": 1, "read_mean_ns": 100.0, "write_count": 3}
    made = made_points.points(counted, ("stg_0", "ali77"), repeats, **same)
    twice = pl.when(pl.col("trace") == "ali77").then(2).otherwise(1)
    of_pages = pl.col("^(flash_w|flash_gc_p|flash_c|gc_r).*$") * twice
    return made.with_columns(of_pages).with_columns(pl.col("flash_wasted_pages") + pl.col("repeat"))


def ran_of(points: pl.DataFrame, level: Any = "quick") -> LevelRuns:
    return LevelRuns(level, "30%", points, Path())


def figures(runs: LevelRuns) -> Mapping[str, PaperFigure]:
    return told("coupled-copyback", runs, coupled).figures


@pytest.fixture(scope="module")
def found() -> Mapping[str, PaperFigure]:
    return figures(ran_of(points()))


def test_figures_of_what_did_not_run_are_not_there(found: Mapping[str, PaperFigure]) -> None:
    there = set(values(found))
    assert not {"plateau-at-three", "oracle-moves", "qlc-left", "accuracy-ali2"} & there
    assert {"waste-pcgc", "moves-mean", "latency-best", "accuracy-stg_0"} <= there


def test_reductions_what_is_left_and_what_a_fill_costs(found: Mapping[str, PaperFigure]) -> None:
    mean = {scheme: (100 + 3 * (100 + moved)) / 4 for scheme, moved in MOVED.items()}
    expected = {
        "waste-copyback-fsp": 99,
        "coupled-left": 1,
        "pcgc-left": 4,
        "fsp-by-tp": 2,
        "moves-pcgc": 100 * (1 - 100 / 110),
        "tail-pcgc": 100 * (1 - 100 / 110),
        "latency-copyback-fsp": 100 * (1 - mean[COUPLED] / mean[BASELINE]),
        "left-to-win": 0.99,
        "accuracy-stg_0": 98,
        "accuracy-mean": 98,
        "reads-per-fill": (110 - 100 + 10) / 10,
        "input-memory": 32.08,
        "waste-decides": 1,
        "latency-follows-moves": 1,
    }
    there = values(found)
    assert {name: there[name] for name in expected} == pytest.approx(expected, abs=0.005)
    parts = {name: figure.value for name, figure in found["waste-order"].parts}
    order = [f"{COUPLED} / {PCGC}", f"{PCGC} / {BASELINE}", f"{BASELINE} / {OSPADA}"]
    assert list(parts) == order
    assert parts[order[-1]] == pytest.approx(1.25, abs=0.001)


def test_an_oracle_beside_the_regression() -> None:
    schemes = {COUPLED: (100, 300), ORACLE: (96, 30), FREE: (95, 0)}
    schemes |= dict.fromkeys(GATES, (110, 600))
    gates = points().filter(pl.col("scheme") == COUPLED)
    frames = [
        gates.with_columns(
            scheme=pl.lit(scheme),
            experiment_key=pl.lit("gates"),
            flash_gc_programs=pl.lit(moved),
            gc_relocation_filled_pages_changed=pl.lit(changed),
        )
        for scheme, (moved, changed) in schemes.items()
    ]
    found = values(figures(ran_of(pl.concat(frames), "default")))
    expected = {
        "oracle-moves": 0.96,
        "oracle-errors": 0.1,
        "left-behind-oracle": 95 / 96,
        "moves-by-all-admitted": 1 / 1.1,
        "errors-by-plain-rule": 0.5,
        "accuracy-is-learned": 1,
    }
    assert {name: found[name] for name in expected} == pytest.approx(expected)
    assert "qlc-waste" not in found, "of --full"


def test_other_readings_stand_beside_the_default() -> None:
    wasted = pl.when(pl.col("scheme") == PCGC).then(20_000).otherwise(pl.col("flash_wasted_pages"))
    closed = points().with_columns(vary=pl.lit("open-unit=closed"), flash_wasted_pages=wasted)
    faster = points().with_columns(load=pl.lit("60%"))
    ran = ran_of(pl.concat([points(), closed, faster], how="vertical_relaxed"), "full")
    paper = load_paper("coupled-copyback")
    loads, vary = ("30%", "60%", "closed"), ("open-unit=closed",)
    of_ran = of_runs(paper.folder, coupled, ran, loads, vary)
    varied = of_ran.varied
    assert set(varied) == {"60%", "closed", "open-unit=closed"}
    assert varied["closed"] == {}
    rows = Evidence(paper, ran.points, of_ran.figures, Variations(loads, vary), varied=varied).rows()
    row = next(each for each in rows if each.claim.id == "s4b-pcgc-waste-left")
    assert row.figure is not None
    assert row.figure.value == pytest.approx(4, abs=0.01), "the agreement rests on the default"
    ((reading,), (load,)) = row.readings, row.loads
    assert (reading.label, reading.figure.value) == ("open-unit=closed", pytest.approx(15, abs=0.01))
    assert load.label == "60%"


def test_a_shape_that_one_repeat_breaks_is_not_there() -> None:
    one = (pl.col("scheme") == PCGC) & (pl.col("repeat") == 1) & (pl.col("trace") == "ali77")
    write = pl.when(one).then(1e9).otherwise(pl.col("write_mean_ns"))
    found = values(figures(ran_of(points().with_columns(write_mean_ns=write))))
    assert (found["latency-follows-moves"], found["waste-decides"]) == (0, 1)


def test_too_few_repeats_have_no_interval() -> None:
    figure = figures(ran_of(points(repeats=2)))["waste-decides"].figure
    assert figure is not None
    assert figure.low is figure.high is None


def test_the_page_counts_moves_with_and_without_fills() -> None:
    ran = ran_of(points().with_columns(gc_padded_pages_per_host_page=0.5))
    of_ran = told("coupled-copyback", ran, coupled)
    figures = values(of_ran.figures)
    # Of 100 pages moved 10 fill a unit; PcGC moves 110, and without the rule it is 99.
    assert figures["fewer of victims than PcGC"] == pytest.approx(100 * (1 - 90 / 110))
    assert figures["fewer without the rule than PcGC"] == pytest.approx(10)
    assert figures["most padding"] == 0.5
    (beside,) = of_ran.tables
    rows = {row[0]: row[-1] for row in beside.rows}
    assert rows["fewer pages moved than `pcgc`"].startswith("9.09 %")
    assert rows["fewer pages of victims moved than `pcgc`, fills not counted"].startswith("18.18 %")


def samples(ratio: float, invalidated: int) -> list[Sample]:
    return [([ratio + at / 100] * 8, at < invalidated) for at in range(20)]


def test_a_model_never_sees_its_workload() -> None:
    every = {"stg_0": samples(0.1, 3), "ali77": samples(0.5, 15), "ali2": samples(0.3, 9)}
    without = trained(every, without="ali77")
    assert without == trained({name: each for name, each in every.items() if name != "ali77"})
    assert without == trained(every | {"ali77": samples(0.9, 20)}, without="ali77")
    assert without != trained(every)


def test_no_workload_is_trained_on_under_another_name() -> None:
    sources = [each.source for each in (*TESTED.values(), *OTHERS.values())]
    assert len(set(sources)) == len(sources)
    assert set(TESTED) == set(WORKLOADS) != set()
    for name in TESTED:
        assert [each for each in sources if f"/{name}-" in f"{each}-"] == [TESTED[name].source]


def test_every_tested_workload_has_a_model_of_its_own() -> None:
    models = tomllib.loads((PLACE / "models.toml").read_text(encoding="utf-8"))
    assert set(models) == set(WORKLOADS)
    assert len({str(each) for each in models.values()}) == len(WORKLOADS)
    for name in WORKLOADS:
        given = models[name]["gc"]["relocation"]["model"]
        assert {len(given[key]) for key in ("weights", "means", "deviations")} == {8}
    drives = {trace_table(each)["name"]: trace_table(each)["set"] for each in experiment("cells")["traces"]}
    for name, each in TESTED.items():
        assert drives[name]["geometry.blocks_per_plane"] == each.blocks, "trained on drives as full"
        assert drives[name].get("trace.sample", "") == each.sample
    assert (training.RATE, training.ITERATIONS) == (0.05, 20)
