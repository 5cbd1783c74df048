"""CoupledCB beside simpler controls: worked out by hand from two repeats that are alike."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from coupled.controls import FIGURE_3, LENDERS, of_page, tables
from reclaim.papers.custom import Ran

COUNTED = {
    # Pages wasted and moved, of these lent, mean latency, jobs and those with an empty victim.
    "copyback-fsp": (200, 900, 0, 400.0, 20, 0),
    "pcgc": (50, 500, 0, 200.0, 10, 1),
    "coupledcb": (1, 450, 150, 190.0, 10, 2),
    "all admitted": (2, 450, 100, 200.0, 10, 2),
}
NAMES = (
    *("flash_wasted_pages", "flash_gc_programs", "gc_relocation_filled_pages"),
    *("mean_latency_ns", "gc_jobs", "gc_victim_empty_victims"),
)


def points(key: str, workloads: tuple[str, ...], schemes: tuple[str, ...] = tuple(COUNTED)) -> Ran:
    """Of the second workload and the next everything is twice as much but what the baseline does."""
    rows = [
        {
            "experiment_key": key,
            "load": "30%",
            "vary": "",
            "trace": workload,
            "scheme": scheme,
            "repeat": repeat,
            **dict(zip(NAMES, COUNTED.get(scheme, COUNTED["pcgc"]), strict=True)),
            "gc_write_amplification": 2.0 + at,
            "gc_nand_write_amplification": 2.0 if scheme == "coupledcb" else 2.5,
            "gc_padded_pages_per_host_page": 0.5,
            "gc_valid_pages_per_victim": 40.0,
            "utilisation_die": 0.6,
            "write_p99_99_ns": 1.0,
        }
        for at, workload in enumerate(workloads)
        for scheme in schemes
        for repeat in (0, 1)
    ]
    return Ran("default", "30%", pl.DataFrame(rows), Path())


def values(ran: Ran) -> dict[str, float]:
    return {name: each.figure.value for name, each in of_page(ran).items() if each.figure is not None}


def test_both_counts_of_moved_pages_stand_beside_the_gate_and_latency() -> None:
    found = values(points("shuffled", ("stg_0", "ali2")))
    assert found["shuffled, stg_0, CoupledCB, fewer moved"] == pytest.approx(10)
    assert found["shuffled, stg_0, CoupledCB, fewer of victims"] == pytest.approx(40)
    assert found["shuffled, stg_0, without the gate, fewer of victims"] == pytest.approx(30)
    assert found["shuffled, stg_0, CoupledCB, fewer bytes programmed"] == pytest.approx(20)
    assert found["shuffled, stg_0, the gate, fewer moved"] == 0
    assert found["shuffled, stg_0, the gate, lower mean latency"] == pytest.approx(5)
    assert found["shuffled, stg_0, jobs that move pages"] == pytest.approx(80)
    assert found["shuffled, stg_0, of the moved pages, lent"] == pytest.approx(100 / 3)
    assert found["shuffled, stg_0, waste that `pcgc` leaves"] == pytest.approx(25)
    assert found["shuffled, mean, write amplification"] == 2.5


def test_means_are_over_workloads_on_blocks_of_one_size() -> None:
    ran = points("units", ("mysql, 96 pages", "sqlite, 96 pages", "mysql, 510 pages"))
    (table,) = tables(ran)
    assert [row[0] for row in table.rows][3:] == ["mean, 96 pages"]
    assert values(ran)["units, mean, 96 pages, write amplification"] == 2.5
    assert all(len(row) == len(table.head) for row in table.rows)


def test_a_control_that_did_not_run_has_no_column() -> None:
    (table,) = tables(points("settings", ("stg_0",), ("pcgc", "coupledcb", "all admitted")))
    assert not any("controller" in head or "leaves" in head for head in table.head)
    assert [row[0] for row in table.rows] == ["stg_0"], "no mean of one"


def test_waste_falls_with_blocks_that_lend() -> None:
    ran = points(FIGURE_3, ("stg_0",), tuple(LENDERS))
    found = values(ran)
    assert found["figure-3, stg_0, waste that 0 leaves"] == 100
    assert found["figure-3, stg_0, waste that 3 leaves"] == 25
    assert tables(Ran("default", "30%", pl.DataFrame(), Path())) == []
