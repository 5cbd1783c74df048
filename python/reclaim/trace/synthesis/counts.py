"""How often places are written: a mixture of laws that match a trace.

A zone whose places are drawn evenly gives every place a Poisson number of writes. A trace's counts of
writes per place are taken for a mixture of such zones (seen only where they were written at all, so each
law is cut at zero) and of places written exactly once, or exactly a few times, as logs and whole files are.
The shares are found by expectation maximisation (Dempster, Laird and Rubin, 1977).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

ROUNDS = 400
STEP = 1.3
"""Ratio of one rate tried to the next."""
LEAST_RATE = 0.35
MOST_ZONES = 12
FEW_PASSES = 4
ALIKE = 1.2
EDGES = (0.01, 0.1, 0.2)
"""Shares of the places, hottest first, up to which the skew is measured."""


@dataclass
class Zone:
    """Places written alike."""

    touched: float
    """Units written at least once."""
    written: float
    """Units written, counted at every write."""
    rate: float
    """Mean writes to a place of the zone, drawn evenly; 0 where every place is written equally often."""
    passes: int = 0
    """How often every place is written; 0 where places are drawn evenly."""
    factor: float = 1.0
    """Correction to the zone's share of the writes, from calibration."""
    lanes: int | None = None
    """Of a zone that is swept: in how many places at a time; None for as many as hide that it is."""

    @property
    def places(self) -> float:
        """Units of the zone, with those that are never drawn."""
        return self.touched if self.passes else self.touched / -math.expm1(-self.rate)


def mean_if_written(rate: float) -> float:
    """Mean of a Poisson law cut at zero."""
    return rate / -math.expm1(-rate)


def rate_for(mean: float) -> float:
    """Rate whose law, cut at zero, has this mean; 0 for a mean of 1.

    >>> round(mean_if_written(rate_for(3.0)), 9)
    3.0
    """
    if mean <= 1 + 1e-6:
        return 0.0
    low, high = 0.0, mean
    for _ in range(60):
        middle = (low + high) / 2
        if mean_if_written(middle) < mean:
            low = middle
        else:
            high = middle
    return high


def places_for(draws: float, touched: float) -> float:
    """Number of places of which so many draws touch so many.

    >>> round(places_for(1000, 1000 * -math.expm1(-1)))
    1000
    """
    if touched >= draws:
        return math.inf
    rate = rate_for(draws / touched)
    return draws / rate


def mixture(histogram: Sequence[tuple[int, int, int]], even: int = 1) -> list[Zone]:
    """Find zones, hottest first, with these counts of writes per place: (least, greatest, places).

    Places written up to `even` times may be taken for places that are all written equally often.
    """
    bins = [((low + high) / 2, number) for low, high, number in histogram]
    total = sum(number for _, number in bins)
    top = max(count for count, _ in bins)
    laws: list[tuple[float, int]] = [(0.0, passes) for passes in range(1, even + 1)]
    rate = LEAST_RATE
    while rate < top * 1.1:
        laws.append((rate, 0))
        rate *= STEP
    laws.append((top, 0))
    likelihood = [[_likelihood(law, count) for law in laws] for count, _ in bins]
    shares = [1 / len(laws)] * len(laws)
    for _ in range(ROUNDS):
        new = [0.0] * len(laws)
        for (_, number), row in zip(bins, likelihood, strict=True):
            terms = [share * each for share, each in zip(shares, row, strict=True)]
            whole = sum(terms)
            for index, term in enumerate(terms):
                if term:
                    new[index] += number * term / whole
        shares = [each / total for each in new]
    zones = [
        Zone(share * total, share * total * (passes or mean_if_written(rate)), rate, passes)
        for share, (rate, passes) in zip(shares, laws, strict=True)
        if share * total >= 0.5
    ]
    return _merged(zones)


def _likelihood(law: tuple[float, int], count: float) -> float:
    rate, passes = law
    if passes:
        return 1.0 if count == passes else 0.0
    log = count * math.log(rate) - rate - math.lgamma(count + 1) - math.log(-math.expm1(-rate))
    return math.exp(max(log, -700.0)) + 1e-300


def _merged(zones: list[Zone]) -> list[Zone]:
    """Join neighbours until there are few, those first whose joining changes least."""
    evenly = _alike([zone for zone in zones if zone.passes])
    hot = sorted((zone for zone in zones if not zone.passes), key=lambda zone: -zone.rate)
    written = sum(zone.written for zone in zones)
    touched = sum(zone.touched for zone in zones)
    while len(hot) > 1:
        weights = [
            (a.written + b.written) / written * (math.log(a.rate / b.rate)) ** 2
            + (a.touched + b.touched) / touched * (math.log(a.rate / b.rate)) ** 2
            for a, b in pairwise(hot)
        ]
        least = min(range(len(weights)), key=weights.__getitem__)
        if len(hot) <= MOST_ZONES and weights[least] > 0.002:
            break
        a, b = hot[least], hot[least + 1]
        joined = Zone(a.touched + b.touched, a.written + b.written, 0.0)
        joined.rate = max(rate_for(joined.written / joined.touched), LEAST_RATE)
        hot[least : least + 2] = [joined]
    return _split(hot, touched) + evenly


def _alike(swept: list[Zone]) -> list[Zone]:
    """Join zones swept about equally often, beyond the few sweeps that are worth telling apart."""
    found: list[Zone] = []
    first = 0
    for zone in swept:
        if first > FEW_PASSES and zone.passes <= first * ALIKE:
            found[-1].touched += zone.touched
            found[-1].written += zone.written
        else:
            found.append(zone)
            first = zone.passes
    return found


def _split(zones: list[Zone], touched: float) -> list[Zone]:
    """Cut zones where the hottest 1 %, 10 % and 20 % end, so that each share can be corrected by itself."""
    cut: list[Zone] = []
    so_far = 0.0
    for zone in zones:
        rest = zone
        for edge in EDGES:
            room = edge * touched - so_far
            if 1 <= room < rest.touched - 1:
                share = room / rest.touched
                cut.append(Zone(room, rest.written * share, rest.rate))
                rest = Zone(rest.touched - room, rest.written * (1 - share), rest.rate)
                so_far += room
        cut.append(rest)
        so_far += rest.touched
    return cut


def circular(zones: Sequence[Zone]) -> list[Zone]:
    """Join all zones that are swept a few times into one, swept round and round, the last round in part."""
    swept = [zone for zone in zones if 0 < zone.passes <= FEW_PASSES]
    joined = Zone(sum(zone.touched for zone in swept), sum(zone.written for zone in swept), 0.0, passes=1)
    return [zone for zone in zones if zone not in swept] + ([joined] if swept else [])


def groups(zones: Sequence[Zone], touched: float) -> list[list[Zone]]:
    """Zones by the edge (hottest 1 %, 10 %, 20 %, the rest) below which they lie; none swept a few times."""
    found: list[list[Zone]] = [[] for _ in range(len(EDGES) + 1)]
    so_far = 0.0
    for zone in sorted(zones, key=lambda each: -each.written / each.touched):
        so_far += zone.touched
        if not 0 < zone.passes <= FEW_PASSES:
            found[sum(so_far > edge * touched + 1 for edge in EDGES)].append(zone)
    return found
