"""Tables and quoted figures of CoupledCB's page, worked out by hand from repeats that are alike."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from coupled import separation, statements
from coupled.training import thinned
from made_points import columns, points, told, values
from reclaim.paper.figures import LevelRuns, PageTable

FOLDER = Path(__file__).parents[2] / "papers" / "coupled-copyback"
NEVER, SOON = {"flash.flush_after": "1000s"}, {"flash.flush_after": "1ms"}


ALLOCATIONS = ("page by page", "a request's unit", "any unit", "OSPADA")
LENDERS = ("copyback-fsp", "1 blocks", "2 blocks", "3 blocks", "4 blocks", "pcgc")


def tables(runs: LevelRuns) -> tuple[PageTable, ...]:
    return told("coupled-copyback", runs).tables


def figures(runs: LevelRuns) -> dict[str, float]:
    return values(told("coupled-copyback", runs).figures)


def runs_of(experiment: str, points: pl.DataFrame) -> LevelRuns:
    of = {} if points.is_empty() else {"experiment_key": pl.lit(experiment), "load": pl.lit("30%")}
    return LevelRuns("default", "30%", points.with_columns(**of), Path())


def rows_of(table: PageTable) -> tuple[tuple[str, ...], ...]:
    assert {len(row) for row in table.rows} == {len(table.head)}
    return table.rows


CONTROLS = columns(
    "flash_wasted_pages flash_gc_programs gc_relocation_filled_pages mean_latency_ns gc_jobs"
    " gc_victim_empty_victims gc_nand_write_amplification",
    {
        "copyback-fsp": (200, 900, 0, 400.0, 20, 0, 2.5),
        "pcgc": (50, 500, 0, 200.0, 10, 1, 2.5),
        "coupledcb": (1, 450, 150, 190.0, 10, 2, 2.0),
        "all admitted": (2, 450, 100, 200.0, 10, 2, 2.5),
    },
)


def control_runs(key: str, workloads: tuple[str, ...], schemes: Iterable[str] = CONTROLS) -> LevelRuns:
    """Of other workloads than the first write amplification is 3 in place of 2."""
    given = {scheme: CONTROLS.get(scheme, CONTROLS["pcgc"]) for scheme in schemes}
    same = {"gc_padded_pages_per_host_page": 0.5, "gc_valid_pages_per_victim": 40.0}
    same |= {"utilisation_die": 0.6, "write_p99_99_ns": 1.0}
    made = points(given, workloads, experiment_key=key, load="30%", **same)
    written = pl.when(pl.col("trace") == workloads[0]).then(2.0).otherwise(3.0)
    return LevelRuns("default", "30%", made.with_columns(gc_write_amplification=written), Path())


def test_both_counts_of_moved_pages_stand_beside_the_gate_and_latency() -> None:
    found = figures(control_runs("shuffled", ("stg_0", "ali2")))
    expected = {
        "stg_0, CoupledCB, fewer moved": 10,
        "stg_0, CoupledCB, fewer of victims": 40,
        "stg_0, without the gate, fewer of victims": 30,
        "stg_0, CoupledCB, fewer bytes programmed": 20,
        "stg_0, the gate, fewer moved": 0,
        "stg_0, the gate, lower mean latency": 5,
        "stg_0, jobs that move pages": 80,
        "stg_0, of the moved pages, lent": 100 / 3,
        "stg_0, waste that `pcgc` leaves": 25,
        "mean, write amplification": 2.5,
    }
    assert {name: found[f"shuffled, {name}"] for name in expected} == pytest.approx(expected)


def test_means_are_over_workloads_on_blocks_of_one_size() -> None:
    ran = control_runs("units", ("mysql, 96 pages", "sqlite, 96 pages", "mysql, 510 pages"))
    (table,) = tables(ran)
    assert [row[0] for row in rows_of(table)][3:] == ["mean, 96 pages"]
    assert figures(ran)["units, mean, 96 pages, write amplification"] == 2.5


def test_a_control_that_did_not_run_has_no_column() -> None:
    (table,) = tables(control_runs("settings", ("stg_0",), ("pcgc", "coupledcb", "all admitted")))
    assert not any("controller" in head or "leaves" in head for head in table.head)
    assert [row[0] for row in table.rows] == ["stg_0"], "no mean of one"
    assert tables(LevelRuns("default", "30%", pl.DataFrame(), Path())) == ()


def test_waste_falls_with_blocks_that_lend() -> None:
    found = figures(control_runs("figure-3", ("stg_0",), LENDERS))
    assert [found[f"figure-3, stg_0, waste that {blocks} leaves"] for blocks in (0, 3)] == [100, 25]


FULLNESS = columns(
    "flash_wasted_pages flash_gc_programs gc_relocation_filled_pages gc_padded_pages_per_host_page"
    " write_p99_99_ns",
    {
        "copyback-tp": (50, 400, 0, 0.0, 100.0),
        "copyback-fsp": (100, 500, 0, 0.5, 100.0),
        "pcgc": (20, 400, 0, 0.4, 100.0),
        "coupledcb": (1, 380, 60, 0.3, 150.0),
    },
)
FULLER = pl.concat(
    points(FULLNESS, **{"warmup.valid_share": share}, **wait)
    for share, wait in (("70%", NEVER), ("20%", SOON))
)
ONE_PASS = columns(
    "flash_wasted_pages flash_gc_programs gc_relocation_filled_pages gc_padded_pages_per_host_page"
    " gc_valid_pages_per_victim",
    {
        "copyback-tp": (50, 400, 0, 0.0, 7.0),
        "copyback-fsp": (100, 500, 0, 0.5, 8.0),
        "ospada": (110, 510, 0, 0.5, 8.0),
        "pcgc": (20, 400, 0, 0.4, 7.0),
        "coupledcb": (1, 380, 60, 0.3, 6.0),
        "beside the victim": (15, 390, 10, 0.3, 6.0),
    },
)
PLAYED_ONCE = pl.concat(
    points(ONE_PASS, drive=drive, **{"warmup.kind": start}, **wait)
    for drive, start, wait in (("16 GiB", "empty", NEVER), ("11 GiB", "workload", SOON))
)


def test_padded_settings_and_emptier_drives_come_first() -> None:
    (table,) = tables(runs_of("fullness", FULLER))
    padded, other = rows_of(table)
    assert (padded[:3], other[:3]) == (("stg_0", "20%", "padded after 1ms"), ("stg_0", "70%", "never padded"))
    assert padded[3:] == ("0.50", "2.00", "20.00 %", "1.00 %", "24.00 %", "5.00 %", "20.00 %", "1.50")
    found = figures(runs_of("fullness", FULLER))
    assert found["stg_0, 70%, never padded, fewer moved than `pcgc`"] == pytest.approx(5)


def test_each_setting_of_one_play_has_its_row() -> None:
    (table,) = tables(runs_of("one-pass", PLAYED_ONCE))
    empty, full = rows_of(table)
    assert full[:3] == ("11 GiB", "full, and played until steady", "padded after 1ms")
    assert empty == (
        *("16 GiB", "empty", "never padded", "0.50", "8.00", "2.00"),
        *("110.00 %", "20.00 %", "1.00 %", "15.00 %", "24.00 %", "5.00 %", "36.00 %", "20.00 %"),
    )
    found = figures(runs_of("one-pass", PLAYED_ONCE))
    assert found["16 GiB, empty, never padded, fewer of victims than `pcgc`"] == pytest.approx(20)


@pytest.mark.parametrize(("of", "given"), [("fullness", FULLER), ("one-pass", PLAYED_ONCE)])
def test_what_cannot_be_divided_is_left_out(of: str, given: pl.DataFrame) -> None:
    moved = pl.when(pl.col("scheme") != "coupledcb").then(0).otherwise(5)
    nothing = given.with_columns(flash_gc_programs=moved)
    runs = runs_of(of, nothing)
    (table,) = tables(runs)
    rows = dict(zip(table.head, table.rows[0], strict=True))
    assert {text for head, text in rows.items() if head.startswith("fewer")} == {"–"}
    assert not any("fewer moved than `pcgc`" in name for name in figures(runs))


PARTS = {
    # Pages wasted, and moved, with the host's pages spread one by one.
    "copyback-fsp": (100, 500),
    "pcgc": (20, 450),
    "filling": (4, 480),
    "filling, gate": (5, 470),
    "pointers, filling": (1, 440),
    "coupledcb": (2, 400),
}
REMARKS = {
    "pcgc": '{"doubt": {"flash_gc_programs": ["unlike-warmup"]}}',
    # Few reads say nothing of how steady a run is.
    "coupledcb": '{"doubt": {"read_p99_99_ns": ["few-requests"]}}',
}


def part_runs(allocations: tuple[str, ...] = ALLOCATIONS) -> pl.DataFrame:
    """Under every other allocation the baseline wastes and moves twice as much, and the others the same."""
    same: dict[str, Any] = {"gc_relocation_filled_pages": 0, "gc_padded_pages_per_host_page": 0.5, **NEVER}
    given = columns("flash_wasted_pages flash_gc_programs", PARTS)
    made = points(given, **same).with_columns(
        remarks_by_metric=pl.col("scheme").replace_strict(REMARKS, default="")
    )
    twice = pl.when((pl.col("allocation") != "page by page") & (pl.col("scheme") == "copyback-fsp"))
    counted = pl.col("flash_wasted_pages", "flash_gc_programs") * twice.then(2).otherwise(1)
    return pl.concat(made.with_columns(allocation=pl.lit(each)).with_columns(counted) for each in allocations)


def test_waste_and_moves_are_beside_the_baseline_of_the_same_allocation() -> None:
    def shown(*shares: float) -> tuple[str, ...]:
        return tuple(f"{each:.2f} %" for each in shares)

    waste, moves = map(rows_of, tables(runs_of("parts", part_runs())))
    assert [row[2] for row in waste] == list(ALLOCATIONS)
    assert waste[0][:5] == ("stg_0", "never padded", "page by page", "83.33 %", "0.50")
    assert waste[0][5:] == shown(100, 20, 4, 5, 1, 2)
    assert waste[3][5:] == shown(200, 10, 2, 2.5, 0.5, 1)
    assert moves[0][3:] == shown(100, 10, 4, 6, 12, 20, 2.22, 9.09, 4, 12)
    assert moves[3][3:] == shown(200, 55, 52, 53, 56, 60, 2.22, 9.09, 52, 56)
    found = figures(runs_of("parts", part_runs()))
    assert found["stg_0, never padded, any unit, fewer moved with all three"] == pytest.approx(60)


LEARNED = {
    "pcgc": 100,
    "regression": 90,
    "label: until collected": 100,
    "trained until collected": 85,
    "trained beforehand alone": 88,
    "label: share": 95,
    "coin": 100,
    "all admitted": 110,
    "half invalid": 50,
    "future": 75,
    "future, all blocks": 20,
    "beside the victim": 95,
}
LEARNT = points(
    {
        scheme: {
            "flash_gc_programs": moved,
            "flash_wasted_pages": {"pcgc": 40, "beside the victim": 30}.get(scheme, 0),
            "gc_relocation_filled_pages": 0 if scheme == "pcgc" else 20,
            "gc_relocation_filled_pages_changed": 5 if scheme == "coin" else 4,
        }
        for scheme, moved in LEARNED.items()
    },
    remarks_by_metric="",
    **{"warmup.valid_share": "50%"},
    **NEVER,
)


def test_each_rule_is_beside_the_coin_and_filling_beside_what_fills_nothing() -> None:
    rules, filling = tables(runs_of("learning", LEARNT))
    fewer = tuple(f"{each}.00 %" for each in (10, 0, 15, 12, 5, -10, 50, 25, 80))
    assert rows_of(rules) == (("stg_0", "50%", "never padded", *fewer, "20.00 %", "25.00 %", "100.00 %"),)
    assert filling.rows[0][3:] == ("10.00 %", "100.00 %", "5.00 %", "25.00 %")
    (only,) = tables(runs_of("learning", LEARNT.filter(pl.col("scheme") != "coin")))
    assert only.name == "filling"


def test_settings_are_counted_by_what_the_draws_show() -> None:
    found = values(statements.of_runs(runs_of("learning", LEARNT)))
    assert found["learning, settings"] == 1
    # Two draws that are alike have no interval: the value itself decides.
    assert (found["learning, regression, fewer in"], found["learning, regression, more in"]) == (1, 0)
    assert (found["learning, all admitted, fewer in"], found["learning, all admitted, more in"]) == (0, 1)
    assert found["learning, future, 3 blocks, most"] == pytest.approx(25)


@pytest.mark.parametrize(
    ("of", "given"),
    [
        ("fullness", pl.DataFrame()),
        ("fullness", FULLER.filter(pl.col("scheme") != "coupledcb")),
        ("one-pass", pl.DataFrame()),
        ("one-pass", PLAYED_ONCE.filter(pl.col("scheme") != "beside the victim")),
        ("parts", part_runs().clear()),
        ("learning", LEARNT.clear()),
    ],
)
def test_what_did_not_run_makes_no_table(of: str, given: pl.DataFrame) -> None:
    runs = runs_of(of, given)
    assert (tables(runs), figures(runs)) == ((), {})


def read(name: str) -> dict[str, Any]:
    return tomllib.loads((FOLDER / name).read_text(encoding="utf-8"))


def test_the_coin_has_the_bias_of_the_regression_and_nothing_else() -> None:
    models, coins = read("models.toml"), read("coins.toml")
    assert coins
    for name, given in coins.items():
        model = given["gc"]["relocation"]["model"]
        assert model["bias"] == models[name]["gc"]["relocation"]["model"]["bias"]
        assert set(model["weights"]) == {0}


KNOWS_NOTHING = (0.0, [0.0] * 8, [0.0] * 8, [1.0] * 8)


def samples(count: int, invalidated: int) -> list[tuple[list[float], float]]:
    """Blocks of which those with the highest invalid ratio live, and all had the same a window ago."""
    return [([1 - at / count, 0.5, *([0.25] * 6)], float(at >= count - invalidated)) for at in range(count)]


def test_an_input_of_the_wrong_sign_is_seen_and_a_fit_makes_up_for_it() -> None:
    found = separation.judged(samples(100, 25), KNOWS_NOTHING)
    assert (found["samples"], found["invalidated"]) == (100, 0.25)
    assert (found["invalid ratio"], found["fitted"], found["fitted to its own"]) == (0, 1, 1)
    assert (found["invalid ratio a window ago"], found["shipped"]) == (0.5, 0.5)
    # Who says a half is off by a quarter in the square; who says 25 % by 3/16.
    assert (found["said"], found["brier_gain"]) == pytest.approx((0.5, 1 - 0.25 / 0.1875))


def test_others_with_the_opposite_sign_mislead() -> None:
    opposite = [(inputs, 1 - target) for inputs, target in samples(100, 50)]
    assert separation.judged(samples(100, 25), KNOWS_NOTHING, opposite)["fitted to others"] == 0
    assert "fitted to others" not in separation.judged(samples(100, 25), KNOWS_NOTHING, opposite[:10])


def test_with_hardly_any_block_invalidated_only_counts_are_given() -> None:
    for given, invalidated in ((samples(1000, 19), 0.019), ([], 0)):
        expected = {"samples": len(given), "invalidated": invalidated}
        assert separation.judged(given, KNOWS_NOTHING) == expected


def test_a_workload_and_share_is_a_row_with_both_labels(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    few = {"workload": "stg_0", "share": "36%", "label": "half", "samples": 9, "invalidated": 0.001}
    more = few | {"label": "collected", "invalidated": 0.25, "said": 0.3, "brier_gain": -0.5}
    more |= {"shipped": 0.4, "fitted": 0.75, "fitted to its own": 0.7, "fitted to others": 0.6}
    more |= {"invalid ratio": 0.2}
    file = tmp_path / "separation.json"
    monkeypatch.setattr(separation, "FILE", file)
    assert separation.tables() == []
    file.write_text(json.dumps([few, more]), encoding="utf-8")
    (table,) = separation.tables()
    unknown, known = "– " * 7, "25.0_% 30.0_% -50.0_% 0.40 0.75 0.70 0.60 0.20"
    told = f"stg_0 36% 0.1_% {unknown}{known}".split()
    assert rows_of(table) == (tuple(each.replace("_%", " %") for each in told),)


def test_what_the_page_shows_is_of_every_setting() -> None:
    found = json.loads(separation.FILE.read_text(encoding="utf-8"))
    assert [(each["workload"], each["share"], each["label"]) for each in found] == [
        (name, share, label)
        for share in separation.SHARES
        for label in separation.LABELS
        for name in separation.TESTED
    ]


def test_samples_are_thinned_evenly() -> None:
    many = [([float(at)] * 8, 0.0) for at in range(45_000)]
    assert [inputs[0] for inputs, _ in thinned(many)[:3]] == [0, 3, 6]
