"""Pools whose validity depends on the level, and thresholds: chances, victims and savings, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from word_line import pools
from word_line.normal import reduction
from word_line.readings import READINGS


@pytest.mark.parametrize(
    ("dial", "slow", "by_level"),
    [
        (0, True, [0.375, 0.375, 0.375, 0.375]),
        # 37.5 % of the pages are all of one level and half of the next.
        (1, True, [0, 0, 0.5, 1]),
        (1, False, [1, 0.5, 0, 0]),
        (0.2, True, [0.3, 0.3, 0.4, 0.5]),
    ],
)
def test_chances_go_from_none_to_full_dependence(dial: float, slow: bool, by_level: list[float]) -> None:
    assert pools.chances(0.375, dial, slow=slow).tolist() == pytest.approx(by_level)


def test_a_pool_of_full_dependence_is_full_of_slow_pages_or_half_of_fast_ones() -> None:
    random = np.random.default_rng(1)
    slow, fast = [0, 0, 1024, 1024], [1024, 1024, 0, 0]
    assert pools.draw(random, 2, 0.5, 1, "same").tolist() == [slow, slow]
    assert pools.draw(random, 2, 0.5, 1, "halves").tolist() == [slow, fast]


# Weights by Table I: 3, 5, 6 and 7 us for a page; an erase takes 60.
FOUR = np.array([[0, 0, 0, 4], [5, 0, 0, 0], [0, 6, 0, 0], [0, 0, 7, 0]])


def test_the_lightest_and_those_of_a_threshold() -> None:
    # 28, 15, 30 and 42 us.
    assert pools.lightest(FOUR).tolist() == [1]
    assert pools.in_order(FOUR, 25).tolist() == [0]
    assert pools.in_order(FOUR[::-1], 25).tolist() == [3]
    assert pools.in_order(FOUR[::-1], 100).tolist() == [0]
    assert pools.in_order(FOUR[::-1], 50).tolist() == [2]


def test_what_the_lightest_save() -> None:
    assert pools.saved(FOUR) == pytest.approx(100 * (1 - 75 / 88))
    assert pools.saved(FOUR[::-1], 100) == pytest.approx(100 * (1 - 75 / 102))


def test_half_of_full_dependence_saves_the_most() -> None:
    """Of 50 % valid: 2048 pages at 3 and 5 us, or at 6 and 7; both have the same count."""
    counts = pools.draw(np.random.default_rng(1), 400, 0.5, 1, "halves")
    light, any_of_both = 60 + 1024 * 8, 60 + 1024 * (8 + 13) / 2
    assert pools.saved(counts) == pytest.approx(100 * (1 - light / any_of_both))


def test_the_map_begins_with_the_closed_form() -> None:
    found = pools.of_level("quick")
    for valid in pools.VALID:
        expected = 100 * reduction(READINGS["table-1-erase"], pools.PAGES, valid / 100, "greedy")
        for lean in pools.LEANS:
            figure = found[f"pools, {lean}, 0 % dependent, {valid} % valid"].figure
            assert figure is not None
            assert figure.value == pytest.approx(expected, rel=0.15)


def test_a_tenth_or_any_share_leans_the_other_way() -> None:
    random = np.random.default_rng(1)
    slow, fast = [0, 0, 64, 64], [64, 64, 0, 0]
    counts = pools.draw(random, 20, 0.5, 1, "tenth", 256).tolist()
    assert counts[1] == counts[11] == fast
    assert counts.count(slow) == 18
    sides = pools.draw(random, 400, 0.5, 1, "any", 1 << 16) / (1 << 14)
    # By half on average, and to one side as often as to the other.
    assert np.abs(sides - 0.5).mean() == pytest.approx(0.25, abs=0.03)
    assert sides.mean(axis=0) == pytest.approx(0.5, abs=0.05)


def test_costs_of_one_reading_weigh_and_count() -> None:
    # By the published program pages cost 3, 4, 5 and 6, and an erase 9: 24, 15, 24 and 35.
    program = READINGS["program"]
    assert pools.lightest(FOUR, program).tolist() == [1]
    assert pools.saved(FOUR, costs=program) == pytest.approx(100 * (1 - 24 / 33))


def test_the_fewer_are_collected_the_more_a_weight_saves() -> None:
    found = pools.of_shares("quick")
    quarter, one = (found[f"pools, {words} collected"].figure for words in ("a quarter", "one block of 256"))
    assert quarter is not None
    assert one is not None
    assert quarter.value == pytest.approx(
        100 * reduction(READINGS["table-1-erase"], pools.PAGES, pools.SPARSE / 100, "greedy"), rel=0.1
    )
    assert one.value > quarter.value
