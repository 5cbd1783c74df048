"""The queue of events (docs/model.md, 8.1 to 8.3)."""

from __future__ import annotations

import heapq
from enum import IntEnum


class Kind(IntEnum):
    """Classes of events, in the order in which they happen at one time (8.1)."""

    DIE = 0
    WAKE_UP = 1
    LINK = 2
    TIMER = 3
    ARRIVAL = 4


class Events:
    """Pending events; at most one of each die, domain, direction of the link, plane, and arrivals (8.2)."""

    def __init__(self) -> None:
        self.now = 0
        self.scheduled = 0
        self.heap: list[tuple[int, Kind, int, int]] = []
        self.pending: dict[tuple[Kind, int], tuple[int, int]] = {}

    def schedule(self, time: int, kind: Kind, index: int = 0) -> None:
        """Let the event happen then, instead of one that is pending."""
        self.scheduled += 1
        self.pending[kind, index] = (time, self.scheduled)
        heapq.heappush(self.heap, (time, kind, self.scheduled, index))

    def cancel(self, kind: Kind, index: int) -> None:
        """Let a pending event not happen."""
        self.pending.pop((kind, index), None)

    def due(self, kind: Kind, index: int) -> int | None:
        """Return when the pending event happens; nothing is pending: none."""
        entry = self.pending.get((kind, index))
        return entry[0] if entry else None

    def next(self) -> tuple[Kind, int] | None:
        """Take the next event; its time is now."""
        while self.heap:
            time, kind, number, index = heapq.heappop(self.heap)
            if self.pending.get((kind, index)) == (time, number):
                del self.pending[kind, index]
                self.now = time
                return kind, index
        return None
