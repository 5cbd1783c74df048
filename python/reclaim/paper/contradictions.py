"""Errors in a paper: shown only where its printed numbers contradict each other, whatever their rounding."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from statistics import fmean, pstdev, stdev

from reclaim.paper.claims import ROUNDING, Claim, Contradiction, Proof

Bounds = tuple[float, float]
"""Least and largest value that the statistic can have had before rounding."""


def _mean(values: Sequence[float], halves: Sequence[float]) -> Bounds:
    return fmean(values) - fmean(halves), fmean(values) + fmean(halves)


def _sum(values: Sequence[float], halves: Sequence[float]) -> Bounds:
    return sum(values) - sum(halves), sum(values) + sum(halves)


def _sd(values: Sequence[float], halves: Sequence[float]) -> Bounds:
    """Of a sample or of a population: both count as right.

    The deviation of n numbers is their distance from a line over sqrt(n), so it moves no more than they.
    """
    moved = math.sqrt(fmean(half**2 for half in halves))
    ratio = math.sqrt(len(values) / (len(values) - 1))
    return max(pstdev(values) - moved, 0.0), stdev(values) + moved * ratio


def _min(values: Sequence[float], halves: Sequence[float]) -> Bounds:
    pairs = list(zip(values, halves, strict=True))
    return min(value - half for value, half in pairs), min(value + half for value, half in pairs)


def _max(values: Sequence[float], halves: Sequence[float]) -> Bounds:
    pairs = list(zip(values, halves, strict=True))
    return max(value - half for value, half in pairs), max(value + half for value, half in pairs)


def _difference(values: Sequence[float], halves: Sequence[float]) -> Bounds:
    return values[0] - values[1] - sum(halves), values[0] - values[1] + sum(halves)


def _ratio(values: Sequence[float], halves: Sequence[float]) -> Bounds:
    (over, under), (half, other) = values, halves
    if under - other <= 0:
        return -math.inf, math.inf
    return (over - half) / (under + other), (over + half) / (under - other)


_COMPUTE: dict[str, Callable[[Sequence[float], Sequence[float]], Bounds]] = {
    "mean": _mean,
    "sd": _sd,
    "sum": _sum,
    "min": _min,
    "max": _max,
    "ratio": _ratio,
    "difference": _difference,
}
PAIRS = ("ratio", "difference")
RELATIONS: dict[str, Callable[[float, float, float], bool]] = {
    ">=": lambda _, most, bound: most >= bound,
    ">": lambda _, most, bound: most > bound,
    "<=": lambda least, _, bound: least <= bound,
    "<": lambda least, _, bound: least < bound,
}
"""Whether a statistic that is between two ends may be so, as a claim in words needs it."""
Numbers = Sequence[tuple[float, float]]
"""Values, and half a unit of the last printed digit of each."""


def prove(claim: Claim, contradiction: Contradiction, numbers: Numbers) -> Proof:
    """Compute what the claim should have printed, with all the room that rounding leaves.

    >>> claim = Claim.model_construct(value=35.0, printed="35")
    >>> numbers = [(each, 0.05) for each in (3.5, 4.0, 4.5, 4.0, 20.0)]
    >>> prove(claim, Contradiction(of="sum", says="the summands make another sum"), numbers).shown
    'sum of 3.5, 4, 4.5, 4, 20 = 36 (35.75 to 36.25 before rounding); printed: 35 (34.5 to 35.5)'
    """
    values, halves = [value for value, _ in numbers], [half for _, half in numbers]
    of = contradiction.of
    if (of in PAIRS and len(values) != 2) or (of == "sd" and len(values) < 2):
        return Proof(False, f"{of} of {len(values)} numbers: cannot be computed")
    low, high = _COMPUTE[of](values, halves)
    at = sum(_COMPUTE[of](values, [0.0] * len(values))) / 2
    listed = ", ".join(f"{value:g}" for value in values)
    shown = f"{of} of {listed} = {at:.4g} ({low:.4g} to {high:.4g} before rounding)"
    if contradiction.must:
        sign, _, text = contradiction.must.partition(" ")
        bound = float(text.replace(",", ""))
        slack = ROUNDING * max(abs(bound), abs(at))
        possible = RELATIONS[sign](low - slack, high + slack, bound)
        return Proof(not possible, f"{shown}; the claim needs {sign} {bound:g}")
    value, half = float(claim.value), claim.half_unit
    slack = ROUNDING * max(abs(value), abs(at))
    apart = high < value - half - slack or low > value + half + slack
    return Proof(apart, f"{shown}; printed: {claim.printed} ({value - half:.4g} to {value + half:.4g})")
