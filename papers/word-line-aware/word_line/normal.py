"""What the experiment should find, in closed form: weights and counts of a block as two normal variables.

Each page of a block is valid by itself with chance p. The number N of its valid pages and its weight W (what
relocating them costs) are sums of independent terms, so nearly normal together, with a correlation that
follows from the costs of the levels alone. The lightest quarter has a mean of W that is 1.271 standard
deviations below that of all blocks; the quarter with the fewest pages as much of that as the correlation is.
"""

from __future__ import annotations

import math

import numpy as np

from .readings import LEVELS, Floats, Reading

QUARTER = math.exp(-(0.6744897501960817**2) / 2) / math.sqrt(2 * math.pi) / 0.25
"""By how many standard deviations the mean of the least quarter of a normal variable is below its mean."""
COUNTED: Floats = np.ones(len(LEVELS))
"""Every page counts the same: what the number of valid pages adds up."""


def correlation(first: Floats, second: Floats) -> float:
    """Correlation of two sums over the valid pages of a block, each with its own term for every level.

    >>> from word_line.readings import READINGS
    >>> round(correlation(READINGS["table-1"].page_us, COUNTED), 4)
    0.9625
    """
    return float(first @ second / math.sqrt((first @ first) * (second @ second)))


def reduction(
    reading: Reading, pages: int, valid: float, baseline: str, weights: Floats | None = None
) -> float:
    """1 - latency of word-line-aware collection / that of a baseline, if a quarter of many blocks is taken.

    `weights` is what word-line-aware collection compares blocks by, if not by what relocating them costs.

    >>> from word_line.readings import READINGS
    >>> round(reduction(READINGS["table-1-erase"], 4096, 0.05, "arbitrary"), 4)
    0.0852
    """
    costs = reading.page_us
    of_level = pages / len(LEVELS)
    mean = of_level * valid * float(costs.sum()) + reading.erase_us
    deviation = math.sqrt(of_level * valid * (1 - valid) * float(costs @ costs))

    def latency(below: float) -> float:
        return mean - below * QUARTER * deviation

    ours = 1.0 if weights is None else correlation(weights, costs)
    below = {"arbitrary": 0.0, "random": 0.0, "greedy": correlation(COUNTED, costs), "worst": -1.0}
    return 1 - latency(ours) / latency(below[baseline])
