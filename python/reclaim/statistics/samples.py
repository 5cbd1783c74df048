"""Log ratios of paired repeats: their median with its interval, and what chance would do as well.

The interval is that of all tables (`intervals.py`), which keeps its level whatever the distribution. It
cannot decide where many are compared: of six repeats it stops at 3 %, and one of 31 keys needs 0.16 %. A p
is therefore that of Student's t, corrected for how many there are by Holm.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import median

from reclaim.statistics.intervals import LEVEL, median_interval

ALPHA = 1 - LEVEL
"""At or below this a corrected p is no chance."""
EQUAL = 1e-12
"""Log ratios that differ by less are the same run twice, written down in floating point."""


@dataclass(frozen=True)
class Sample:
    """Log ratios of paired repeats, of which there is at least one."""

    logs: tuple[float, ...]

    @classmethod
    def of(cls, logs: Sequence[float]) -> Sample:
        """Take the log ratios of the repeats."""
        return cls(tuple(logs))

    @property
    def count(self) -> int:
        """How many repeats there are."""
        return len(self.logs)

    @cached_property
    def mean(self) -> float:
        """The mean of the logarithms."""
        return math.fsum(self.logs) / self.count

    @cached_property
    def deviation(self) -> float:
        """Standard deviation of one repeat; 0 where all are the same."""
        squares = math.fsum((each - self.mean) ** 2 for each in self.logs)
        deviation = math.sqrt(squares / (self.count - 1)) if self.count > 1 else 0.0
        return deviation if deviation > EQUAL else 0.0

    @cached_property
    def median(self) -> float:
        """The median of the logarithms: what the interval is for."""
        return float(median(self.logs))

    @property
    def varies(self) -> bool:
        """Whether chance can be told: repeats that are all the same say nothing of it."""
        return self.count > 1 and self.deviation > 0

    def interval(self) -> tuple[float, float] | None:
        """Between what the median lies at the level; None where chance cannot be told."""
        known = median_interval(self.logs)
        return None if not self.varies or known.low is None or known.high is None else (known.low, known.high)

    def p(self, side: int = 0) -> float:
        """Give the two-sided p of no difference; 1 where the mean is not on `side` (-1, 1; 0 for any).

        >>> round(Sample.of([0.1, 0.2, 0.3]).p(), 4)
        0.0742
        """
        if not self.varies or self.mean * side < 0:
            return 1.0
        # It is loaded for a tenth of a second.
        from scipy.special import stdtr  # type: ignore[import-untyped]

        t = self.mean / (self.deviation / math.sqrt(self.count))
        return float(2 * stdtr(self.count - 1, -abs(t)))

    def excludes_none(self, side: int) -> bool:
        """Whether the whole interval is on `side` of no difference."""
        ends = self.interval()
        return ends is not None and min(ends[0] * side, ends[1] * side) > 0


def of_key(ps: Sequence[float], tried: int) -> float:
    """Give the p of a key from those of its variations: the least, times how many could be run.

    >>> of_key([0.01, 0.5], 4), of_key([], 0)
    (0.04, 1.0)
    """
    return min(1.0, min(ps) * max(tried, len(ps))) if ps else 1.0


def holm(ps: Mapping[str, float]) -> dict[str, float]:
    """Correct the p of every key for all others: reject those at or below the level.

    >>> corrected = holm({"a": 0.01, "b": 0.04, "c": 0.03, "d": 1.0})
    >>> [(key, round(p, 4)) for key, p in corrected.items()]
    [('a', 0.04), ('b', 0.09), ('c', 0.09), ('d', 1.0)]
    """
    ordered = sorted(ps, key=lambda key: (ps[key], key))
    corrected: dict[str, float] = {}
    highest = 0.0
    for rank, key in enumerate(ordered):
        highest = max(highest, min(1.0, ps[key] * (len(ordered) - rank)))
        corrected[key] = highest
    return {key: corrected[key] for key in ps}
