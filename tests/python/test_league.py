"""The league: its cells are tunings that can be made, or are named; its table pairs what was measured."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from league import BEGIN, END, PAGE, Cell, cells, paired, pictures, prepared, rows, section
from league_plots import heat
from reclaim.bench.experiment import Experiment

FOLDER = PAGE.parent
SMALL = FOLDER / "small.toml"


@pytest.fixture(scope="module")
def small() -> list[Cell]:
    return list(cells(SMALL, []))


def measured(cell: Cell, as_it_is: list[float], found: list[float] | None) -> Cell:
    """A cell with figures of two workloads that measured the same."""

    def values(figures: list[float]) -> dict[str, list[float]]:
        return {"one": figures, "two": figures}

    judged = (
        [] if found is None else [{"is_found": True, "metrics": {"read_p99_ns": {"values": values(found)}}}]
    )
    result = {
        "judged": judged,
        "values_as_it_is": {"read_p99_ns": values(as_it_is)},
        "runs": 9,
        "trials": [1],
    }
    return Cell(cell.league, cell.drive, cell.scheme, cell.family, cell.experiment, "", result)


def test_every_scheme_has_a_cell_or_is_named(small: list[Cell]) -> None:
    plans = {each.scheme: prepared(each) for each in small}
    missing = {each.scheme: each.missing for each in small if each.missing}
    assert set(missing) == {"RAID-5", "deferred GC"}
    assert all("8 chips for a stripe" in why for why in missing.values())
    assert len(plans) == len(small) == 15
    for name, plan in plans.items():
        assert (plan is None) == (name in missing)
        if plan is not None:
            assert plan.trials == 8
            assert len(plan.space.parameters) > 3, name
    folders = [each.folder for each in small]
    assert len(set(folders)) == len(folders)


def test_where_all_start_from_the_same_the_league_says_from_whom() -> None:
    started: dict[str, set[str]] = {}
    for each in cells(FOLDER / "league.toml", []):
        axis = next(axis for axis in each.experiment.parts.axes if axis.name == "start")
        (same,) = (choice for choice in axis.choices if choice.text == "same")
        started.setdefault(each.league, set()).add(same.settings["warmup.scheme"].text)
    assert started == {"plain and papers": {"greedy"}, "RAID": {"raid5"}}


def test_the_whole_league_is_tuned_and_judged_as_the_issue_asks() -> None:
    entry = Experiment.load(FOLDER / "league.toml").parts.tune
    assert entry is not None
    assert entry.budget.trials == 40
    assert len(entry.judge_on.traces) >= 8
    assert not set(entry.judge_on.traces) & set(entry.tune_on.traces)


def test_ratios_are_paired_by_workload_and_repeat() -> None:
    found = paired({"a": [2.0, 8.0], "b": [4.0, 4.0]}, {"a": [1.0, 4.0], "b": [4.0, 4.0]})
    assert found is not None
    assert (found.mean, found.deviation, found.count) == (pytest.approx(math.log(2) / 2), 0.0, 2)
    assert paired({"a": [None]}, {"a": [1.0]}) is None
    assert paired({"a": [1.0]}, {"b": [1.0]}) is None


def test_schemes_are_compared_with_the_first_one_as_it_was_tuned(small: list[Cell]) -> None:
    jitter = [1.0, 1.01, 0.99, 1.02, 0.98, 1.0]
    first = measured(small[0], [2 * each for each in jitter], jitter)
    lower = measured(small[1], jitter, [each / 2 for each in reversed(jitter)])
    same = measured(small[2], list(reversed(jitter)), None)
    table = {row[0]: row for row in rows([first, lower, same], "read_p99_ns")}
    assert table["greedy"][1].startswith("×0.500")
    assert table["greedy"][2:4] == ("", "")
    assert table["fifo"][2].startswith("×0.500 (0.")
    assert table["fifo"][3] == "lower"
    assert table["d-choices"][1] == "×1.000"
    assert table["d-choices"][3] == "not shown"


def test_the_page_says_what_was_run_and_what_is_missing(small: list[Cell]) -> None:
    text = PAGE.read_text(encoding="utf-8")
    made = text.partition(BEGIN)[2].partition(END)[0]
    assert "nothing here says which scheme is" in text
    for each in small:
        assert f"| {each.scheme} |" in made or f"* {each.scheme}: " in made
    experiment = Experiment.load(SMALL)
    written = "\n".join(section([measured(small[0], [1.0] * 6, None)], experiment))
    assert (
        "1 of 1 cells, 1 trials, 9 runs; tuned on varmail and mysql, judged on dbench and mongodb" in written
    )


def test_the_drives_are_there() -> None:
    for name in ("tlc.toml", "qlc.toml", "many-chips.toml"):
        assert Path(FOLDER / name).is_file()


def test_pictures_are_of_the_schemes_that_ran(small: list[Cell], tmp_path: Path) -> None:
    ran = [measured(small[0], [1.0] * 6, None), measured(small[1], [2.0] * 6, None), small[-1]]
    for each in ran[:2]:
        each.result["values_as_it_is"]["gc_write_amplification"] = {"one": [2.0] * 6, "two": [2.0] * 6}
    ran[-1].missing = "it is refused"
    pictures(ran, tmp_path, "read_p99_ns")
    assert {each.name for each in tmp_path.iterdir()} == {
        "heat-tlc-plain-and-papers.png",
        "front-tlc-plain-and-papers.png",
    }
    drawn = heat({each.scheme: each.values("read_p99_ns") for each in ran[:2]}, "read_p99_ns").to_dict()
    text = [each["text"] for values in drawn.get("datasets", {}).values() for each in values]
    text = text or [each["text"] for each in drawn["layer"][0]["data"]["values"]]
    assert text[:4] == ["1.00", "1.00", "2.00", "2.00"]
