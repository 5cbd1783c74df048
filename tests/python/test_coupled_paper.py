"""The CoupledCB paper as it ships: claims have figures, figures are right, models see no test data."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from coupled import past, training
from coupled.cells import BASELINE, COUPLED, FREE, OSPADA, PCGC, TP, WORKLOADS, Cells
from coupled.statements import names, of_runs
from coupled.tables import of_page, tables
from coupled.training import OTHERS, TESTED, Sample, trained
from reclaim.papers.custom import Custom, Ran, figures_of_variations, module_of
from reclaim.papers.evaluation import Variations, evaluate
from reclaim.papers.experiments import read_table
from reclaim.papers.paper import load_paper
from reclaim.papers.variants import scheme_name, trace_table
from reclaim.shipped import PAPERS

PLACE = PAPERS / "coupled-copyback"
CLAIMS = 74
"""That the paper makes: abstract to conclusion."""
OURS = "past-"
SCHEMES = (TP, BASELINE, OSPADA, PCGC, COUPLED, FREE)
WASTED = {TP: 50, BASELINE: 100, OSPADA: 80, PCGC: 4, COUPLED: 1, FREE: 0}
MOVED = {TP: 150, BASELINE: 200, OSPADA: 180, PCGC: 110, COUPLED: 100, FREE: 99}
REPEATS = 3


def experiment(name: str) -> dict[str, Any]:
    return read_table(PLACE / f"{name}.toml", PLACE)


def test_every_printed_claim_is_there() -> None:
    claims = load_paper("coupled-copyback").expected.claims
    assert sum(not each.id.startswith(OURS) for each in claims) == CLAIMS
    printed = {each.id: each.value for each in claims if each.kind in ("ratio", "value")}
    assert printed["s4b-waste-vs-baseline"] == 98.6
    assert printed["t3-accuracy-ali181"] == 98.7


def test_every_claim_has_a_figure_or_says_why_not() -> None:
    claims = load_paper("coupled-copyback").expected.claims
    silent = [each.id for each in claims if not (each.figure or each.repeats or each.outside or each.missing)]
    assert silent == []


@pytest.mark.parametrize("name", ["cells", "roomy", "ssdsim"])
def test_all_workloads_and_schemes_are_there(name: str) -> None:
    table = experiment(name)
    assert [scheme_name(each) for each in table["schemes"]] == list(SCHEMES)
    assert [trace_table(each)["name"] for each in table["traces"]] == list(WORKLOADS)


def points(repeats: int = REPEATS) -> pl.DataFrame:
    """Two workloads, of which the second wastes and moves twice as much."""

    def point(at: int, workload: str, scheme: str, repeat: int) -> dict[str, object]:
        return {
            "experiment_key": "cells",
            "load": "30%",
            "vary": "",
            "trace": workload,
            "scheme": scheme,
            "repeat": repeat,
            "flash_wasted_pages": WASTED[scheme] * 1000 * at + repeat,
            "flash_gc_programs": MOVED[scheme] * 1000 * at,
            "flash_copybacks": (MOVED[scheme] + (10 if scheme == COUPLED else 0)) * 1000 * at,
            "flash_gc_reads": 0,
            "gc_write_amplification": 1 + MOVED[scheme] / 100,
            "gc_relocation_filled_pages": 10_000 * at if scheme == COUPLED else 0,
            "gc_relocation_filled_pages_changed": 200 * at if scheme == COUPLED else 0,
            "read_count": 1,
            "read_mean_ns": 100.0,
            "write_count": 3,
            "write_mean_ns": 100.0 + MOVED[scheme],
            "write_p99_99_ns": 10.0 * MOVED[scheme],
        }

    return pl.DataFrame(
        [
            point(at, workload, scheme, repeat)
            for at, workload in enumerate(("stg_0", "ali77"), 1)
            for scheme in SCHEMES
            for repeat in range(repeats)
        ]
    )


@pytest.fixture(scope="module")
def found() -> Mapping[str, Custom]:
    return of_runs(Ran("quick", "30%", points(), Path()))


def value(found: Mapping[str, Custom], name: str) -> float:
    figure = found[name].figure
    assert figure is not None, name
    return figure.value


def test_every_figure_that_a_claim_asks_for_is_brought(found: Mapping[str, Custom]) -> None:
    assert set(names()) <= set(found)
    lacking = {name for name, each in found.items() if each.figure is None}
    assert {"plateau-at-three", "oracle-moves", "qlc-left", "accuracy-ali2"} <= lacking
    assert not lacking & {"waste-pcgc", "moves-mean", "latency-best", "accuracy-stg_0"}


def test_reductions_and_what_is_left(found: Mapping[str, Custom]) -> None:
    assert value(found, "waste-copyback-fsp") == pytest.approx(99, abs=0.01)
    assert value(found, "coupled-left") == pytest.approx(1, abs=0.01)
    assert value(found, "pcgc-left") == pytest.approx(4, abs=0.01)
    assert value(found, "fsp-by-tp") == pytest.approx(2, abs=0.001)
    assert value(found, "moves-pcgc") == pytest.approx(100 * (1 - 100 / 110))
    assert value(found, "tail-pcgc") == pytest.approx(100 * (1 - 100 / 110))
    mean = {scheme: (100 + 3 * (100 + moved)) / 4 for scheme, moved in MOVED.items()}
    assert value(found, "latency-copyback-fsp") == pytest.approx(100 * (1 - mean[COUPLED] / mean[BASELINE]))
    assert value(found, "left-to-win") == pytest.approx(0.99)


def test_accuracy_and_what_a_fill_costs(found: Mapping[str, Custom]) -> None:
    assert value(found, "accuracy-stg_0") == pytest.approx(98)
    assert value(found, "accuracy-mean") == pytest.approx(98)
    assert value(found, "reads-per-fill") == pytest.approx((110 - 100 + 10) / 10)
    assert value(found, "input-memory") == pytest.approx(32.08, abs=0.005)


def test_orders_are_of_each_pair(found: Mapping[str, Custom]) -> None:
    parts = dict(found["waste-order"].parts)
    assert [name for name, _ in found["waste-order"].parts] == [
        f"{COUPLED} / {PCGC}",
        f"{PCGC} / {BASELINE}",
        f"{BASELINE} / {OSPADA}",
    ]
    assert parts[f"{BASELINE} / {OSPADA}"].value == pytest.approx(1.25, abs=0.001)
    assert value(found, "waste-decides") == value(found, "latency-follows-moves") == 1


def test_an_oracle_beside_the_regression() -> None:
    schemes = {COUPLED: (100, 300), past.ORACLE: (96, 30), FREE: (95, 0)}
    schemes |= dict.fromkeys(past.GATES, (110, 600))
    gates = points().filter(pl.col("scheme") == COUPLED).drop("scheme")
    frames = [
        gates.with_columns(
            pl.lit(scheme).alias("scheme"),
            pl.lit("gates").alias("experiment_key"),
            pl.lit(moved).alias("flash_gc_programs"),
            pl.lit(changed).alias("gc_relocation_filled_pages_changed"),
        )
        for scheme, (moved, changed) in schemes.items()
    ]
    figures = of_runs(Ran("default", "30%", pl.concat(frames), Path()))
    assert value(figures, "oracle-moves") == pytest.approx(0.96)
    assert value(figures, "oracle-errors") == pytest.approx(0.1)
    assert value(figures, "left-behind-oracle") == pytest.approx(95 / 96)
    assert value(figures, "moves-by-all-admitted") == pytest.approx(1 / 1.1)
    assert value(figures, "errors-by-plain-rule") == pytest.approx(0.5)
    assert value(figures, "accuracy-is-learned") == 1
    assert figures["qlc-waste"].figure is None, "of --full"


def test_other_readings_stand_beside_the_default() -> None:
    closed = points().with_columns(
        pl.lit("open-unit=closed").alias("vary"),
        pl.when(pl.col("scheme") == PCGC)
        .then(20_000)
        .otherwise(pl.col("flash_wasted_pages"))
        .alias("flash_wasted_pages"),
    )
    faster = points().with_columns(pl.lit("60%").alias("load"))
    ran = Ran("full", "30%", pl.concat([points(), closed, faster], how="vertical_relaxed"), Path())
    paper = load_paper("coupled-copyback")
    loads, vary = ("30%", "60%", "closed"), ("open-unit=closed",)
    varied = figures_of_variations(module_of(paper), ran, loads, vary)
    assert set(varied) == {"60%", "closed", "open-unit=closed"}
    assert varied["closed"] == {}
    rows = evaluate(paper, ran.points, of_runs(ran), Variations(loads, vary), None, varied)
    row = next(each for each in rows if each.claim.id == "s4b-pcgc-waste-left")
    assert row.figure is not None
    assert row.figure.value == pytest.approx(4, abs=0.01), "the verdict rests on the default"
    assert [(each.label, each.figure.value) for each in row.readings] == [
        ("open-unit=closed", pytest.approx(15, abs=0.01))
    ]
    assert [each.label for each in row.loads] == ["60%"]


def test_a_shape_that_one_repeat_breaks_is_not_there() -> None:
    broken = points().with_columns(
        pl.when((pl.col("scheme") == PCGC) & (pl.col("repeat") == 1) & (pl.col("trace") == "ali77"))
        .then(1e9)
        .otherwise(pl.col("write_mean_ns"))
        .alias("write_mean_ns")
    )
    figures = of_runs(Ran("quick", "30%", broken, Path()))
    assert value(figures, "latency-follows-moves") == 0
    assert value(figures, "waste-decides") == 1


def test_too_few_repeats_have_no_interval() -> None:
    figure = of_runs(Ran("quick", "30%", points(repeats=2), Path()))["waste-decides"].figure
    assert figure is not None
    assert figure.low is figure.high is None


def test_workloads_are_in_the_papers_order() -> None:
    assert Cells(points()).workloads == ["stg_0", "ali77"]


def test_the_page_counts_moves_with_and_without_fills() -> None:
    ran = Ran("quick", "30%", points().with_columns(gc_padded_pages_per_host_page=0.5), Path())
    figures = of_page(ran)
    # Of 100 pages moved 10 fill a unit; PcGC moves 110, and without the rule it is 99.
    assert figures["fewer of victims than PcGC"].figure.value == pytest.approx(100 * (1 - 90 / 110))
    assert figures["fewer without the rule than PcGC"].figure.value == pytest.approx(10)
    assert figures["most padding"].figure.value == 0.5
    (beside,) = tables(ran)
    rows = {row[0]: row[1:] for row in beside.rows}
    assert rows["fewer pages moved than `pcgc`"][-1].startswith("9.09 %")
    assert rows["fewer pages of victims moved than `pcgc`, fills not counted"][-1].startswith("18.18 %")


def samples(ratio: float, invalidated: int) -> list[Sample]:
    return [([ratio + at / 100] * 8, at < invalidated) for at in range(20)]


def test_a_model_never_sees_its_workload() -> None:
    every = {"stg_0": samples(0.1, 3), "ali77": samples(0.5, 15), "ali2": samples(0.3, 9)}
    without = trained(every, without="ali77")
    rest = {name: each for name, each in every.items() if name != "ali77"}
    assert without == trained(rest)
    assert without == trained(every | {"ali77": samples(0.9, 20)}, without="ali77")
    assert without != trained(every)


def test_no_workload_is_trained_on_under_another_name() -> None:
    sources = [each.source for each in (*TESTED.values(), *OTHERS.values())]
    assert len(set(sources)) == len(sources)
    assert list(TESTED) != []
    assert set(TESTED) == set(WORKLOADS)
    for name in TESTED:
        assert [
            source for source in sources if f"/{name}" in f"{source}-" and f"/{name}-" in f"{source}-"
        ] == [TESTED[name].source]


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
    assert training.RATE == 0.05
    assert training.ITERATIONS == 20
