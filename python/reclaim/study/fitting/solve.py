"""Solves unknowns from figures, and says which of them the figures determine."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

STEP = 0.02
"""By so much of an unknown's range it is moved to see what that changes."""
TOLERANCE = 0.05
"""A drive whose fitted lines are all this near (in natural logarithms) may be the drive of the sheet."""
GOOD_ENOUGH = 1e-3
"""A step of the search that brings less than this ends it."""

Places = tuple[float, ...]
"""One of each unknown in its range: 0 to 1."""
Residuals = Callable[[Places], Sequence[float]]
"""Gives the logarithm of simulated over published of every fitted line."""


class Solution(NamedTuple):
    """Where the fitted lines are nearest to the sheet."""

    places: Places
    residuals: tuple[float, ...]
    jacobian: tuple[tuple[float, ...], ...]
    """What each line's residual changes by when an unknown goes through its range; a row a line."""
    tried: int
    """Drives that were simulated."""

    @property
    def worst(self) -> float:
        """The residual that is farthest from 0, without its sign."""
        return max(map(abs, self.residuals))

    @property
    def fits(self) -> bool:
        """Whether this may be the drive of the sheet."""
        return self.worst <= TOLERANCE


def rounded(places: Iterable[float]) -> Places:
    """Give places within their ranges, in six digits: a drive is made of text.

    >>> rounded([0.12345678, 1.5])
    (0.123457, 1.0)
    """
    return tuple(float(f"{min(1.0, max(0.0, each)):.6f}") for each in places)


def solve(residuals: Residuals, start: Places, most: int) -> Solution:
    """Find the places where the squares of the residuals are least (trust-region reflective, SciPy).

    Args:
        residuals: simulates the drive of some places.
        start: where to begin.
        most: drives that may be tried, those that only show what an unknown changes included.
    """
    from scipy.optimize import least_squares  # type: ignore[import-untyped]

    known: dict[Places, np.ndarray[Any, Any]] = {}

    def of(places: Sequence[float]) -> np.ndarray[Any, Any]:
        key = rounded(places)
        if key not in known:
            known[key] = np.asarray(residuals(key), dtype=float)
        return known[key]

    def jacobian(places: Sequence[float]) -> np.ndarray[Any, Any]:
        here, columns = of(places), []
        for at, place in enumerate(places):
            step = STEP if place + STEP <= 1 else -STEP
            moved = [*places[:at], place + step, *places[at + 1 :]]
            columns.append((of(moved) - here) / step)
        return np.stack(columns, axis=1)

    # Ends of ranges are allowed, but the search begins within.
    begin = [min(1 - STEP, max(STEP, each)) for each in start]
    found = least_squares(
        of,
        begin,
        jacobian,
        bounds=([0.0] * len(start), [1.0] * len(start)),
        xtol=GOOD_ENOUGH,
        ftol=GOOD_ENOUGH,
        gtol=GOOD_ENOUGH**2,
        max_nfev=max(1, most // (len(start) + 1)),
    )
    places = rounded(found.x)
    rows = tuple(tuple(map(float, row)) for row in jacobian(places))
    return Solution(places, tuple(map(float, of(places))), rows, len(known))


def extremes(solution: Solution) -> list[tuple[Places, Places]]:
    """Give, for each unknown, drives with the least and the most of it that the fitted lines permit.

    Lines may be off by `TOLERANCE`, and every other unknown may move along: what a pair of unknowns can
    make up between them is not determined. Lines are taken to change as they do at the solution, so that
    both ends have to be simulated before they are believed. Where the solution itself does not fit, lines
    may be off as far as there.
    """
    from scipy.optimize import linprog

    slope, off = np.asarray(solution.jacobian), np.asarray(solution.residuals)
    here = np.asarray(solution.places)
    room = np.maximum(TOLERANCE, np.abs(off))
    limits = np.concatenate([room - off, room + off])
    bounds = [(-place, 1 - place) for place in here]
    found = []
    for at in range(len(here)):
        ends: list[Places] = []
        for sign in (1.0, -1.0):
            wanted = np.zeros(len(here))
            wanted[at] = sign
            went = linprog(wanted, np.concatenate([slope, -slope]), limits, bounds=bounds)
            ends.append(rounded(here if went.x is None else here + went.x))
        found.append((ends[0], ends[1]))
    return found


def corrected(solution: Solution, unknown: int, at: Places, off: Sequence[float]) -> Places:
    """Move all unknowns but one so that lines which are off come back, by as little as that takes."""
    slope = np.array(solution.jacobian)
    slope[:, unknown] = 0
    return rounded(np.asarray(at) - np.linalg.pinv(slope, rcond=1e-3) @ np.asarray(off))
