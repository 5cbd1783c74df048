"""What a study says where it is known what decides: planted keys, and what says nothing."""

from __future__ import annotations

import random
from collections.abc import Mapping

from instruments.planted_figures import TRACES, Effect, World, study, turning
from reclaim.instruments.conclusion import Names, counts, sentence
from reclaim.instruments.moves import SIDES, Side
from reclaim.instruments.study import SCREEN_REPEATS

NAMES = Names("a", "b", "write_mean_ns")


def nothing(_side: Side, _moved: Mapping[str, str]) -> float:
    return 0.0


def at(key: str, value: str | None, effect: float) -> Effect:
    """For B alone, where a key is at a value (or at any)."""

    def effects(side: Side, moved: Mapping[str, str]) -> float:
        there = moved.get(key) == value if value else key in moved
        return effect if side == "B" and there else 0.0

    return effects


def test_planted_keys_are_found_and_no_others() -> None:
    """Of 20 keys drawn by seed, at least 18; and of 20 studies that nothing turns, at most one that is."""
    found = falsely = 0
    for seed in range(20):
        draw = random.Random(seed)  # noqa: S311 - reproducible, not secret
        key, value = f"key-{draw.randrange(8)}", draw.choice("12")
        side = draw.choice(("A", "B", "both"))
        pull = {"A": 0.15, "B": -0.15}

        def decides(here: Side, moved: Mapping[str, str], where: tuple[str, str] = (key, value)) -> float:
            return pull[here] if moved.get(where[0]) == where[1] and side in (here, "both") else 0.0  # noqa: B023

        found += turning(study(World(decides, seed=seed))) == [key]
        shifts = {f"key-{number}": draw.uniform(-0.06, 0.06) for number in range(8)}

        def pulls(here: Side, moved: Mapping[str, str], by: Mapping[str, float] = shifts) -> float:
            return sum(by[each] for each in moved) if here == "B" else 0.0

        falsely += bool(turning(study(World(pulls, seed=seed))))
    assert found >= 18
    assert falsely <= 1


def test_level_of_a_study_where_alternatives_make_no_difference() -> None:
    """Every alternative for B alone takes the difference away: all are open, and one in twenty may turn."""
    falsely = 0
    for seed in range(200):

        def levels(side: Side, moved: Mapping[str, str]) -> float:
            return -0.1 if side == "B" and moved else 0.0

        falsely += bool(turning(study(World(levels, seed=seed), keys=4)))
    assert falsely <= 10 + 9  # 5 % of 200, and three deviations


def test_a_choice_for_one_side_alone_does_not_hide() -> None:
    def for_both_alike(_side: Side, moved: Mapping[str, str]) -> float:
        return -0.3 if moved.get("key-2") == "1" else 0.0

    found = study(World(for_both_alike))
    assert turning(found) == ["key-2"]
    (key,) = (each for each in found.keys if each.status == "turns")
    assert {each.move for each in key.turning} == {"B"}
    told = sentence(NAMES, found, "arrivals")
    assert "of 8 choices 1 turns it (`key-2` for b alone)" in told
    assert "depends" in told


def test_what_is_open_is_told_apart() -> None:
    found = study(World(at("key-1", None, -0.1)))
    assert turning(found) == []
    assert [key.name for key in counts(found)["open"]] == ["key-1"]


def test_scope_is_no_choice_that_a_conclusion_depends_on() -> None:
    found = study(World(at("load", "2", -0.3)), keys=[("load", "scope"), ("rule", "reading")])
    told = sentence(NAMES, found, "arrivals")
    assert "depends" not in told
    assert "`load` = 0, not on `load` = 2" in told


def test_what_cannot_be_run_is_counted_and_not_dropped() -> None:
    world = World(
        nothing,
        refused=frozenset({("key-0", "1"), ("key-0", "2"), ("key-4", "1")}),
        codes={
            ("key-1", "1"): "unbounded-queue",
            ("key-2", "1"): "gc-never-ran",
            ("key-2", "2"): "gc-never-ran",
        },
    )
    found = study(world)
    told = {status: [key.name for key in keys] for status, keys in counts(found).items() if keys}
    assert told == {
        "refused": ["key-0"],
        "unsteady": ["key-1"],
        "uncollected": ["key-2"],
        "holds": ["key-3", "key-4", "key-5", "key-6", "key-7"],
    }
    text = sentence(NAMES, found, "arrivals")
    assert "of 8 choices " in text
    # Two values, each for both, A alone and B alone.
    assert "Of 48 variations 3 ran unsteadily, 6 collected nothing and 9 could not be run" in text
    # An unsteady run turns nothing.
    found = study(World(at("key-0", "1", -0.3), codes={("key-0", "1"): "unbounded-queue"}))
    assert turning(found) == []
    assert counts(found)["unsteady"][0].name == "key-0"


def test_a_base_without_a_conclusion_lists_what_gives_it_one() -> None:
    found = study(World(at("key-3", "2", 0.2), base=0.0, seed=3))
    assert found.side == 0
    told = sentence(NAMES, found, "arrivals")
    assert "1 gives it a direction (`key-3`" in told
    assert "open" not in told


def test_pairs_turn_what_no_key_turns() -> None:
    def together(side: Side, moved: Mapping[str, str]) -> float:
        pulled = sum(moved.get(each) == "1" for each in ("key-0", "key-5"))
        return -0.07 * pulled if side == "B" else 0.0

    found = study(World(together, noise=0.004))
    assert turning(found) == []
    turned = [{key for key, _ in each.parts} for each in found.pairs if each.turns]
    assert turned == [{"key-0", "key-5"}]
    assert "Moved together, 1 of" in sentence(NAMES, found, "arrivals")


def test_combinations_are_drawn_by_seed_and_reported_apart() -> None:
    def many(side: Side, moved: Mapping[str, str]) -> float:
        return -0.3 if side == "B" and len(moved) >= 3 else 0.0

    found = study(World(many), combinations=20)
    assert turning(found) == []
    assert len(found.combinations) == 20
    assert any(each.turns for each in found.combinations)
    assert all(len(each.parts) >= 3 for each in found.combinations if each.turns)
    for seed in (0, 1):
        again = study(World(many, seed=seed), combinations=20).combinations
        same = [each.parts for each in again] == [each.parts for each in found.combinations]
        assert same == (seed == 0)


def test_several_keys_of_one_side_turn_what_moved_for_both_holds() -> None:
    """What three keys grant to A alone is found; moved for both schemes they cancel, and one does nothing."""

    def granted(_side: Side, moved: Mapping[str, str]) -> float:
        return 0.3 if sum(value == "1" for value in moved.values()) >= 3 else 0.0

    found = study(World(granted), combinations=60)
    assert turning(found) == []
    assert {each.move for each in found.combinations} == {"both", "A", "B"}
    turned = {each.move for each in found.combinations if each.turns}
    assert turned == {"A"}, "of B alone they make it larger"
    for each in found.combinations:
        moved = [each.pairing.of(side).keys != () for side in SIDES]
        assert moved == [each.move != "B", each.move != "A"]


def test_screen_is_of_two_repeats_and_full_repeats_are_of_what_is_near() -> None:
    found = study(World(at("key-6", None, -0.09), noise=0.001))
    far, close = (next(key for key in found.keys if key.name == name) for name in ("key-0", "key-6"))
    assert all(each.full is None for each in far.variations)
    assert {each.screened.sample.count for each in far.variations if each.screened} == {SCREEN_REPEATS}
    assert any(each.full is not None and each.full.sample.count == 6 for each in close.variations)


def test_a_budget_is_kept_and_told() -> None:
    world = World(nothing)
    base = 6 * 2 * len(TRACES)
    found = study(world, budget=base + 100, combinations=64)
    assert len(world.asked) <= base + 100
    assert "the screen" in found.over_budget
    beyond = counts(found)["not-run"]
    assert beyond
    assert f"{len(beyond)} were beyond the budget" in sentence(NAMES, found, "arrivals")
