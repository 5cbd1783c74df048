"""How well a median of repeats is known: percentile bootstrap, the same on every machine.

A repeat is one run of the same thing with another seed or another declared perturbation. The median of n
repeats is drawn again `RESAMPLES` times from n of them with replacement; the interval leaves out the same
share of these medians at both ends. A bootstrap knows only what it has seen, so the interval never reaches
beyond the smallest and the largest repeat: with three repeats it contains the true median three times out of
four, with four in 88 %, with five in 94 %, and from then on in 88 to 96 %, whatever the distribution
(docs/result-sets.md has the table).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from reclaim.errors import InputError

RESAMPLES = 2000
SEED = 20_141
"""Of the resamples; fixed, so that the same repeats give the same interval."""
FEWEST = 3
"""Repeats without which there is no interval."""


class Interval(NamedTuple):
    """A median, and between what it is known to lie.

    `low` and `high` are None where the repeats do not say: there are fewer than three of them, or all are
    equal, so that nothing random was repeated. `value` is None only without any repeat.
    """

    value: float | None
    low: float | None
    high: float | None
    count: int  # type: ignore[assignment]  # a tuple has a method of this name
    """Repeats it is of."""


@lru_cache(maxsize=64)
def _drawn(count: int) -> Any:
    """Which of `count` repeats each resample has: an array of `RESAMPLES` rows of `count` indices."""
    # The raw output of a bit generator is what numpy guarantees never to change.
    raw = np.random.PCG64(SEED).random_raw(RESAMPLES // 2 * count)
    half = (raw % np.uint64(count)).astype(np.intp).reshape(RESAMPLES // 2, count)
    # With its mirror image, so that chance does not favour one end of the interval.
    return np.concatenate([half, count - 1 - half])


def median_interval(values: Sequence[float | None], level: float = 0.95) -> Interval:
    """Median of `values` with its bootstrap interval; None among them stands for nothing measured.

    Raises:
        InputError: for a level that is no share between 0 and 1.

    >>> median_interval([1.0, 1.1, 1.2, 1.3, 1.4])
    Interval(value=1.2, low=1.0, high=1.4, count=5)
    >>> median_interval([1.5, 1.7]), median_interval([2.0, 2.0, 2.0]).low
    (Interval(value=1.6, low=None, high=None, count=2), None)
    """
    if not 0 < level < 1:
        raise InputError(f"level {level}: give a share between 0 and 1, as in 0.95")
    known = np.array([value for value in values if value is not None], dtype=float)
    count = len(known)
    if not count:
        return Interval(None, None, None, 0)
    median = float(np.median(known))
    if count < FEWEST or np.all(known == known[0]):
        return Interval(median, None, None, count)
    # In order, so that the interval does not depend on the order in which repeats are given.
    medians = np.median(np.sort(known)[_drawn(count)], axis=1)
    beyond = 100 * (1 - level) / 2
    low, high = np.percentile(medians, [beyond, 100 - beyond])
    return Interval(median, float(low), float(high), count)


def ratio_interval(
    ours: Sequence[float | None], theirs: Sequence[float | None], level: float = 0.95
) -> Interval:
    """Median of the ratios `ours / theirs` with its interval, pair by pair: entry i of both is one repeat.

    What both have in common, such as the arrival times of the repeat, cancels in each ratio. Pairs of which
    one was not measured, or whose denominator is zero, say nothing and are left out.

    Raises:
        InputError: if the two are not equally many.

    >>> ratio_interval([2.0, 3.0, 4.4], [1.0, 1.5, 2.0])
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
