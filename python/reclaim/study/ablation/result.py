"""What an ablation found: totals, shares, and what is not known, in a form for programs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import fsum
from typing import NamedTuple

import numpy as np

from reclaim.report.document import LEGEND
from reclaim.statistics.intervals import median_interval

FORMAT = 2
"""Of the JSON file; counts up when a key of it changes its meaning."""


class LogFigure(NamedTuple):
    """A figure of several repeats, in log units: natural logarithms of a ratio."""

    value: float
    """Mean of the repeats: shares of each repeat sum to its total, and so do means."""
    median: float
    low: float | None
    """Where the 95 % interval of the median begins; None where the repeats do not say."""
    high: float | None
    repeats: int
    """Repeats it is of: those that measured the same count once."""

    def decided(self, least: float) -> int:
        """Whether it is above 0 (1) or below (-1); 0 where neither is known.

        Args:
            least: what it must be at least, in either direction, where there is no interval.
        """
        low, high = self.low, self.high
        if low is None or high is None:
            low, high = self.value - least, self.value + least
        return 1 if low > 0 else -1 if high < 0 else 0


def figure_of(values: Sequence[float]) -> LogFigure:
    """Make a figure of the values of the repeats, of which there is at least one.

    >>> figure_of([1.0, 2.0, 6.0])
    LogFigure(value=3.0, median=2.0, low=None, high=None, repeats=3)
    """
    interval = median_interval(values)
    return LogFigure(
        fsum(values) / len(values), float(np.median(values)), interval.low, interval.high, len(values)
    )


@dataclass(frozen=True)
class PartShare:
    """One part, or several that cannot be added one by one."""

    parts: tuple[str, ...]
    share: LogFigure | None
    """None where no shares are known."""
    alone: LogFigure | None
    """What changes if it alone is that of the target; None where that drive has no value."""
    all_but: LogFigure | None
    """What changes if all but it is that of the target."""
    drawn_error: float | None = None
    """Standard error of the share that comes from having drawn orders; None where all subsets were run."""


@dataclass(frozen=True)
class PartPair:
    """What two parts do together beyond what each does without the other."""

    parts: tuple[str, str]
    value: LogFigure
    beside: int
    """Subsets of the other parts beside which it is known, in the workload where these are fewest."""
    of: int


class Orders(NamedTuple):
    """How many orders of the parts shares are averages over."""

    used: int
    of: int
    """How many there are; the others meet a drive without a value."""


@dataclass(frozen=True)
class Decomposition:
    """A metric taken apart: in one workload, or on average over several."""

    workloads: tuple[str, ...]
    """Those it is of; none where no value of the two schemes is known."""
    total: LogFigure | None
    rows: tuple[PartShare, ...] = ()
    """In the order of the parts."""
    interactions: tuple[PartPair, ...] = ()
    """The strongest first."""
    orders: Orders | None = None
    """Orders that the shares are averages over, and of how many; of several workloads, the fewest."""
    unknown: str = ""
    """Why there are no shares, or no total."""
    lead: LogFigure | None = None
    """By how much the largest share is larger than the next, both without sign."""

    @property
    def has_shares(self) -> bool:
        """Whether the shares of its rows are known."""
        return bool(self.rows) and all(row.share is not None for row in self.rows)

    def by_size(self) -> list[PartShare]:
        """Give the rows, those with the largest shares first, whatever their sign."""
        known = [row for row in self.rows if row.share is not None]
        return sorted(known, key=lambda row: -abs(row.share.value if row.share else 0))


@dataclass(frozen=True)
class OfMetric:
    """A metric taken apart."""

    metric: str
    conclusion: str
    """In one sentence."""
    overall: Decomposition
    by_workload: Mapping[str, Decomposition]
    warnings: Mapping[str, int] = field(default_factory=dict)
    """Codes of the warnings that concern the metric: in how many of the runs."""
    doubts: Mapping[str, int] = field(default_factory=dict)
    """The same of doubts."""
    runs: int = 0
    """Runs that have a value of the metric."""
    few_samples: int = 0
    """Of them those in which it is a percentile of which too few requests are slower."""

    @property
    def mark(self) -> str:
        """What stands behind its figures: they are made of all its runs."""
        return "!" if self.warnings else "?" if self.doubts or self.few_samples else ""

    @property
    def told(self) -> str:
        """The conclusion, and whether it is to be relied on."""
        told = f" {self.mark} {LEGEND[self.mark]}: the notes say why." if self.mark else ""
        return f"{self.conclusion}{told}"
