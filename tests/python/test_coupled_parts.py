"""Tables of the parts of CoupledCB: worked out by hand from two repeats that are alike."""

from __future__ import annotations

import polars as pl
import pytest

from coupled.parts import ALLOCATIONS, of_page, tables

COUNTED = {
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


def points(allocations: tuple[str, ...] = ALLOCATIONS) -> pl.DataFrame:
    """Under every other allocation the baseline wastes and moves twice as much, and the others the same."""
    rows = [
        {
            "trace": "stg_0",
            "scheme": scheme,
            "repeat": repeat,
            "allocation": allocation,
            "flash.flush_after": "1000s",
            "flash_wasted_pages": wasted * twice,
            "flash_gc_programs": moved * twice,
            "gc_relocation_filled_pages": 0,
            "gc_padded_pages_per_host_page": 0.5,
            "remarks_by_metric": REMARKS.get(scheme, ""),
        }
        for allocation in allocations
        for scheme, (wasted, moved) in COUNTED.items()
        for twice in (2 if (allocation != "page by page" and scheme == "copyback-fsp") else 1,)
        for repeat in (0, 1)
    ]
    return pl.DataFrame(rows)


def test_waste_and_moves_are_beside_the_baseline_of_the_same_allocation() -> None:
    waste, moves = tables(points())
    assert [row[2] for row in waste.rows] == list(ALLOCATIONS)
    assert waste.rows[0] == (
        *("stg_0", "never padded", "page by page", "83.33 %", "0.50", "100.00 %"),
        *("20.00 %", "4.00 %", "5.00 %", "1.00 %", "2.00 %"),
    )
    assert waste.rows[3][5:] == ("200.00 %", "10.00 %", "2.00 %", "2.50 %", "0.50 %", "1.00 %")
    assert moves.rows[0][3:] == (
        "100.00 %",
        "10.00 %",
        "4.00 %",
        "6.00 %",
        "12.00 %",
        "20.00 %",
        "2.22 %",
        "9.09 %",
        "4.00 %",
        "12.00 %",
    )
    assert moves.rows[3][3:] == (
        "200.00 %",
        "55.00 %",
        "52.00 %",
        "53.00 %",
        "56.00 %",
        "60.00 %",
        "2.22 %",
        "9.09 %",
        "52.00 %",
        "56.00 %",
    )
    assert all(len(table.head) == len(row) for table in (waste, moves) for row in table.rows)


def test_the_page_can_quote_each_figure() -> None:
    figure = of_page(points())["stg_0, never padded, any unit, fewer moved with all three"].figure
    assert figure is not None
    assert figure.value == pytest.approx(60)


def test_without_every_allocation_there_is_no_table() -> None:
    assert tables(points(("page by page", "OSPADA"))) == []
    assert tables(points().clear()) == []
