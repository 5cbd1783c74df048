"""The table of one play of a volume whose footprint is published: worked out by hand from two repeats."""

from __future__ import annotations

import polars as pl
import pytest

from coupled.one_pass import of_page, tables

SCHEMES = ("copyback-tp", "copyback-fsp", "ospada", "pcgc", "coupledcb", "beside the victim")
COUNTED = {
    "flash_wasted_pages": (50, 100, 110, 20, 1, 15),
    "flash_gc_programs": (400, 500, 510, 400, 380, 390),
    "gc_relocation_filled_pages": (0, 0, 0, 0, 60, 10),
    "gc_padded_pages_per_host_page": (0.0, 0.5, 0.5, 0.4, 0.3, 0.3),
    "gc_valid_pages_per_victim": (7.0, 8.0, 8.0, 7.0, 6.0, 6.0),
}


def points(schemes: tuple[str, ...] = SCHEMES) -> pl.DataFrame:
    """Two settings, one workload, two repeats that are alike."""
    rows = [
        {
            "trace": "stg_0",
            "scheme": scheme,
            "repeat": repeat,
            "drive": drive,
            "warmup.kind": start,
            "flash.flush_after": wait,
            **{name: values[SCHEMES.index(scheme)] for name, values in COUNTED.items()},
        }
        for drive, start, wait in (("16 GiB", "empty", "1000s"), ("11 GiB", "workload", "1ms"))
        for scheme in schemes
        for repeat in (0, 1)
    ]
    return pl.DataFrame(rows)


def test_each_setting_has_its_row() -> None:
    (table,) = tables(points())
    settings = [
        ("16 GiB", "empty", "never padded"),
        ("11 GiB", "full, and played until steady", "padded after 1ms"),
    ]
    assert [row[:3] for row in table.rows] == settings
    left = ("110.00 %", "20.00 %", "1.00 %", "15.00 %")
    assert table.rows[0][3:] == ("0.50", "8.00", "2.00", *left, "24.00 %", "5.00 %", "36.00 %", "20.00 %")
    assert len(table.head) == len(table.rows[0])


def test_the_page_can_quote_each_figure() -> None:
    figure = of_page(points())["16 GiB, empty, never padded, fewer of victims than `pcgc`"].figure
    assert figure is not None
    assert figure.value == pytest.approx(20)


def test_what_cannot_be_divided_is_left_out() -> None:
    nothing = points().with_columns(
        pl.when(pl.col("scheme") != "coupledcb").then(0).otherwise(5).alias("flash_gc_programs")
    )
    (table,) = tables(nothing)
    assert table.rows[0][-4:] == ("–", "–", "–", "–")


@pytest.mark.parametrize(
    "there", [pl.DataFrame(), points(SCHEMES[:5])], ids=["nothing", "a scheme is missing"]
)
def test_what_did_not_run_makes_no_table(there: pl.DataFrame) -> None:
    assert tables(there) == []
    assert of_page(there) == {}
