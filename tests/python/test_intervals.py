"""Bootstrap intervals: against closed forms, on synthetic data, and where there is none."""

from __future__ import annotations

import math

import numpy as np
import pytest

from reclaim import InputError
from reclaim.results.sets import Interval, median_interval, ratio_interval


def coverage(count: int, trials: int) -> float:
    """How often the interval of `count` draws from a skewed distribution contains its true median, 1."""
    draws = np.random.default_rng(7).lognormal(0.0, 1.0, size=(trials, count))
    found = [median_interval(list(each)) for each in draws]
    return sum(each.low <= 1.0 <= each.high for each in found) / trials  # type: ignore[operator]


@pytest.mark.parametrize(("count", "expected"), [(3, 1 - 2 / 2**3), (4, 1 - 2 / 2**4), (5, 1 - 2 / 2**5)])
def test_few_repeats_give_the_span_of_all_whose_coverage_is_known(count: int, expected: float) -> None:
    """The median lies outside of all draws if all fall on one side of it: 2 / 2**n."""
    values = [10.0 + each for each in range(count)]
    found = median_interval(values)
    assert (found.low, found.high) == (values[0], values[-1])
    trials = 1000
    assert coverage(count, trials) == pytest.approx(expected, abs=4 * math.sqrt(0.25 / trials))


def test_of_many_repeats_95_percent_of_the_intervals_contain_the_median() -> None:
    assert coverage(30, 400) == pytest.approx(0.95, abs=0.035)


def test_the_interval_is_that_of_the_exact_bootstrap_distribution() -> None:
    """Of n = 11 the median of a resample is at most the k-th value with P(Bin(11, k/11) >= 6)."""
    n, values = 11, [float(each) for each in range(1, 12)]

    def at_most(k: int) -> float:
        return sum(math.comb(n, j) * (k / n) ** j * (1 - k / n) ** (n - j) for j in range(6, n + 1))

    low = next(k for k in range(1, 12) if at_most(k) >= 0.025)
    high = next(k for k in range(1, 12) if at_most(k) >= 0.975)
    found = median_interval(values)
    assert (found.value, found.low, found.high, found.count) == (6.0, low, high, n)


def test_the_interval_depends_neither_on_order_nor_on_the_run() -> None:
    values = [3.0, 1.0, 4.0, 1.5, 9.0, 2.6]
    assert median_interval(values) == median_interval(values[::-1]) == median_interval(sorted(values))


def test_a_lower_level_gives_a_narrower_interval() -> None:
    values = list(np.random.default_rng(3).normal(100, 5, 20))
    wide, narrow = median_interval(values, 0.99), median_interval(values, 0.5)
    assert wide.low < narrow.low <= narrow.value <= narrow.high < wide.high  # type: ignore[operator]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([], Interval(None, None, None, 0)),
        ([None, None], Interval(None, None, None, 0)),
        ([4.0], Interval(4.0, None, None, 1)),
        ([4.0, 6.0], Interval(5.0, None, None, 2)),
        ([4.0, None, 6.0], Interval(5.0, None, None, 2)),
        ([7.0] * 10, Interval(7.0, None, None, 10)),
    ],
)
def test_without_repeats_that_differ_there_is_no_interval(values: list[float], expected: Interval) -> None:
    assert median_interval(values) == expected


def test_ratios_are_of_pairs_so_that_what_both_share_cancels() -> None:
    theirs = [100.0, 400.0, 250.0, 900.0, 130.0]
    ours = [0.5 * each for each in theirs]
    assert ratio_interval(ours, theirs) == Interval(0.5, None, None, 5)
    assert ratio_interval([*ours, None, 3.0], [*theirs, 5.0, 0.0]).count == 5


def test_what_cannot_be_asked_is_refused() -> None:
    with pytest.raises(InputError, match="2 values against 1"):
        ratio_interval([1.0, 2.0], [1.0])
    with pytest.raises(InputError, match="between 0 and 1"):
        median_interval([1.0], 95)
