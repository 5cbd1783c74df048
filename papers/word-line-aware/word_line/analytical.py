"""The paper's analytical model: equations (1) to (3), Figures 4 and 5, and which reading gives which number.

A word line of a QLC block has 4 levels of 4 logical pages each (128k cells, 4 kB pages). For k valid pages on
it the model takes the placement that costs least for word-line-aware collection, and the one that costs most
for a collector that knows only the count: averages compare the best block with the worst, not two policies.

What 12.5 % and 87.5 % ("of the total possible page distribution") count is not said: `shares_equal` has what
can be counted, and one way gives them that the paper does not confirm.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import product
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .readings import LEVELS, READINGS, Floats, Reading

__all__ = [
    "LEVELS",
    "READINGS",
    "Reading",
    "Sweep",
    "equation_1",
    "equation_2",
    "equation_3",
    "figure_4",
    "shares_equal",
    "sweep",
]

COLUMNS = 4
"""Logical pages of one level on a word line."""

Erase = Literal["once", "per-word-line", "none"]


def equation_1(valid: ArrayLike, *, read_us: float, program_us: float, erase_us: float) -> Floats:
    """Latency of victims by their numbers of valid pages: (t_read + t_program) N_valid + t_erase.

    >>> equation_1([0, 2], read_us=3, program_us=4, erase_us=60).tolist()
    [60.0, 74.0]
    """
    return (read_us + program_us) * np.asarray(valid, dtype=np.float64) + erase_us


def equation_3(valid: ArrayLike, reading: Reading) -> Floats:
    """Latency of word lines: read and program of every valid page by its level, and an erase.

    `valid` is 0 or 1 for each page, its last two axes levels and columns: the paper's matrix B.

    >>> equation_3([[1, 1], [1, 0], [0, 0], [0, 1]], READINGS["table-1"]).item()
    18.0
    """
    pages = np.asarray(valid, dtype=np.float64)
    if pages.ndim < 2 or pages.shape[-2] != len(LEVELS):
        raise ValueError(
            f"valid pages of shape {pages.shape}; the last axes must be {len(LEVELS)} levels, columns"
        )
    return np.asarray(pages.sum(axis=-1) @ reading.page_us + reading.erase_us)


def equation_2(valid: ArrayLike, reading: Reading, erase: Erase = "once") -> Floats:
    """Latency of blocks: the sum over their word lines.

    The last three axes of `valid` are word lines, levels and columns. Read as printed, (2) adds up what (3)
    says of word lines and so erases the block once for each (`per-word-line`). A block is erased once;
    section IV-A leaves the erase out (`none`).
    """
    pages = np.asarray(valid)
    of_word_lines = equation_3(pages, reading)
    word_lines = of_word_lines.shape[-1]
    erases = {"once": 1, "per-word-line": word_lines, "none": 0}[erase]
    return np.asarray(of_word_lines.sum(axis=-1) + (erases - word_lines) * reading.erase_us)


@dataclass(frozen=True)
class Sweep:
    """Figure 5 by one reading: the least and the most that k valid pages of a word line can cost."""

    reading: Reading
    valid: NDArray[np.int64]
    """k = 1 … 16: the averages that the paper prints leave out the empty word line."""
    least_us: Floats
    most_us: Floats
    mean_us: Floats
    """Over all placements of k pages: what a collector that knows only the count gets on average."""

    @property
    def mean_least_us(self) -> float:
        """Mean over k of the least: the paper's average for word-line-aware collection."""
        return float(self.least_us.mean())

    @property
    def mean_most_us(self) -> float:
        """Mean over k of the most: the paper's average for collection by count."""
        return float(self.most_us.mean())

    @property
    def reduction_of_means(self) -> float:
        """1 - least / most, of the means. The paper's 25.4 %."""
        return 1 - self.mean_least_us / self.mean_most_us

    @property
    def mean_of_reductions(self) -> float:
        """Mean over k of 1 - least / most: another average of the same curves."""
        return float(np.mean(1 - self.least_us / self.most_us))

    @property
    def largest_reduction(self) -> float:
        """Largest 1 - least / most of any k."""
        return float(np.max(1 - self.least_us / self.most_us))

    @property
    def largest_slowdown(self) -> float:
        """Largest most / least - 1 of any k."""
        return float(np.max(self.most_us / self.least_us - 1))


def sweep(reading: Reading, columns: int = COLUMNS) -> Sweep:
    """Figure 5 by a reading. The least comes of filling the cheapest level first, the most of the dearest.

    >>> sweep(READINGS["table-1"]).least_us.tolist()[:6]
    [3.0, 6.0, 9.0, 12.0, 17.0, 22.0]
    """
    costs = np.sort(np.repeat(reading.page_us, columns))
    valid = np.arange(1, costs.size + 1)
    return Sweep(
        reading,
        valid,
        np.cumsum(costs) + reading.erase_us,
        np.cumsum(costs[::-1]) + reading.erase_us,
        valid * costs.mean() + reading.erase_us,
    )


def figure_4() -> tuple[float, float]:
    """Figure 4: latency of block 1, which the paper's collector takes, and of block 0, in µs.

    Two valid pages each, read and programmed: of the SLC and the MLC level, and of the TLC and the QLC level.

    >>> figure_4()
    (26.0, 35.0)
    """
    fast = [[1], [1], [0], [0]]
    slow = [[0], [0], [1], [1]]
    block_1, block_0 = equation_3([fast, slow], READINGS["figure-4"]).tolist()
    return block_1, block_0


def shares_equal(reading: Reading, columns: int = COLUMNS) -> dict[str, float]:
    """Shares of what "12.5 % of the total possible page distribution" could count.

    A *count* is equal when its least and most are the same, a *placement* when it costs its count's least.
    None and all of 16 pages are equal: two of 17 counts, and 12.5 % only if they are of 16. In a single cell,
    with a page on each level, two of 16 is what there is: of its 16 distributions those without a valid page
    and with all four are the only ones of their count. Of the 14 others, 11 cost more than the least of
    theirs.
    """
    full = columns * len(LEVELS)
    of = sweep(reading, columns)
    equal = int(np.sum(of.least_us == of.most_us))
    least = np.concatenate(([reading.erase_us], of.least_us))
    by_level = np.array(list(product(range(columns + 1), repeat=len(LEVELS))))
    ways = np.array([math.prod(math.comb(columns, int(pages)) for pages in row) for row in by_level])
    cheapest = by_level @ reading.page_us + reading.erase_us == least[by_level.sum(axis=1)]
    return {
        "counts 1 to 16": equal / full,
        "counts 0 to 16": (equal + 1) / (full + 1),
        "counts 0 to 16, of 16": (equal + 1) / full,
        "placements": float(ways[cheapest].sum() / 2**full),
        **_shares_of_a_cell(reading),
    }


def _shares_of_a_cell(reading: Reading) -> dict[str, float]:
    """Shares of the distributions of valid pages over the levels of one cell."""
    bits = np.array(list(product((0, 1), repeat=len(LEVELS))))
    counts, costs = bits.sum(axis=1), bits @ reading.page_us
    least = np.array([costs[counts == k].min() for k in range(len(LEVELS) + 1)])
    alone = np.bincount(counts)[counts] == 1
    return {
        "distributions of a cell": float(alone.mean()),
        "distributions of a cell, least of their count": float((costs == least[counts]).mean()),
    }
