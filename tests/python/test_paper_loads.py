"""Load rules: the measured die utilisation comes out as wished, and the search says where it cannot."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import reclaim
from reclaim.bench import Experiment
from reclaim.papers.loads import NEAR, Search, search
from reclaim.papers.paper import Level, load_paper
from reclaim.papers.runs import Runs, Swept
from reclaim.papers.variants import (
    FullRecording,
    Reading,
    closed_loop,
    with_readings,
    with_sources,
    with_time_scales,
)
from small_paper import PAPER, write_paper


@pytest.mark.parametrize("wanted", [0.30, 0.60])
def test_the_measured_utilisation_is_within_a_point_of_the_wish(tmp_path: Path, wanted: float) -> None:
    """Collection included: without it the dies would be used a third less."""
    point = Experiment.load(write_paper(tmp_path) / "cells.toml").points()[0]
    assert point.drive is not None
    assert point.opened is not None

    def used(scale: float) -> float:
        drive = point.drive.set("host.time_scale", scale)  # type: ignore[union-attr]
        result = reclaim.simulate(drive, point.opened, warn=False)  # type: ignore[arg-type]
        assert result.to_dict()["gc"]["jobs"] > 10
        return float(result.to_dict()["utilisation"]["die"])

    found = search(used, wanted)
    assert not found.reason
    assert abs(found.reached - wanted) < NEAR
    assert abs(used(found.time_scale) - wanted) < NEAR
    assert len(found.tries) <= 6
    assert search(used, wanted) == found


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


def test_a_drive_that_saturates_before_says_so() -> None:
    found = search(lambda scale: min(0.05 * scale, 0.45), 0.60)
    assert found.reason == "the drive is saturated at 45.0 %"
    assert len(found.tries) <= 4


def test_a_jump_over_the_wish_is_not_taken_for_it() -> None:
    found = search(lambda scale: 0.2 if scale < 3 else 0.8, 0.30)
    assert found.reason.startswith("not reached in")


def test_a_search_that_has_ended_hears_nothing_more() -> None:
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


def test_the_closed_loop_is_a_setting_of_all() -> None:
    scaled = {**TABLE, "traces": [{"name": "a", "source": "a", "set": {"host.time_scale": 2.0}}]}
    found = closed_loop(scaled)
    assert found["set"] == {"warmup.kind": "filled", "host.mode": "closed-loop", "host.queue_depth": 32}
    # A closed loop has no times to scale, and would be refused.
    assert found["traces"][0]["set"] == {}


def test_a_reading_changes_the_schemes_that_it_is_about() -> None:
    settings = {"one": {}, "four": {"gc.pages_in_flight": 4}, "two": {"gc.pages_in_flight": 2}}
    reading = Reading("pages", "how many", "one", "why", settings, ("greedy+gc.pages_in_flight=4", "ours"))
    assert with_readings(TABLE, [reading], {}) == TABLE
    schemes = with_readings(TABLE, [reading], {"pages": "two"})["schemes"]
    assert schemes == [
        {
            "name": "greedy+gc.pages_in_flight=4",
            "schemes": ["greedy"],
            "set": {"gc.pages_in_flight": 2},
        },
        {"name": "ours", "schemes": ["adaptive"], "set": {"gc.pages_in_flight": 2}},
        "fifo",
    ]


def test_full_recordings_take_the_place_of_slices() -> None:
    found = with_sources(TABLE, {"b": FullRecording("/full/b.csv", {"trace.repeat": 1})})
    assert found["traces"][1] == {"name": "b", "source": "/full/b.csv", "set": {"trace.repeat": 1}}
    assert found["traces"][0] == "a"


def test_alternatives_take_the_place_of_cells_and_go_beyond_them_only_with_full(tmp_path: Path) -> None:
    more = PAPER.replace("[[workload]]", '[alternatives]\nother = { cells = "cells.toml" }\n[[workload]]', 1)
    more = more.replace("[[workload]]", '[beyond]\nmap = { map = "cells.toml" }\n[[workload]]', 1)
    paper = load_paper(str(write_paper(tmp_path, paper=more)))
    ran: list[tuple[str, int]] = []

    def sweep(table: dict[str, Any], base: Path, folder: Path) -> Swept:
        assert base == paper.folder
        ran.append((folder.name, table["repeats"]["count"]))
        return Swept(pl.DataFrame())

    levels: tuple[Level, ...] = ("quick", "default", "full")
    for level in levels:
        Runs(replace(paper, loads=(), readings=(), varied=()), level, tmp_path / level, sweep).all()
    default = [("cells", 6), ("cells-other", 6)]
    assert ran == [("cells", 3), *default, ("cells", 10), ("cells-other", 6), ("map", 3)]


@pytest.mark.parametrize(("own", "default", "full"), [(3, 6, 10), (6, 6, 6), (8, 8, 8)])
def test_an_experiment_that_asks_for_enough_repeats_keeps_them(
    tmp_path: Path, own: int, default: int, full: int
) -> None:
    place = write_paper(tmp_path)
    file = place / "cells.toml"
    file.write_text(file.read_text().replace("count = 3", f"count = {own}"))
    paper = replace(load_paper(str(place)), loads=(), readings=(), varied=())
    ran: list[int] = []

    def sweep(table: dict[str, Any], *_: Path) -> Swept:
        ran.append(table["repeats"]["count"])
        return Swept(pl.DataFrame())

    levels: tuple[Level, ...] = ("quick", "default", "full")
    for level in levels:
        Runs(paper, level, tmp_path / level, sweep).all()
    assert ran == [own, default, full]


def test_an_alternative_to_nothing_is_a_mistake(tmp_path: Path) -> None:
    more = PAPER.replace("[[workload]]", '[alternatives]\nother = { cels = "cells.toml" }\n[[workload]]', 1)
    with pytest.raises(reclaim.InputError, match='alternatives: other: level full has no experiment "cels"'):
        load_paper(str(write_paper(tmp_path, paper=more)))
