"""Distributions of latency from histograms, with as many points as a figure can show."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from reclaim.result.stats import SAMPLES_BEYOND

TICKS = {50.0: "50 %", 90.0: "90 %", 99.0: "99 %", 99.9: "99.9 %", 99.99: "99.99 %"}
"""Percentiles that the axis of a distribution names."""
TOP = 4.3
"""Where that axis ends: a little above 99.99 %."""
FINEST_RISE = 0.02
"""Steps that are finer are not told apart."""
LEFT_OF_FASTEST = 0.9


def stretched(percent: float) -> float:
    """Where a percentile stands on the axis: every nine more is one further.

    >>> round(stretched(90), 6), round(stretched(99.9), 6)
    (1.0, 3.0)
    """
    return -math.log10(1 - percent / 100)


@dataclass(frozen=True)
class Curve:
    """One distribution: `heights` says how far up, `stretched`, the requests are that took at most `us`."""

    us: list[float]
    heights: list[float]
    established: int
    """How many of the points have at least ten requests beyond them; the rest is chance."""

    @property
    def sure(self) -> slice:
        """The points that are established."""
        return slice(0, self.established)

    @property
    def chance(self) -> slice:
        """The points beyond, from the last established one on, so that lines meet there."""
        return slice(self.established - 1, None)


def curve_of(buckets: Sequence[tuple[int, int]], start_us: float) -> Curve:
    """The distribution of requests in `buckets`: upper bound in ns and count, from the fastest on.

    Requests that took no time stand at `start_us`, where every curve begins.
    """
    total = sum(count for _, count in buckets)
    us, heights, established, done = [start_us], [0.0], 1, 0
    for index, (upper_ns, count) in enumerate(buckets):
        done += count
        beyond = total - done
        # Nobody is beyond the longest of all: it stands where half a request would be.
        height = min(-math.log10(max(beyond, 0.5) / total), TOP)
        # A bucket left out raises the curve a little later than it rose: never faster than it was.
        if height - heights[-1] >= FINEST_RISE or index == len(buckets) - 1:
            us.append(max(upper_ns / 1000, start_us))
            heights.append(height)
            if beyond >= SAMPLES_BEYOND:
                established = len(us)
    return Curve(us, heights, established)


def pooled(histograms: pl.LazyFrame, points: pl.DataFrame) -> pl.DataFrame:
    """Requests by trace, scheme, class and latency, all repeats together."""
    of_point = points.select("point", "trace", "scheme").lazy()
    joined = histograms.join(of_point, on="point", how="inner")
    summed = joined.group_by("trace", "scheme", "class", "upper_ns").agg(pl.col("count").sum())
    return summed.sort("trace", "scheme", "class", "upper_ns").collect()


def curves(requests: pl.DataFrame, request_class: str) -> Mapping[tuple[str, str], Curve]:
    """The curve of every trace and scheme that has requests of this class."""
    of_class = requests.filter(pl.col("class") == request_class)
    positive = of_class.filter(pl.col("upper_ns") > 0)["upper_ns"]
    if not positive.len():
        return {}
    start = LEFT_OF_FASTEST * int(positive.min()) / 1000  # type: ignore[arg-type]
    return {
        (str(trace), str(scheme)): curve_of(buckets.select("upper_ns", "count").rows(), start)
        for (trace, scheme), buckets in of_class.group_by("trace", "scheme", maintain_order=True)
    }
