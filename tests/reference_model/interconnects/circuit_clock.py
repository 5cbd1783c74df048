"""A GC clock of what can carry several transfers at once (docs/model.md, 12.14 and 12.20)."""

from __future__ import annotations


class CircuitClock:
    """Runs while any of several transfers for collection is under way."""

    def __init__(self) -> None:
        self.before = 0
        self.last = (0, 0)  # the span in which it ran last, or runs

    def carry(self, now: int, length: int) -> None:
        """Run for so long from now on, or for longer if it runs for longer already."""
        begin, end = self.last
        if now <= end:
            self.last = (begin, max(end, now + length))
            return
        self.before += end - begin
        self.last = (now, now + length)

    def read(self, now: int) -> int:
        """What the clock shows."""
        begin, end = self.last
        return self.before + min(now, end) - begin
