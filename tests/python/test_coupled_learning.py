"""CoupledCB's regression beside a coin, and which units are filled: worked out by hand."""

from __future__ import annotations

import tomllib
from pathlib import Path

import polars as pl
import pytest

from coupled.learning import of_page, tables

FOLDER = Path(__file__).parents[2] / "papers" / "coupled-copyback"
MOVED = {
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


def points() -> pl.DataFrame:
    """One workload and setting, two repeats that are alike."""
    return pl.DataFrame(
        [
            {
                "trace": "stg_0",
                "scheme": scheme,
                "repeat": repeat,
                "warmup.valid_share": "50%",
                "flash.flush_after": "1000s",
                "flash_gc_programs": moved,
                "flash_wasted_pages": {"pcgc": 40, "beside the victim": 30}.get(scheme, 0),
                "remarks_by_metric": "",
                "gc_relocation_filled_pages": 0 if scheme == "pcgc" else 20,
                "gc_relocation_filled_pages_changed": 5 if scheme == "coin" else 4,
            }
            for scheme, moved in MOVED.items()
            for repeat in (0, 1)
        ]
    )


def test_each_rule_is_beside_the_coin() -> None:
    learning, _ = tables(points())
    setting = ("stg_0", "50%", "never padded")
    fewer = tuple(f"{each}.00 %" for each in (10, 0, 15, 12, 5, -10, 50, 25, 80))
    assert learning.rows == ((*setting, *fewer, "20.00 %", "25.00 %", "100.00 %"),)
    assert len(learning.head) == len(learning.rows[0])


def test_filling_is_beside_what_fills_nothing() -> None:
    _, filling = tables(points())
    assert filling.rows[0][3:] == ("10.00 %", "100.00 %", "5.00 %", "25.00 %")


def test_without_the_coin_there_is_no_row_of_it() -> None:
    (only,) = tables(points().filter(pl.col("scheme") != "coin"))
    assert only.name == "filling"
    assert tables(points().clear()) == []


def test_every_workload_of_the_experiment_has_every_model() -> None:
    asked = tomllib.loads((FOLDER / "learning.toml").read_text(encoding="utf-8"))
    files = {each["for_traces"] for each in asked["schemes"] if "for_traces" in each}
    assert len(files) == 3
    for name in files:
        assert set(asked["traces"]) <= set(tomllib.loads((FOLDER / name).read_text(encoding="utf-8")))


def test_the_coin_has_the_bias_of_the_regression_and_nothing_else() -> None:
    models, coins = (
        tomllib.loads((FOLDER / name).read_text(encoding="utf-8")) for name in ("models.toml", "coins.toml")
    )
    assert coins
    for name, given in coins.items():
        model = given["gc"]["relocation"]["model"]
        assert model["bias"] == models[name]["gc"]["relocation"]["model"]["bias"]
        assert set(model["weights"]) == {0}


def test_settings_are_counted_by_what_the_draws_show() -> None:
    found = {name: each.figure.value for name, each in of_page(points()).items() if each.figure is not None}
    assert found["learning, settings"] == 1
    # Two draws that are alike have no interval: the value itself decides.
    assert (found["learning, regression, fewer in"], found["learning, regression, more in"]) == (1, 0)
    assert (found["learning, all admitted, fewer in"], found["learning, all admitted, more in"]) == (0, 1)
    assert found["learning, future, 3 blocks, most"] == pytest.approx(25)
