"""`--check`: what collection costs under a trace and under its stand-in."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import reclaim
from conftest import Command
from reclaim.papers import collecting
from reclaim.papers.collecting import LOADS, SPARES, VICTIMS, Cell, amplification_off, drive_for, side_by_side

EMPTY = collecting.Played(None, None, 0, (None,) * 3, (None,) * 3)


def generated(seed: int, **address: object) -> reclaim.Trace:
    return reclaim.generate_trace(
        name="g",
        requests=6000,
        seed=seed,
        size="4KiB",
        operations={"write": 0.8},
        address={"footprint": "24MiB", **address},
        arrivals={"kind": "constant", "interval": "200us"},
    )


@pytest.fixture(scope="module")
def uniform() -> reclaim.Trace:
    return generated(1, kind="uniform")


@pytest.fixture(scope="module")
def other_law(uniform: reclaim.Trace) -> list[Cell]:
    """Another law of which page dies when, on as many pages."""
    return side_by_side(uniform, generated(1, kind="zipf", theta=1.2))


def test_a_trace_beside_itself_is_off_in_nothing(uniform: reclaim.Trace) -> None:
    told: list[tuple[int, int]] = []
    cells = side_by_side(uniform, uniform, lambda done, of: told.append((done, of)))
    assert [(cell.spare, cell.victim, cell.load) for cell in cells] == [
        (spare, victim, load) for spare in SPARES for victim in VICTIMS for load in LOADS
    ]
    assert told == [(done, 27) for done in range(1, 28)]
    assert all(cell.collected for cell in cells)
    assert {cell.deviation(name) for cell in cells for name in cell.source.figures()} == {0.0}


def test_another_seed_is_off_by_chance_only_and_another_law_by_far(
    uniform: reclaim.Trace, other_law: list[Cell]
) -> None:
    chance = amplification_off(side_by_side(uniform, generated(2, kind="uniform")))
    assert all(abs(off.largest) < 0.06 for off in chance)
    law = amplification_off(other_law)
    assert [off.victim for off in law] == list(VICTIMS)
    assert all(abs(off.largest) >= abs(off.median) > 0.15 for off in law)


def test_less_spare_space_costs_more(other_law: list[Cell]) -> None:
    for victim in VICTIMS:
        costs = [
            cell.source.write_amplification
            for spare in SPARES
            for cell in other_law
            if (cell.spare, cell.victim, cell.load) == (spare, victim, "closed")
        ]
        assert costs == sorted(costs, key=lambda cost: -(cost or 0.0))


@pytest.mark.parametrize("pages", [1280, 6000, 20_000, 500_000])
@pytest.mark.parametrize("spare", SPARES)
def test_a_drive_has_the_spare_space_that_it_says(pages: int, spare: float) -> None:
    facts = drive_for(pages, spare, "greedy").facts()
    geometry = drive_for(pages, spare, "greedy").config["geometry"]
    physical = geometry["channels"] * geometry["blocks_per_plane"] * geometry["pages_per_block"]
    assert int(facts["logical_pages"]) >= pages
    assert 1 - pages / physical == pytest.approx(spare, abs=1 / collecting.BLOCKS)
    assert geometry["blocks_per_plane"] >= collecting.BLOCKS


def test_a_trace_too_small_for_a_drive_is_refused() -> None:
    trace = generated(1, kind="uniform", footprint="1MiB")
    with pytest.raises(reclaim.InputError, match="too few for a drive that collects: at least 1280"):
        side_by_side(trace, trace)


def test_the_command_checks(command: Command, tmp_path: Path) -> None:
    source, out = tmp_path / "source.csv", tmp_path / "out.toml"
    generated(3, kind="uniform").convert(source)
    done = command("trace", "synthesize", str(source), str(out), "--check")
    assert done.returncode == 0, done.stderr
    assert "Write amplification off" in done.stdout
    done = command("trace", "synthesize", str(source), str(out), "--check", "--force", "--json")
    cells = json.loads(done.stdout)["check"]
    assert len(cells) == len(SPARES) * len(VICTIMS) * len(LOADS)
    assert set(cells[0]["deviations"]) == set(EMPTY.figures())


@pytest.mark.parametrize("words", [("app-like/mysql",), ("published.toml", "never.toml")])
def test_a_check_needs_a_trace_to_play(command: Command, tmp_path: Path, words: tuple[str, ...]) -> None:
    (tmp_path / "published.toml").write_text(
        'published = 1\nname = "x"\nof = "x"\nsource = "x"\n[figures]\n"requests.write_ratio" = 0.5\n'
    )
    paths = [str(tmp_path / word) if word.endswith(".toml") else word for word in words]
    done = command("trace", "synthesize", *paths, "--check")
    assert done.returncode == 2
    assert "--check plays a trace and its stand-in" in done.stderr
    assert not (tmp_path / "never.toml").exists()


@pytest.mark.parametrize("kind", ["collection", "figures"])
def test_what_a_stand_in_preserves_is_no_longer_a_choice(command: Command, tmp_path: Path, kind: str) -> None:
    out = tmp_path / "out.toml"
    done = command("trace", "synthesize", "bundled/varmail", str(out), "--preserve", kind)
    assert done.returncode == 2
    assert "--preserve is gone" in done.stderr
    assert "use --check" in done.stderr
    assert not out.exists()
    assert "--preserve" not in command("trace", "synthesize", "--help").stdout


def test_a_description_with_a_history_says_what_to_use_instead(command: Command, tmp_path: Path) -> None:
    described = tmp_path / "old.toml"
    described.write_text("generator = 2\nrequests = 4\n[history]\nstay = 0.5\n")
    done = command("trace", "info", str(described))
    assert done.returncode == 2
    assert "old.toml:3: history: histories of writes are gone" in done.stderr
    assert "reclaim trace synthesize SOURCE OUT.toml" in done.stderr
