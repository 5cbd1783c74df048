"""Schemes that hear of requests: `eti`, `sfr`, `fadac` (docs/model.md, 4.37d to 4.37g)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from reference_model.separation.classes import Classes

if TYPE_CHECKING:
    from reference_model.drive import Drive


class Eti(Classes):
    """4.37e: extents, by their first page."""

    unwritten = 1

    def __init__(self, extents: int, halving: int) -> None:
        self.most, self.halving = extents, halving
        self.extents = {0: 0}
        self.requests = 0

    def request(self, logical: int, pages: int) -> None:
        """4.37e."""
        self.requests += 1
        if self.requests == self.halving:
            self.requests = 0
            self._halve()
        p, end = logical, logical + pages
        while p < end:
            begin = self._begin(p)
            behind = min((other for other in self.extents if other > p), default=math.inf)
            x = self.extents[begin]
            if x < 15 and ((begin == p and end >= behind) or len(self.extents) < self.most):
                self.extents[p] = x + 1
                if end < behind:
                    self.extents[end] = x
            p = int(min(behind, end))

    def of_write(self, logical: int, stream: int) -> int:  # noqa: ARG002
        """4.37e."""
        return 0 if self.extents[self._begin(logical)] >= 4 else 1

    def _begin(self, page: int) -> int:
        return max(begin for begin in self.extents if begin <= page)

    def _halve(self) -> None:
        before, left = -1, {}
        for begin in sorted(self.extents):
            x = self.extents[begin] // 2
            if x != before and not (0 <= before < 4 and x < 4):
                left[begin] = before = x
        self.extents = left


class Sfr(Classes):
    """4.37f."""

    unwritten = 0

    def __init__(self, count: int, chunk_pages: int, decay: int, pages: int) -> None:
        self.last, self.chunk_pages, self.decay = count - 1, chunk_pages, decay
        self.chunks = -(-pages // chunk_pages)
        self.weight: dict[int, int] = {}
        self.written: dict[int, int] = {}
        self.now = self.end = self.label = 0
        self.sequential = False

    def request(self, logical: int, pages: int) -> None:
        """4.37f."""
        self.sequential = logical == self.end
        self.end = logical + pages
        last = min((self.end - 1) // self.chunk_pages, self.chunks - 1)
        for chunk in range(logical // self.chunk_pages, last + 1):
            halvings = (self.now - self.written.get(chunk, 0)) // self.decay
            self.weight[chunk] = self.weight.get(chunk, 0) // 2**halvings + 1
            self.written[chunk] = self.now

    def of_write(self, logical: int, stream: int) -> int:  # noqa: ARG002
        """4.37f."""
        self.now += 1
        if not self.sequential:
            weight = self.weight.get(logical // self.chunk_pages, 0)
            self.label = min(int(math.log(weight)), self.last) if weight else 0
        return self.label


class Fadac(Classes):
    """4.37g."""

    unwritten = 0

    def __init__(self, drive: Drive, count: int) -> None:
        self.drive, self.last = drive, count - 1
        self.average = 0.0
        self.writes: dict[int, int] = {}

    def request(self, logical: int, pages: int) -> None:  # noqa: ARG002
        """4.37g."""
        valid = self.drive.space.valid_pages
        if valid:
            self.average = (self.average + pages / valid) - self.average / valid

    def of_write(self, logical: int, stream: int) -> int:  # noqa: ARG002
        """4.37g."""
        self.writes[logical] = self.writes.get(logical, 0) + 1
        return self._class(logical)

    def of_relocated(self, logical: int, written_as: int, block: int) -> int:  # noqa: ARG002
        """4.37g."""
        self.writes[logical] = max(self.writes.get(logical, 0) - 1, 0)
        return self._class(logical)

    def _class(self, logical: int) -> int:
        bound, label = self.average, 0
        while bound and label < self.last and self.writes[logical] > bound:
            bound, label = bound * 10, label + 1
        return label
