"""Percentiles of latencies, from histograms of all requests."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterable
from itertools import accumulate

from reclaim.errors import InputError
from reclaim.result.reported import ArrowStream

CLASSES = ("read", "write", "trim", "flush")
IN_LATENCY = ("read", "write", "trim")
"""Classes whose latencies count together: a flush moves nothing."""


class Histograms:
    """How many requests of each class took how long.

    >>> import polars as pl
    >>> table = {"class": ["read", "read", "write"], "upper_ns": [10, 30, 20], "count": [1, 1, 8]}
    >>> both = Histograms(pl.DataFrame(table))
    >>> both.percentile("read", 50), both.percentile(None, 90), both.percentile("trim", 50)
    (10, 20, None)
    """

    def __init__(self, table: ArrowStream) -> None:
        """Take rows of (class, upper_ns, count): the longest latency of a bucket, and the requests in it."""
        self._table = table
        self._known: dict[str | None, tuple[list[int], list[int]]] = {}
        """Of each class (None: of those in `IN_LATENCY`) the ends of buckets, and requests up to each."""

    def _cumulated(self, request_class: str | None) -> tuple[list[int], list[int]]:
        import polars as pl

        wanted: Iterable[str] = IN_LATENCY if request_class is None else (request_class,)
        buckets = pl.DataFrame(self._table).filter(pl.col("class").is_in(list(wanted))).sort("upper_ns")
        return buckets["upper_ns"].to_list(), list(accumulate(buckets["count"].to_list()))

    def percentile(self, request_class: str | None, percent: float) -> int | None:
        """Latency in ns that `percent` of the requests of a class do not exceed; None if there were none.

        Raises:
            InputError: for a class that is none, or a percentage that is not between 0 and 100.
        """
        if not 0 <= percent <= 100:
            raise InputError(f"percentile {percent:g}: must be between 0 and 100")
        if request_class is not None and request_class not in CLASSES:
            raise InputError(f'unknown request class "{request_class}"; valid: {", ".join(CLASSES)}')
        if request_class not in self._known:
            self._known[request_class] = self._cumulated(request_class)
        ends, up_to = self._known[request_class]
        if not ends:
            return None
        # In the order of the core, which rounds the same way: percentiles in results are the same.
        rank = max(math.ceil(percent / 100 * up_to[-1]), 1)
        return ends[bisect_left(up_to, min(rank, up_to[-1]))]
