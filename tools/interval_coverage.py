"""How often intervals of repeats contain the median that they are for: the table of docs/result-sets.md.

    python tools/interval_coverage.py

They are made of samples of 3 to 30 ratios of distributions whose median is known.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from reclaim.report.document import Table
from reclaim.report.forms import markdown_of
from reclaim.statistics.intervals import coverage, median_interval, place_of

TRIALS = 20_000
COUNTS = (3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 20, 25, 30)
SEED = 20_141


def _two_modes(random: np.random.Generator, shape: tuple[int, int]) -> Any:
    """Either about 0.8 (three times in five) or about 2, as a tail that collection reaches or not."""
    slow = random.random(shape) < 0.4
    return np.exp(random.normal(np.where(slow, math.log(2), math.log(0.8)), 0.1))


class Distribution(NamedTuple):
    """Ratios to draw, and what to find."""

    name: str
    draw: Callable[[np.random.Generator, tuple[int, int]], Any]
    median: float


# P(first mode) = 0.6: the median is its 5/6 quantile, z = 0.967422.
DISTRIBUTIONS = (
    Distribution("normal", lambda random, shape: random.normal(1.0, 0.1, shape), 1.0),
    Distribution("log-normal", lambda random, shape: random.lognormal(0.0, 1.0, shape), 1.0),
    Distribution("exponential", lambda random, shape: random.exponential(1.0, shape), math.log(2)),
    Distribution("Pareto, index 1.5", lambda random, shape: 1 + random.pareto(1.5, shape), 2 ** (1 / 1.5)),
    Distribution("two modes", _two_modes, 0.8 * math.exp(0.967422 * 0.1)),
)


def _contains(low: Any, high: Any, median: float) -> float:
    return float(np.mean((low <= median) & (median <= high)))


def by_order(samples: Any, median: float) -> float:
    """How often the interval contains the median; nothing without an interval."""
    ordered = np.sort(samples, axis=1)
    place = place_of(samples.shape[1])
    if not place:
        return math.nan
    low, high = ordered[:, place - 1], ordered[:, -place]
    # The same as the function gives, for the first of them.
    found = median_interval(list(samples[0]))
    assert (found.low, found.high) == (low[0], high[0])  # noqa: S101
    return _contains(low, high, median)


class Row(NamedTuple):
    """What a number of repeats comes to; of all distributions the least and the most."""

    count: int  # type: ignore[assignment]  # a tuple has a method of this name
    exact: float
    order: tuple[float, float]


def simulate(counts: Sequence[int] = COUNTS, trials: int = TRIALS) -> list[Row]:
    """Draw from all distributions."""
    rows = []
    for count in counts:
        random = np.random.default_rng(SEED + count)
        drawn = [(each.draw(random, (trials, count)), each.median) for each in DISTRIBUTIONS]
        contained, place = [by_order(*each) for each in drawn], place_of(count)
        exact = coverage(count, place) if place else math.nan
        rows.append(Row(count, exact, (min(contained), max(contained))))
    return rows


def _percent(value: float) -> str:
    return "–" if math.isnan(value) else f"{100 * value:.1f}"


def _range(ends: tuple[float, float]) -> str:
    low, high = map(_percent, ends)
    return low if low == high else f"{low} to {high}"


def table(rows: Sequence[Row]) -> str:
    """The table in Markdown, in percent."""
    head = ("repeats", "from the … smallest to the … largest", "its level, %", "contained the median, %")
    cells = [
        [str(row.count), str(place_of(row.count) or "no interval"), _percent(row.exact), _range(row.order)]
        for row in rows
    ]
    return markdown_of(Table(head, cells))


if __name__ == "__main__":
    print(table(simulate()), end="")
