"""Typed views of parts of a results file; every time is in ns."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from reclaim.arguments import checked
from reclaim.errors import InputError

STORED_PERCENTILES = {
    50.0: "p50_ns",
    90.0: "p90_ns",
    95.0: "p95_ns",
    99.0: "p99_ns",
    99.9: "p99_9_ns",
    99.99: "p99_99_ns",
    100.0: "max_ns",
}

SAMPLES_BEYOND = 10
"""Requests that must lie beyond a percentile for it to be a figure."""

Percentile = Callable[[str | None, float], int | None]


@dataclass(frozen=True)
class Latency:
    """Latency distribution of one class of requests, or of all of them."""

    request_class: str | None
    stored: Mapping[str, Any]
    histogram: Percentile | None
    count: int
    """Requests it is of."""

    @checked
    def percentile(self, percent: float) -> int | None:
        """Latency in ns that `percent` of the requests do not exceed; None if there were none.

        At most 0.1 % off. With fewer than ten requests beyond it, which `is_established` tells, a percentile
        is chance: another run of the same kind may give several times as much. A bare results file, without
        its histograms.parquet, knows 50, 90, 95, 99, 99.9, 99.99 and 100 only.
        """
        if self.histogram is not None:
            return self.histogram(self.request_class, percent)
        key = STORED_PERCENTILES.get(float(percent))
        if key is None or key not in self.stored:
            known = ", ".join(f"{each:g}" for each in STORED_PERCENTILES)
            what = "one class (result.read.latency)" if key is not None else f"percentiles {known}"
            raise InputError(
                f"percentile {percent:g}: a results file without its histograms.parquet has only {what}; "
                "run it again"
            )
        return int(self.stored[key]) if self.stored["count"] else None

    def is_established(self, percent: float) -> bool:
        """Whether at least ten requests lie beyond that percentile; the longest of all is what it is."""
        if percent == 100:
            return self.count > 0
        # In the whole parts of a percent that numbers like 99.99 mean and binary fractions miss.
        return self.count * round((100 - percent) * 1e6) >= SAMPLES_BEYOND * 100_000_000


@dataclass(frozen=True)
class Breakdown:
    """Where the mean request spent its time, in ns; the parts add up to the mean latency."""

    queue_ns: float
    gc_ns: float
    transfer_ns: float
    array_ns: float
    link_ns: float
    other_ns: float


@dataclass(frozen=True)
class ClassStats:
    """What one class of requests (read, write, trim, flush) experienced."""

    count: int
    bytes: int
    mean_ns: float
    min_ns: int
    max_ns: int
    iops: float
    bandwidth_bytes_per_s: float
    breakdown: Breakdown
    latency: Latency

    @classmethod
    def of(cls, name: str, stored: Mapping[str, Any], histogram: Percentile | None) -> ClassStats:
        """Read class `name` from a results file."""
        return cls(
            count=stored["count"],
            bytes=stored["bytes"],
            mean_ns=stored["mean_ns"],
            min_ns=stored["min_ns"],
            max_ns=stored["max_ns"],
            iops=stored["iops"],
            bandwidth_bytes_per_s=stored["bandwidth_bytes_per_s"],
            breakdown=Breakdown(**stored["breakdown"]),
            latency=Latency(name, stored, histogram, stored["count"]),
        )
