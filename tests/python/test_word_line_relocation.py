"""What relocation takes: savings by repeat, what they are made of, and the experiments behind them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from reclaim.papers.custom import PageTable, Ran
from reclaim.papers.experiments import read_table
from reclaim.papers.job_times import LOGS
from reclaim.papers.variants import scheme_name
from reclaim.shipped import PAPERS
from word_line.relocation import PLACEMENTS, POLICIES, VANILLA, of_runs, spread_of_victims
from word_line.relocation import _axis as axis_of
from word_line.tables import tables as tables_of

PLACE = PAPERS / "word-line-aware"


def experiment(name: str) -> dict[str, Any]:
    return read_table(PLACE / f"{name}.toml", PLACE)


def test_every_policy_and_placement_that_is_run_has_its_words() -> None:
    schemes = [scheme_name(each) for each in experiment("power")["schemes"]]
    assert schemes[0] == VANILLA
    assert sorted(schemes[1:]) == sorted(POLICIES)
    assert list(experiment("levels")["axes"]["placement"]) == list(PLACEMENTS)


def point(
    experiment: str, scheme: str, repeat: int, page_ns: float, pages: float, **more: str
) -> dict[str, Any]:
    """A point whose victims hold 100 pages that take so long, and which moves so many a host page."""
    job = 60_000 + 100 * page_ns
    return {
        "point": f"{experiment} {scheme} {repeat} {more}",
        "experiment_key": experiment,
        "load": "30%",
        "vary": "",
        "trace": "zipf",
        "scheme": scheme,
        "repeat": repeat,
        "gc_job_mean_ns": job,
        "gc_valid_pages_per_victim": 100.0,
        "gc_write_amplification": 1 + pages,
        "gc_jobs_ns_per_host_page": pages / 100 * job,
        **more,
    }


def ran(rows: list[dict[str, Any]], place: Path) -> Ran:
    return Ran("default", "30%", pl.DataFrame(rows), place)


def tables(found: Ran) -> list[PageTable]:
    return list(tables_of(of_runs(found)))


def values(found: Ran) -> Mapping[str, float]:
    return {name: each.figure.value for name, each in of_runs(found).items() if each.figure}


def test_a_saving_is_of_pages_and_of_their_time(tmp_path: Path) -> None:
    # 560 us a job and 1.0 page moved, beside 460 us and 1.1.
    rows = [point("power", name, at, 5_000, 1.0) for name in (VANILLA, *POLICIES) for at in range(6)]
    rows = [row for row in rows if row["scheme"] != "wla"]
    rows += [point("power", "wla", at, 4_000, 1.1) for at in range(6)]
    found = values(ran(rows, tmp_path))
    assert found["wla saves"] == pytest.approx(100 * (1 - 1.1 * 460 / 560))
    assert found["wla saves, zipf"] == found["wla saves"]
    assert found["wla saves, pages moved"] == pytest.approx(-10)
    assert found["wla saves, time of a page"] == pytest.approx(20)
    assert found["cost-benefit saves"] == 0
    assert found["vanilla beside in order, 15 %"] == 0
    (table,) = tables(ran(rows, tmp_path))
    assert table.name == "relocation"
    assert table.rows[1] == (POLICIES["wla"], "9.64 %", "-10.00 %", "20.00 %")


def test_placements_stand_beside_one_open_block(tmp_path: Path) -> None:
    rows = []
    for placement, pages in (("append", 1.0), ("future, fast, 4", 2.0)):
        for scheme, part in ((VANILLA, 1.0), ("wla", 0.5), ("cost-benefit", 0.25)):
            rows += [point("levels", scheme, at, 5_000, pages * part, placement=placement) for at in range(6)]
    whole = ran(rows, tmp_path)
    found = values(whole)
    assert found["future, fast, 4: wla saves"] == 50
    assert found["future, fast, 4: wla saves, time of a page"] == 0
    assert found["future, fast, 4: vanilla beside append"] == 2
    assert found["future, fast, 4: wla beside append"] == 1
    assert found["append: time of a page, us"] == 5
    dependence, placement = tables(whole)
    assert dependence.rows[1][:3] == (PLACEMENTS["future, fast, 4"], "5.00", "50.00 %")
    assert placement.rows[1] == (PLACEMENTS["future, fast, 4"], "2.00×", "1.00×", "0.50×")


def test_victims_spread_by_the_time_of_their_pages(tmp_path: Path) -> None:
    rows = [point("levels", VANILLA, at, 5_000, 1.0, placement="append") for at in range(6)]
    # Of two victims of 100 pages each, a page takes 5 us and 7 us: the deviation is the root of 2.
    log = [
        {"point": row["point"], "start_ns": 0, "end_ns": 60_000 + 100 * ns, "valid_pages": 100}
        for row in rows
        for ns in (5_000, 7_000)
    ]
    folder = tmp_path / "levels"
    folder.mkdir()
    pl.DataFrame(log, schema_overrides={"start_ns": pl.UInt64, "end_ns": pl.UInt64}).write_parquet(
        folder / LOGS
    )
    whole = ran(rows, tmp_path)
    axis = axis_of(whole, "levels", "placement")
    assert axis is not None
    assert spread_of_victims(whole, axis)["append"].value == pytest.approx(2**0.5)


def test_choices_are_beside_vanilla_with_the_same_choice(tmp_path: Path) -> None:
    rows = []
    for choice, part in (("nothing", 0.99), ("emptier: 320 blocks", 1.02)):
        for scheme, pages in ((VANILLA, 1.0), ("wla", part)):
            rows += [point("power-choices", scheme, at, 5_000, pages, choice=choice) for at in range(6)]
    (table,) = tables(ran(rows, tmp_path))
    assert table.rows == (("nothing", "1.00 %"), ("emptier: 320 blocks", "-2.00 %"))


def test_a_long_run_is_taken_apart(tmp_path: Path) -> None:
    """Jobs of 100 pages: 460 us and 1.1 pages moved, beside 560 us and 1.0."""
    rows = [point("power-long", VANILLA, at, 5_000, 1.0) for at in range(6)]
    rows += [point("power-long", "wla", at, 4_000, 1.1) for at in range(6)]
    (table,) = tables(ran(rows, tmp_path))
    assert table.head[1:] == ("time of all jobs", "time of a job", "pages moved", "time of a page")
    assert table.rows == (("zipf", "9.64 %", "17.86 %", "-10.00 %", "20.00 %"),)


def test_savings_by_workload_stand_beside_vanilla_with_the_same_placement(tmp_path: Path) -> None:
    rows = []
    for placement, pages in (("append", 1.0), ("history, fast, 4", 2.0), ("history, slow, 4", 4.0)):
        for scheme, part in ((VANILLA, 1.0), ("wla", 0.5)):
            for at in range(6):
                row = point("levels-sizes", scheme, at, 5_000, pages * part, placement=placement)
                rows.append(row | {"utilisation_die": 0.25})
    folder = tmp_path / "levels-sizes"
    folder.mkdir()
    log = [{"point": row["point"], "valid_pages": pages} for row in rows for pages in (0, 5, 7, 9)]
    pl.DataFrame(log).write_parquet(folder / LOGS)
    found = values(ran(rows, tmp_path))
    assert found["zipf, slow: wla saves"] == 50
    assert found["zipf, slow: wla beside append"] == 2
    assert found["zipf, one open block: wla beside append"] == 0.5
    assert found["zipf: write amplification"] == 2
    assert found["zipf: die utilization"] == 25
    assert found["zipf: victims with valid pages"] == 75


def test_a_sign_is_that_of_the_same_placement_and_choice(tmp_path: Path) -> None:
    rows = []
    for goes, part in (("fast", 0.9), ("slow", 1.1)):
        for scheme, pages in ((VANILLA, 1.0), ("wla", part)):
            rows += [
                point("levels-choices", f"{scheme}, {goes}", at, 5_000, pages, choice="nothing")
                for at in range(6)
            ]
    found = values(ran(rows, tmp_path))
    assert found["zipf, fast: wla saves, nothing"] == pytest.approx(10)
    assert found["zipf, slow: wla saves, nothing"] == pytest.approx(-10)


def test_without_runs_there_is_nothing(tmp_path: Path) -> None:
    nothing = ran([point("drive", VANILLA, 0, 5_000, 1.0)], tmp_path)
    assert of_runs(nothing) == {}
    assert tables(nothing) == []
