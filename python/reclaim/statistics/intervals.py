"""How well a median of repeats is known: between which of the repeats it lies.

A repeat is one run of the same thing with another seed or another declared perturbation. Each is as likely
below the true median as above it, whatever the distribution, so the number of repeats below it is that of
heads in as many throws of a coin. The interval from the k-th smallest to the k-th largest repeat therefore
misses the median with a chance of twice P(fewer than k heads), and of all k the largest is taken that keeps
the level (Conover, Practical Nonparametric Statistics, section 3.2). For 95 % that takes six repeats: of
fewer, the smallest and the largest miss it more often, and there is no interval (docs/result-sets.md).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from reclaim.errors import InputError

LEVEL = 0.95
"""Of the intervals in tables, charts and verdicts."""


class Interval(NamedTuple):
    """A median, and between what it is known to lie.

    `low` and `high` are None where the repeats do not say: there are too few of them for the level, or all
    are equal, so that nothing random was repeated. `value` is None only without any repeat.
    """

    value: float | None
    low: float | None
    high: float | None
    count: int  # type: ignore[assignment]  # a tuple has a method of this name
    """Repeats it is of."""


def coverage(count: int, place: int) -> float:
    """Chance that the median lies between the smallest and the largest but `place` - 1 of `count` repeats.

    Exact for a continuous distribution; where values can be equal, the chance is at least that.

    >>> coverage(3, 1), coverage(6, 1), coverage(10, 2)
    (0.75, 0.96875, 0.978515625)
    """
    fewer = sum(math.comb(count, below) for below in range(place))
    return 1 - fewer / float(2 ** (count - 1))


@lru_cache(maxsize=256)
def place_of(count: int, level: float = LEVEL) -> int:
    """Which smallest and which largest of `count` repeats make an interval of `level`; 0 if none do.

    >>> [place_of(count) for count in (5, 6, 8, 9, 30)]
    [0, 1, 1, 2, 10]
    """
    place = 0
    while place < count // 2 and coverage(count, place + 1) >= level:
        place += 1
    return place


def fewest(level: float = LEVEL) -> int:
    """Repeats without which there is no interval of `level`.

    >>> fewest(), fewest(0.99), fewest(0.75)
    (6, 8, 3)
    """
    return max(2, math.ceil(1 - math.log2(1 - level)))


def median_interval(values: Sequence[float | None], level: float = LEVEL) -> Interval:
    """Median of `values` with its interval; None among them stands for nothing measured.

    Raises:
        InputError: for a level that is no share between 0 and 1.

    >>> median_interval([1.0, 1.1, 1.2, 1.3, 1.4, 1.6])
    Interval(value=1.25, low=1.0, high=1.6, count=6)
    >>> median_interval([1.0, 1.1, 1.2]), median_interval([1.0, 1.1, 1.2], level=0.75).high
    (Interval(value=1.1, low=None, high=None, count=3), 1.2)
    """
    if not 0 < level < 1:
        raise InputError(f"level {level}: give a share between 0 and 1, as in 0.95")
    known = sorted(float(value) for value in values if value is not None)
    count = len(known)
    if not count:
        return Interval(None, None, None, 0)
    median = float(np.median(known))
    place = place_of(count, level)
    if not place or known[0] == known[-1]:
        return Interval(median, None, None, count)
    return Interval(median, known[place - 1], known[-place], count)


def ratio_interval(
    ours: Sequence[float | None], theirs: Sequence[float | None], level: float = LEVEL
) -> Interval:
    """Median of the ratios `ours / theirs` with its interval, pair by pair: entry i of both is one repeat.

    What both have in common, such as the arrival times of the repeat, cancels in each ratio. Pairs of which
    one was not measured, or whose denominator is zero, say nothing and are left out.

    Raises:
        InputError: if the two are not equally many.

    >>> ratio_interval([2.0, 3.0, 4.4], [1.0, 1.5, 2.0], level=0.75)
    Interval(value=2.0, low=2.0, high=2.2, count=3)
    """
    if len(ours) != len(theirs):
        raise InputError(f"{len(ours)} values against {len(theirs)}: ratios are of pairs, give equally many")
    pairs = zip(ours, theirs, strict=True)
    return median_interval(
        [ratio for each in pairs if (ratio := _ratio(*each)) is not None],
        level,
    )


def _ratio(ours: float | None, theirs: float | None) -> float | None:
    return ours / theirs if ours is not None and theirs else None
