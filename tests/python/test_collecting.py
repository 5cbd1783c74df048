"""`--check`: what collection costs under a trace and under its stand-in."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from rich.console import Console

import reclaim
from conftest import Command
from reclaim.cli import trace_synthesize as shown
from reclaim.paper import collecting
from reclaim.paper.collecting import (
    LOADS,
    SPARES,
    VICTIMS,
    SideBySide,
    amplification_off,
    drive_for,
    side_by_side,
)

EMPTY = collecting.RunFigures(None, None, 0, (None,) * 3, (None,) * 3)


def generated(seed: int, **address: object) -> reclaim.Trace:
    return reclaim.generate_trace(
        name="g",
        requests=6000,
        seed=seed,
        size="4KiB",
        operations={"write": 0.8},
        address={"footprint": "24MiB", "kind": "uniform", **address},
        arrivals={"kind": "constant", "interval": "200us"},
    )


@pytest.fixture(scope="module")
def other_law() -> list[SideBySide]:
    """Another law of which page dies when, on as many pages."""
    return side_by_side(generated(1), generated(1, kind="zipf", theta=1.2))


def test_rows_are_by_load_and_victim(other_law: list[SideBySide], monkeypatch: pytest.MonkeyPatch) -> None:
    console = Console(width=140, record=True, file=io.StringIO())
    monkeypatch.setattr(shown, "out", console)
    shown.show_cells(list(reversed(other_law)))
    lines = [line.strip("│ ").split() for line in console.export_text().splitlines()]
    victims = [each for line in lines for each in line if each in VICTIMS]
    order = list(dict.fromkeys(cell.victim for cell in reversed(other_law)))
    loads = len({cell.load for cell in other_law})
    assert victims[: len(order) * loads] == order * loads


def test_a_trace_beside_itself_is_off_in_nothing() -> None:
    told: list[tuple[int, int]] = []
    cells = side_by_side(generated(1), generated(1), lambda done, of: told.append((done, of)))
    assert [(cell.spare, cell.victim, cell.load) for cell in cells] == [
        (spare, victim, load) for spare in SPARES for victim in VICTIMS for load in LOADS
    ]
    assert told == [(done, 27) for done in range(1, 28)]
    assert all(cell.collected for cell in cells)
    assert {cell.deviation(name) for cell in cells for name in cell.source.figures()} == {0.0}


def test_another_seed_is_off_by_chance_only() -> None:
    chance = amplification_off(side_by_side(generated(1), generated(2)))
    assert all(abs(off.largest) < 0.06 for off in chance)


def test_another_law_is_off_by_far_and_less_spare_space_costs_more(other_law: list[SideBySide]) -> None:
    law = amplification_off(other_law)
    assert [off.victim for off in law] == list(VICTIMS)
    assert all(abs(off.largest) >= abs(off.median) > 0.15 for off in law)
    for victim in VICTIMS:
        closed = {
            cell.spare: cell.source.write_amplification or 0.0
            for cell in other_law
            if (cell.victim, cell.load) == (victim, "closed")
        }
        costs = [closed[spare] for spare in SPARES]
        assert costs == sorted(costs, reverse=True)


@pytest.mark.parametrize("pages", [1280, 20_000, 500_000])
@pytest.mark.parametrize("spare", SPARES)
def test_a_drive_has_the_spare_space_that_it_says(pages: int, spare: float) -> None:
    drive = drive_for(pages, spare, "greedy")
    geometry = drive.config["geometry"]
    physical = geometry["channels"] * geometry["blocks_per_plane"] * geometry["pages_per_block"]
    assert int(drive.facts()["logical_pages"]) >= pages
    assert 1 - pages / physical == pytest.approx(spare, abs=1 / collecting.BLOCKS)
    assert geometry["blocks_per_plane"] >= collecting.BLOCKS


def test_a_trace_too_small_for_a_drive_is_refused() -> None:
    trace = generated(1, footprint="1MiB")
    with pytest.raises(reclaim.InputError, match="at least 1280"):
        side_by_side(trace, trace)


def test_the_command_checks(command: Command, tmp_path: Path) -> None:
    generated(3).convert(tmp_path / "source.csv")
    done = command("trace", "synthesize", "source.csv", "out.toml", "--check", "--json")
    assert done.returncode == 0, done.stderr
    cells = json.loads(done.stdout)["check"]
    assert len(cells) == len(SPARES) * len(VICTIMS) * len(LOADS)
    assert set(cells[0]["deviations"]) == set(EMPTY.figures())


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("app-like/mysql --check", "--check plays a trace"),
        ("published.toml out.toml --check", "--check plays a trace"),
        ("bundled/varmail out.toml --preserve figures", "--preserve is gone; .*use --check"),
    ],
)
def test_a_check_needs_a_trace_to_play(command: Command, tmp_path: Path, words: str, says: str) -> None:
    (tmp_path / "published.toml").write_text(
        'published = 1\nname = "x"\nof = "x"\nsource = "x"\n[figures]\n"requests.write_ratio" = 0.5\n'
    )
    done = command("trace", "synthesize", *words.split())
    assert done.returncode == 2
    assert all(each in done.stderr for each in says.split("; .*"))
    assert not (tmp_path / "out.toml").exists()


def test_a_description_with_a_history_says_what_to_use_instead(command: Command, tmp_path: Path) -> None:
    (tmp_path / "old.toml").write_text("generator = 2\nrequests = 4\n[history]\nstay = 0.5\n")
    done = command("trace", "info", "old.toml")
    assert done.returncode == 2
    assert "old.toml:3: history: " in done.stderr
    assert "reclaim trace synthesize SOURCE OUT.toml" in done.stderr
