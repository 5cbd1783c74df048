"""The table of CoupledCB's page over how full the drive is: worked out by hand from two repeats."""

from __future__ import annotations

import polars as pl
import pytest

from coupled.fullness import of_page, tables

SCHEMES = ("copyback-tp", "copyback-fsp", "pcgc", "coupledcb")
COUNTED = {
    "flash_wasted_pages": (50, 100, 20, 1),
    "flash_gc_programs": (400, 500, 400, 380),
    "gc_relocation_filled_pages": (0, 0, 0, 60),
    "gc_padded_pages_per_host_page": (0.0, 0.5, 0.4, 0.3),
    "write_p99_99_ns": (100.0, 100.0, 100.0, 150.0),
}


def points(schemes: tuple[str, ...] = SCHEMES) -> pl.DataFrame:
    """Two settings, of which the fuller drive comes first; one workload, two repeats that are alike."""
    rows = [
        {
            "trace": "stg_0",
            "scheme": scheme,
            "repeat": repeat,
            "warmup.valid_share": share,
            "flash.flush_after": wait,
            **{name: values[SCHEMES.index(scheme)] for name, values in COUNTED.items()},
        }
        for share, wait in (("70%", "1000s"), ("20%", "1ms"))
        for scheme in schemes
        for repeat in (0, 1)
    ]
    return pl.DataFrame(rows)


def test_each_setting_has_its_row_padded_ones_and_emptier_drives_first() -> None:
    (table,) = tables(points())
    settings = [("stg_0", "20%", "padded after 1ms"), ("stg_0", "70%", "never padded")]
    assert [row[:3] for row in table.rows] == settings
    figures = ("0.50", "2.00", "20.00 %", "1.00 %", "24.00 %", "5.00 %", "20.00 %", "1.50")
    assert table.rows[0][3:] == figures
    assert len(table.head) == len(table.rows[0])


def test_the_page_can_quote_each_figure() -> None:
    found = of_page(points())
    figure = found["stg_0, 70%, never padded, fewer moved than `pcgc`"].figure
    assert figure is not None
    assert figure.value == pytest.approx(5)


def test_what_cannot_be_divided_is_left_out() -> None:
    nothing = pl.when(pl.col("scheme") != "coupledcb").then(0).otherwise(5).alias("flash_gc_programs")
    (table,) = tables(points().with_columns(nothing))
    assert table.rows[0][3:] == ("0.50", "2.00", "20.00 %", "1.00 %", "–", "–", "–", "–")
    assert "stg_0, 20%, padded after 1ms, fewer moved than `pcgc`" not in of_page(
        points().with_columns(nothing)
    )


@pytest.mark.parametrize(
    "there", [pl.DataFrame(), points(SCHEMES[:3])], ids=["nothing", "a scheme is missing"]
)
def test_what_did_not_run_makes_no_table(there: pl.DataFrame) -> None:
    assert tables(there) == []
    assert of_page(there) == {}
