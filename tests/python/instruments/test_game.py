"""Shares of parts: games solved by hand, and what must hold in every game."""

from __future__ import annotations

from itertools import permutations
from math import fsum
from random import Random

import pytest

from reclaim.instruments.ablation import game

A, B, C = 1, 2, 4
GLOVES = {0: 0.0, A: 0.0, B: 0.0, C: 0.0, A | B: 1.0, A | C: 1.0, B | C: 0.0, A | B | C: 1.0}
"""One left glove, two right ones: a pair is worth 1."""
NEEDS_B = {0: 0.0, A: 1.0, B: 2.0, A | B: 4.0, B | C: 5.0, A | B | C: 9.0}
"""Part c cannot be without b. The orders that can be are abc, bac and bca."""


def shares(values: dict[int, float], count: int = 3) -> list[float]:
    steps = game.all_orders(count, values)
    found = game.shares(count, values, steps)
    assert fsum(found) == pytest.approx(values[(1 << count) - 1] - values[0])
    return found


def random_game(stream: Random, count: int, known: float) -> dict[int, float]:
    """A game in which each subset but the ends has a value with this chance."""
    whole = (1 << count) - 1
    kept = [each for each in range(whole + 1) if each in (0, whole) or stream.random() < known]
    return {each: stream.uniform(-1, 1) for each in kept}


def by_hand(count: int, values: dict[int, float]) -> list[float] | None:
    """The shares by going through every order."""
    added = []
    for order in permutations(range(count)):
        met = game.prefixes(order)
        if all(each in values for each in met):
            gains = {
                part: values[after] - values[before]
                for part, before, after in zip(order, met, met[1:], strict=False)
            }
            added.append([gains[part] for part in range(count)])
    return [fsum(each) / len(added) for each in zip(*added, strict=True)] if added else None


def test_games_solved_by_hand() -> None:
    # The left glove makes the pair in four of six orders, and each right one in one.
    assert shares(GLOVES) == pytest.approx([2 / 3, 1 / 6, 1 / 6])
    # abc: 1, 3, 5; bac: 2, 2, 5; bca: 4, 2, 3.
    assert shares(NEEDS_B) == pytest.approx([7 / 3, 7 / 3, 13 / 3])
    steps = game.all_orders(3, NEEDS_B)
    assert (steps.used, steps.of) == (3, 6)


@pytest.mark.parametrize(("count", "known"), [(1, 1.0), (3, 0.7), (4, 0.5), (5, 0.7)])
def test_shares_are_means_over_the_orders_that_can_be(count: int, known: float) -> None:
    stream, met = Random(f"{count} {known}"), 0  # noqa: S311 - not in secret
    for _ in range(40):
        values = random_game(stream, count, known)
        wanted = by_hand(count, values)
        if wanted is None:
            assert game.all_orders(count, values) is None
            continue
        met += 1
        back = {(1 << count) - 1 ^ subset: value for subset, value in values.items()}
        assert shares(back, count) == pytest.approx([-each for each in wanted]), "the way back negates"
        assert shares(values, count) == pytest.approx(wanted)
    assert met


def test_parts_that_do_the_same_have_the_same_share_and_one_that_does_nothing_has_none() -> None:
    # Parts a and b count, c does not.
    values = {subset: float((subset & 3).bit_count() ** 2) for subset in range(8)}
    assert shares(values) == pytest.approx([2, 2, 0])
    # The same where a and b cannot be without each other but for one of them first: still symmetric.
    del values[A | C]
    del values[B | C]
    assert shares(values) == pytest.approx([2, 2, 0])


def test_drawn_orders_are_those_of_the_seed_and_all_of_them_give_the_exact_share() -> None:
    assert game.draw(7, 6, 1) == game.draw(7, 6, 1) != game.draw(7, 6, 2)
    # On every machine: a change of the stream is a change of results.
    assert game.draw(4, 2, 1) == [(1, 2, 0, 3), (3, 0, 2, 1)]
    steps = game.drawn_orders(list(permutations(range(3))), NEEDS_B)
    assert (steps.used, steps.of) == (3, 6)
    assert game.shares(3, NEEDS_B, steps) == pytest.approx([7 / 3, 7 / 3, 13 / 3])
    assert game.drawn_orders([(2, 0, 1)], NEEDS_B) is None


def test_the_error_of_drawing_is_that_of_the_mean_of_draws() -> None:
    # abc with cba (which cannot be): b adds 3; bca with acb (which cannot be): b adds 2.
    orders = [(0, 1, 2), (2, 1, 0), (1, 2, 0), (0, 2, 1)]
    found = game.drawn_errors(orders, NEEDS_B)
    assert found[1] == pytest.approx(0.5)
    assert game.drawn_errors(orders[:2], NEEDS_B) is None
    # Where parts do not interact, no order is better than another.
    plain = {subset: float(subset) for subset in range(8)}
    assert game.drawn_errors(orders, plain) == pytest.approx([0, 0, 0])


def test_inseparable_parts_are_merged() -> None:
    # b and c only together: {a}, {b, c}.
    values = {0: 0.0, A: 1.0, B | C: 5.0, A | B | C: 9.0}
    assert game.all_orders(3, values) is None
    blocks = game.finest(3, values)
    assert blocks == [A, B | C]
    merged = game.of_blocks(blocks, values)
    assert merged == {0: 0.0, 1: 1.0, 2: 5.0, 3: 9.0}
    assert shares(merged, 2) == pytest.approx([2.5, 6.5])
    # A subset that leads nowhere separates nothing.
    assert game.finest(4, [0, A, A | B, A | B | C | 8, C]) == [A, B, C | 8]
    # b with c, or a with c: nothing says which.
    assert game.finest(3, [0, A, B, A | B | C]) is None
    assert game.finest(3, [0, A]) is None


def test_blocks_of_several_workloads_are_joined() -> None:
    assert game.joined(4, []) == [1, 2, 4, 8]
    assert game.joined(4, [[1, 2, 4, 8], [1, 6, 8]]) == [1, 6, 8]
    assert game.joined(4, [[3, 4, 8], [1, 6, 8]]) == [7, 8]


def test_interactions_solved_by_hand() -> None:
    # a + 2b + 3c, and 5 more if both a and b are there.
    values = {
        subset: (subset & 1) + (subset >> 1 & 1) * 2 + (subset >> 2) * 3 + 5.0 * (subset & 3 == 3)
        for subset in range(8)
    }
    found = {(each.first, each.second): each for each in game.interactions(3, values)}
    assert {pair: each.value for pair, each in found.items()} == pytest.approx(
        {(0, 1): 5, (0, 2): 0, (1, 2): 0}
    )
    assert {(each.used, each.of) for each in found.values()} == {(2, 2)}
    # What c does beside a and b together is not known: the pair is known beside none of the others alone.
    del values[A | C]
    (one,) = [each for each in game.interactions(3, values) if (each.first, each.second) == (0, 1)]
    assert (one.value, one.used, one.of) == (5, 1, 2)
    # a with c, and b with c beside it, need the drive that is gone.
    assert (0, 2) not in {
        (each.first, each.second) for each in game.interactions(3, {0: 0.0, A: 1.0, 7: 2.0})
    }
