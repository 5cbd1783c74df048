"""Waiting times at one die: Poisson arrivals, one server, no preemption.

Times are in whatever unit they are given in. `load` is the share of time the server is busy (rho), below 1.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext


@dataclass(frozen=True)
class Class:
    """Requests of one kind: arrivals per unit of time, each served in a constant time."""

    rate: float
    service: float

    @property
    def load(self) -> float:
        """Share of time the server works for this class."""
        return self.rate * self.service

    @property
    def residual(self) -> float:
        """What an arrival finds left, on average, of a service of this class: rate E[S^2] / 2."""
        return self.rate * self.service**2 / 2


def mg1_wait(classes: Sequence[Class]) -> float:
    """Mean wait, first come first served: Pollaczek and Khinchine, lambda E[S^2] / (2 (1 - rho)).

    >>> mix = [Class(0.7 * 0.001, 79.1), Class(0.3 * 0.001, 754.1)]
    >>> round(mg1_wait(mix), 1)
    121.8
    """
    return sum(each.residual for each in classes) / (1 - sum(each.load for each in classes))


def cobham_waits(classes: Sequence[Class]) -> list[float]:
    """Mean wait of each class, the first served first, without preemption.

    Cobham, Operations Research 2(1), 1954: with R the mean residual service,
    R / ((1 - loads above) (1 - loads above - own load)).

    >>> [round(wait, 1) for wait in cobham_waits([Class(0.7 * 0.001, 79.1), Class(0.3 * 0.001, 754.1)])]
    [92.6, 128.9]
    """
    residual = sum(each.residual for each in classes)
    waits, above = [], 0.0
    for each in classes:
        waits.append(residual / ((1 - above) * (1 - above - each.load)))
        above += each.load
    return waits


def md1_response(*, service: float, load: float) -> float:
    """Mean wait plus service when every service takes the same time (M/D/1).

    >>> round(md1_response(service=1.0, load=0.8), 6)
    3.0
    """
    return service + mg1_wait([Class(load / service, service)])


def md1_wait_cdf(wait: float, *, service: float, load: float) -> float:
    """Share of requests that wait at most `wait` (M/D/1): Erlang 1909, Crommelin 1932.

    (1 - rho) times the sum over k to floor(t / S) of (lambda (k S - t))^k / k! exp(-lambda (k S - t)). The
    terms alternate and grow far beyond their sum, hence the long decimals.

    >>> round(md1_wait_cdf(0.0, service=1.0, load=0.8), 6)
    0.2
    """
    if wait < 0:
        return 0.0
    turns = math.floor(wait / service)
    with localcontext() as context:
        context.prec = 60 + 2 * turns
        rho, at = Decimal(load), Decimal(wait) / Decimal(service)
        total, factorial = Decimal(0), Decimal(1)
        for k in range(turns + 1):
            factorial *= max(k, 1)
            x = rho * (k - at)
            total += (x**k if k else 1) / factorial * (-x).exp()
        return float((1 - rho) * total)


def md1_wait_percentile(percent: float, *, service: float, load: float) -> float:
    """Wait that `percent` of the requests do not exceed (M/D/1).

    >>> round(md1_wait_percentile(99, service=1.0, load=0.8), 3)
    10.356
    """
    low, high = 0.0, service
    while md1_wait_cdf(high, service=service, load=load) < percent / 100:
        low, high = high, 2 * high
    for _ in range(50):
        middle = (low + high) / 2
        below = md1_wait_cdf(middle, service=service, load=load) < percent / 100
        low, high = (middle, high) if below else (low, middle)
    return high
