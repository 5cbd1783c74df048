"""What relocation takes: savings by repeat, what they are made of, and the experiments behind them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import made_points
from reclaim.paper.experiments import read_table, scheme_name
from reclaim.paper.figures import LevelRuns
from reclaim.paper.latencies import LOGS
from reclaim.paper.measures import choices
from reclaim.shipped import PAPERS
from word_line import relocation
from word_line.relocation import VANILLA

PLACE = PAPERS / "word-line-aware"
POLICIES, PLACEMENTS = choices(PLACE, "policies"), choices(PLACE, "placements")


def test_every_policy_and_placement_that_is_run_has_its_words() -> None:
    def experiment(name: str) -> dict[str, Any]:
        return read_table(PLACE / f"{name}.toml", PLACE)

    schemes = [scheme_name(each) for each in experiment("power")["schemes"]]
    assert schemes[0] == VANILLA
    assert sorted(schemes[1:]) == sorted(POLICIES)
    assert list(experiment("levels")["axes"]["placement"]) == list(PLACEMENTS)


Moved = Mapping[str, tuple[float, float]]
"""Of each scheme: how long a page takes, ns, and how many it moves a host page."""


def points(experiment: str, schemes: Moved, **more: Any) -> pl.DataFrame:
    """Six repeats whose victims hold 100 pages."""
    given = {
        scheme: {
            "gc_job_mean_ns": 60_000 + 100 * page_ns,
            "gc_write_amplification": 1 + pages,
            "gc_jobs_ns_per_host_page": pages / 100 * (60_000 + 100 * page_ns),
        }
        for scheme, (page_ns, pages) in schemes.items()
    }
    same = {"experiment_key": experiment, "load": "30%", "gc_valid_pages_per_victim": 100.0, **more}
    made = made_points.points(given, ("zipf",), 6, **same)
    return made.with_columns(point=pl.col("point") + f" {experiment} {more}")


def ran(*frames: pl.DataFrame, place: Path = Path()) -> LevelRuns:
    return LevelRuns("default", "30%", pl.concat(frames), place)


def values(found: LevelRuns) -> dict[str, float]:
    return made_points.values(made_points.told(PLACE.name, found, relocation).figures)


def tables(found: LevelRuns) -> dict[str, tuple[tuple[str, ...], ...]]:
    return made_points.tables(PLACE.name, found, relocation)


def axes(
    experiment: str, axis: str, schemes: Moved, pages: Mapping[str, float], **more: Any
) -> list[pl.DataFrame]:
    """The same on each choice of an axis, with so many times the pages."""
    return [
        points(
            experiment,
            {name: (ns, times * of) for name, (ns, of) in schemes.items()},
            **{axis: choice},
            **more,
        )
        for choice, times in pages.items()
    ]


HALF: Moved = {VANILLA: (5_000, 1.0), "wla": (5_000, 0.5)}
SHORTER: Moved = {VANILLA: (5_000, 1.0), "wla": (4_000, 1.1)}


def test_a_saving_is_of_pages_and_of_their_time() -> None:
    # 560 us a job and 1.0 page moved, beside 460 us and 1.1.
    same = ran(points("power", dict.fromkeys(POLICIES, (5_000, 1.0)) | SHORTER))
    found = values(same)
    expected = {
        "wla saves": 100 * (1 - 1.1 * 460 / 560),
        "wla saves, zipf": 100 * (1 - 1.1 * 460 / 560),
        "wla saves, pages moved": -10,
        "wla saves, time of a page": 20,
        "cost-benefit saves": 0,
        "vanilla beside in order, 15 %": 0,
    }
    assert {name: found[name] for name in expected} == pytest.approx(expected)
    rows = {row[0]: row[1:] for row in tables(same)["relocation"]}
    assert rows[POLICIES["wla"]] == ("9.64 %", "-10.00 %", "20.00 %")


def test_a_long_run_is_taken_apart() -> None:
    """Jobs of 100 pages: 460 us and 1.1 pages moved, beside 560 us and 1.0."""
    (table,) = tables(ran(points("power-long", SHORTER))).values()
    assert table == (("zipf", "9.64 %", "17.86 %", "-10.00 %", "20.00 %"),)


def test_placements_stand_beside_one_open_block() -> None:
    schemes = {**HALF, "cost-benefit": (5_000, 0.25)}
    whole = ran(*axes("levels", "placement", schemes, {"append": 1.0, "future, fast, 4": 2.0}))
    found = values(whole)
    expected = {
        "future, fast, 4: wla saves": 50,
        "future, fast, 4: wla saves, time of a page": 0,
        "future, fast, 4: vanilla beside append": 2,
        "future, fast, 4: wla beside append": 1,
        "append: time of a page, us": 5,
    }
    assert {name: found[name] for name in expected} == expected
    dependence, placement = (tables(whole)[name] for name in ("dependence", "placement"))
    assert dependence[1][:3] == (PLACEMENTS["future, fast, 4"], "5.00", "50.00 %")
    assert placement[1] == (PLACEMENTS["future, fast, 4"], "2.00×", "1.00×", "0.50×")


def write_log(folder: Path, of: pl.DataFrame, **columns: list[int]) -> None:
    folder.mkdir()
    jobs = pl.DataFrame(columns).cast(pl.UInt64)
    of.select("point").join(jobs, how="cross").write_parquet(folder / LOGS)


def test_victims_spread_by_the_time_of_their_pages(tmp_path: Path) -> None:
    made = points("levels", {VANILLA: (5_000, 1.0)}, placement="append")
    # Of two victims of 100 pages each, a page takes 5 us and 7 us: the deviation is the root of 2.
    write_log(tmp_path / "levels", made, start_ns=[0, 0], end_ns=[560_000, 760_000], valid_pages=[100, 100])
    whole = ran(made, place=tmp_path)
    assert values(whole)["append: spread of victims, us"] == pytest.approx(2**0.5)


def test_choices_are_beside_vanilla_with_the_same_choice() -> None:
    made = [
        points("power-choices", {VANILLA: (5_000, 1.0), "wla": (5_000, part)}, choice=choice)
        for choice, part in (("nothing", 0.99), ("emptier: 320 blocks", 1.02))
    ]
    (table,) = tables(ran(*made)).values()
    assert table == (("nothing", "1.00 %"), ("emptier: 320 blocks", "-2.00 %"))


def test_savings_by_workload_stand_beside_vanilla_with_the_same_placement(tmp_path: Path) -> None:
    pages = {"append": 1.0, "history, fast, 4": 2.0, "history, slow, 4": 4.0}
    made = pl.concat(axes("levels-sizes", "placement", HALF, pages, utilisation_die=0.25))
    write_log(tmp_path / "levels-sizes", made, valid_pages=[0, 5, 7, 9])
    found = values(ran(made, place=tmp_path))
    expected = {
        "zipf, slow: wla saves": 50,
        "zipf, slow: wla beside append": 2,
        "zipf, one open block: wla beside append": 0.5,
        "zipf: write amplification": 2,
        "zipf: die utilization": 25,
        "zipf: victims with valid pages": 75,
    }
    assert {name: found[name] for name in expected} == expected


def test_a_sign_is_that_of_the_same_placement_and_choice() -> None:
    schemes = {
        f"{scheme}, {goes}": (5_000, pages)
        for goes, part in (("fast", 0.9), ("slow", 1.1))
        for scheme, pages in ((VANILLA, 1.0), ("wla", part))
    }
    found = values(ran(points("levels-choices", schemes, choice="nothing")))
    assert found["zipf, fast: wla saves, nothing"] == pytest.approx(10)
    assert found["zipf, slow: wla saves, nothing"] == pytest.approx(-10)


def test_without_runs_there_is_nothing() -> None:
    nothing = ran(points("drive", {VANILLA: (5_000, 1.0)}))
    assert (values(nothing), tables(nothing)) == ({}, {})
