"""Load rules: the measured die utilisation comes out as wished, and the search says where it cannot."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

import reclaim
from reclaim.experiment.experiment import Experiment
from reclaim.paper.experiments import (
    FullRecording,
    Reading,
    closed_loop,
    with_readings,
    with_sources,
    with_time_scales,
)
from reclaim.paper.loads import NEAR, Search, search
from reclaim.paper.paper import Level, load_paper
from reclaim.paper.reproduce import full_recordings
from reclaim.paper.runs import PaperRuns, SweptPoints
from small_paper import CELLS, PAPER, write_paper


@pytest.mark.parametrize("wanted", [0.30, 0.60])
def test_the_measured_utilisation_is_within_a_point_of_the_wish(tmp_path: Path, wanted: float) -> None:
    """Collection included: without it the dies would be used a third less."""
    point = Experiment.load(write_paper(tmp_path) / "cells.toml").points()[0]

    def used(scale: float) -> float:
        drive = point.drive.set("host.time_scale", scale)  # type: ignore[union-attr]
        result = reclaim.simulate(drive, point.opened, warn=False)  # type: ignore[arg-type]
        assert result.to_dict()["gc"]["jobs"] > 10
        return float(result.to_dict()["utilisation"]["die"])

    found = search(used, wanted)
    assert not found.reason
    assert abs(found.reached - wanted) < NEAR
    assert used(found.time_scale) == found.reached
    assert len(found.tries) <= 6


@pytest.mark.parametrize(
    ("measure", "most_tries"),
    [
        (lambda scale: min(0.0001 * scale, 0.9), 3),
        (lambda scale: min(40 * scale, 0.9), 10),
        # Waiting for others makes it less than proportional.
        (lambda scale: 0.9 * scale / (scale + 5), 9),
        (lambda scale: min(0.3 * scale**0.5, 0.95), 9),
        (lambda scale: min(0.02 * scale**1.5, 0.95), 9),
    ],
)
@pytest.mark.parametrize("wanted", [0.30, 0.60])
def test_other_curves_are_followed_in_few_tries(measure: object, most_tries: int, wanted: float) -> None:
    found = search(measure, wanted)  # type: ignore[arg-type]
    assert not found.reason
    assert abs(found.reached - wanted) <= NEAR
    assert len(found.tries) <= most_tries


def test_a_search_says_where_it_cannot_and_hears_nothing_once_it_has_ended() -> None:
    saturated = search(lambda scale: min(0.05 * scale, 0.45), 0.60)
    assert "saturated at 45.0 %" in saturated.reason
    assert len(saturated.tries) <= 4
    # A jump over the wish is not taken for it.
    assert search(lambda scale: 0.2 if scale < 3 else 0.8, 0.30).reason
    found = Search(0.3)
    found.tell(0.3)
    assert found.scale is None
    found.tell(0.5)
    assert len(found.tries) == 1


TABLE = {
    "name": "e",
    "devices": ["gc-bypass-mini"],
    "traces": ["a", {"source": "b", "set": {"trace.repeat": 2}}, {"name": "c", "generate": {}}],
    "schemes": ["greedy+gc.pages_in_flight=4", {"name": "ours", "schemes": ["adaptive"]}, "fifo"],
    "set": {"warmup.kind": "filled"},
}


def test_each_trace_gets_its_own_time_scale_and_others_are_left_out() -> None:
    found = with_time_scales(TABLE, {"a": 2.5, "b": 0.5})
    assert found["traces"] == [
        {"name": "a", "source": "a", "set": {"host.time_scale": 2.5}},
        {"name": "b", "source": "b", "set": {"trace.repeat": 2, "host.time_scale": 0.5}},
    ]
    assert TABLE["traces"][0] == "a", "the table itself stays as it is"
    closed = closed_loop(found)
    assert closed["set"] == {"warmup.kind": "filled", "host.mode": "closed-loop", "host.queue_depth": 32}
    # A closed loop has no times to scale, and would be refused.
    assert [each["set"] for each in closed["traces"]] == [{}, {"trace.repeat": 2}]


def test_a_reading_changes_the_schemes_that_it_is_about() -> None:
    settings = {"one": {}, "four": {"gc.pages_in_flight": 4}, "two": {"gc.pages_in_flight": 2}}
    of = ("greedy+gc.pages_in_flight=4", "ours")
    given = {"name": "pages", "unclear": "how many", "default": "one", "why": "why"}
    reading = Reading.model_validate({**given, "settings": settings, "schemes": of})
    assert with_readings(TABLE, [reading], {}) == TABLE
    two = {"set": {"gc.pages_in_flight": 2}}
    assert with_readings(TABLE, [reading], {"pages": "two"})["schemes"] == [
        {"name": "greedy+gc.pages_in_flight=4", "schemes": ["greedy"], **two},
        {"name": "ours", "schemes": ["adaptive"], **two},
        "fifo",
    ]


def test_full_recordings_take_the_place_of_slices() -> None:
    found = with_sources(TABLE, {"b": FullRecording("/full/b.csv", {"trace.repeat": 1})})
    assert found["traces"][1] == {"name": "b", "source": "/full/b.csv", "set": {"trace.repeat": 1}}
    assert found["traces"][0] == "a"


MORE = """[alternatives]
other = { cells = "cells.toml" }
[beyond]
map = { map = "cells.toml" }
[[workload]]"""


def runs_of(folder: Path, paper: str = PAPER, count: int = 3) -> list[tuple[str, int]]:
    """Which experiments the three levels run, and how often."""
    cells = CELLS.replace("count = 3", f"count = {count}")
    loaded = load_paper(str(write_paper(folder, paper=paper, cells=cells)))
    ran: list[tuple[str, int]] = []

    def sweep(table: dict[str, Any], base: Path, folder: Path) -> SweptPoints:
        assert base == loaded.folder
        ran.append((folder.name, table["repeats"]["count"]))
        return SweptPoints(pl.DataFrame())

    levels: tuple[Level, ...] = ("quick", "default", "full")
    for level in levels:
        PaperRuns(
            loaded.model_copy(update={"loads": (), "readings": (), "varied": ()}),
            level,
            folder / level,
            sweep,
        ).all()
    return ran


def test_alternatives_take_the_place_of_cells_and_go_beyond_them_only_with_full(tmp_path: Path) -> None:
    default = [("cells", 6), ("cells-other", 6)]
    expected = [("cells", 3), *default, ("cells", 10), ("cells-other", 6), ("map", 3)]
    assert runs_of(tmp_path, PAPER.replace("[[workload]]", MORE, 1)) == expected


@pytest.mark.parametrize(("own", "levels"), [(3, [3, 6, 10]), (6, [6, 6, 6]), (8, [8, 8, 8])])
def test_an_experiment_that_asks_for_enough_repeats_keeps_them(
    tmp_path: Path, own: int, levels: list[int]
) -> None:
    assert [count for _, count in runs_of(tmp_path, count=own)] == levels


def test_the_quick_level_never_takes_full_recordings(tmp_path: Path) -> None:
    paper, file = load_paper(str(write_paper(tmp_path))), tmp_path / "a.csv"
    file.touch()
    assert full_recordings(paper, "full", tmp_path) == {"uniform": FullRecording(str(file), {})}
    assert full_recordings(paper, "default", tmp_path) == full_recordings(paper, "full", tmp_path)
    assert full_recordings(paper, "quick", tmp_path) == {}
