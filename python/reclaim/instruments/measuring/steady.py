"""When a series of rounds is steady, by SNIA's Solid State Storage Performance Test Specification 2.0.2."""

from __future__ import annotations

from collections.abc import Sequence

WINDOW = 5
"""Consecutive rounds."""
MOST_RANGE = 0.20
"""How far the values of a window may lie apart, in their average."""
MOST_SLOPE = 0.10
"""How far the best linear fit may rise or fall over a window, in the average."""


def excursions(values: Sequence[float]) -> tuple[float, float]:
    """Give the range of values, and that of their least-squares line, both in their average.

    >>> excursions([90, 95, 100, 105, 110])
    (0.2, 0.2)

    Raises:
        ValueError: for fewer than two values, or an average that is not positive.
    """
    mean = sum(values) / len(values)
    if len(values) < 2 or mean <= 0:
        raise ValueError(f"{len(values)} values with an average of {mean}")
    middle = (len(values) - 1) / 2
    product = sum((place - middle) * (value - mean) for place, value in enumerate(values))
    slope = product / sum((place - middle) ** 2 for place in range(len(values)))
    return (max(values) - min(values)) / mean, abs(slope) * (len(values) - 1) / mean


def window_of(rounds: Sequence[float]) -> int | None:
    """Give the first round of the first window that is steady; None if there is none.

    >>> window_of([300, 200, 110, 100, 102, 99, 101, 100]), window_of([100, 90, 80, 70, 60])
    (2, None)
    """
    for first in range(len(rounds) - WINDOW + 1):
        values = rounds[first : first + WINDOW]
        if min(values) <= 0:
            continue
        spread, slope = excursions(values)
        # A hair above, so that a range of exactly 20 % passes whatever the floating point.
        if spread <= MOST_RANGE + 1e-12 and slope <= MOST_SLOPE + 1e-12:
            return first
    return None
