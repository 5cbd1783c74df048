"""Random traces: bursts, equal times, hot spots, partial pages, trims, flushes."""

from __future__ import annotations

import random
from dataclasses import dataclass

from hypothesis import strategies as st

from differential.case import OPERATIONS, Request


@dataclass(frozen=True)
class Workload:
    """What a random trace is like; `seed` chooses one of those that are like this.

    Requests are drawn one after the other, so that a smaller `count` gives the beginning of the same trace.
    """

    seed: int
    count: int
    reads: int
    """Weights of the operations, like the next three."""
    writes: int
    trims: int
    flushes: int
    mean_gap_ns: int
    gap_unit_ns: int
    """Times are multiples of this, so that requests meet each other and the ends of operations."""
    burst: int
    """Requests that come together, at most."""
    pages: int
    """Pages of a request, at most."""
    partial: float
    """Share of requests whose ends are not those of pages."""
    hot: float
    """Share of requests that go to the first of the pages."""
    hot_pages: int
    """So many of them."""

    def requests(self, pages: range, page_bytes: int) -> list[Request]:
        """The trace, on these pages of this size."""
        draw = random.Random(self.seed)
        weights = [self.reads, self.writes, self.trims, self.flushes]
        time_ns, left = 0, 0
        requests: list[Request] = []
        for _ in range(self.count):
            if left == 0:
                left = draw.randint(1, self.burst)
                if requests:
                    gap = int(draw.expovariate(1.0) * self.mean_gap_ns * left)
                    time_ns += gap // self.gap_unit_ns * self.gap_unit_ns
            left -= 1
            op = draw.choices(OPERATIONS, weights)[0]
            offset, size = self._range(draw, pages, page_bytes)
            requests.append((time_ns, op, 0, 0) if op == "flush" else (time_ns, op, offset, size))
        return requests

    def _range(self, draw: random.Random, pages: range, page_bytes: int) -> tuple[int, int]:
        reach = pages[: self.hot_pages] if draw.random() < self.hot else pages
        first = draw.choice(reach)
        count = min(draw.randint(1, self.pages), pages.stop - first)
        begin, end = first * page_bytes, (first + count) * page_bytes
        if draw.random() < self.partial:
            begin += draw.randrange(page_bytes)
            end -= draw.randrange(page_bytes)
            end = max(end, begin + 1)
        return begin, end - begin


@st.composite
def workloads(draw: st.DrawFn, *, crowded: bool) -> Workload:
    """What a trace may be like."""
    return Workload(
        seed=draw(st.integers(0, 2**32 - 1)),
        count=draw(st.sampled_from([100, 30, 300, 600])),
        reads=draw(st.sampled_from([0, 1, 4, 10])),
        writes=draw(st.sampled_from([4, 1, 10])),
        trims=draw(st.sampled_from([0, 0, 1, 3])),
        flushes=draw(st.sampled_from([0, 0, 1, 2])),
        mean_gap_ns=draw(st.sampled_from([0, 500, 2_000, 5_000, 20_000, 100_000])),
        gap_unit_ns=1_000 if crowded else draw(st.sampled_from([1, 100])),
        burst=draw(st.sampled_from([1, 1, 3, 10, 40])),
        pages=draw(st.sampled_from([1, 1, 2, 4, 9, 30])),
        partial=draw(st.sampled_from([0.0, 0.0, 0.3, 1.0])),
        hot=draw(st.sampled_from([0.0, 0.5, 0.9])),
        hot_pages=draw(st.sampled_from([40, 10, 3])),
    )
