"""How writes lie in space and time where nothing is published of it.

The settings are those with which stand-ins made from a few figures of traces at hand come nearest to what
collection costs under these traces (`docs/collecting-stand-ins.md`, "What is chosen where nothing is
published").
"""

from __future__ import annotations

import math
from statistics import NormalDist

from reclaim.trace.synthesis.counts import Zone

OVERWRITTEN = 0.7
"""Share of what is written that overwrites something."""
LOG = 0.4
"""Share of the written space, and of the writes, that is written from end to end again and again."""
SPREAD = 1.5
"""Standard deviation of the logarithm of how often a place is written, among the zones of the rest."""
ZONES = 32
RUN = 300.0
"""Mean number of requests that stay in a zone before another is drawn."""
SKEW = (
    "skew of writes: not published; {} 32 zones whose writes are log-normally distributed (sigma 1.5), with "
    "runs of 300 requests in one zone; lifetimes follow from it"
)
WITH_LOG = "two fifths of the written space are one log, written from end to end again and again, the rest"
FARTHEST = 1e6
"""Most places for each one that is touched: where nearly nothing is overwritten."""


def skew(*, log: bool) -> str:
    """Say what was chosen."""
    return SKEW.format(WITH_LOG if log else "the written space is")


def zones(touched: float, written: float, *, log: bool = True) -> list[Zone]:
    """Choose zones that have so many units, and as many written, counted at every write.

    A log is left out where it is published how much of the writing is sequential, because it would add to it.

    >>> found = zones(1000, 4000)
    >>> round(sum(zone.touched for zone in found)), round(sum(zone.written for zone in found))
    (1000, 4000)
    """
    mean = written / touched
    if mean <= 1 + 1e-9:
        return [Zone(touched, written, 0.0, passes=1)]
    if not log:
        return _spread(touched, written)
    swept = Zone(LOG * touched, LOG * written, 0.0, passes=max(1, round(mean)), lanes=1)
    return [*_spread((1 - LOG) * touched, (1 - LOG) * written), swept]


def _spread(touched: float, written: float) -> list[Zone]:
    """Zones of equal size, hottest first, whose places are drawn evenly until so many are touched."""
    law = NormalDist()
    heats = [math.exp(SPREAD * law.inv_cdf(1 - (index + 0.5) / ZONES)) for index in range(ZONES)]
    shares = [written * heat / sum(heats) for heat in heats]

    def reached(places: float) -> float:
        return sum(-places * math.expm1(-share / places) for share in shares)

    low, high = touched / ZONES, touched / ZONES * FARTHEST
    for _ in range(100):
        middle = math.sqrt(low * high)
        low, high = (middle, high) if reached(middle) < touched else (low, middle)
    return [Zone(-high * math.expm1(-share / high), share, share / high) for share in shares]
