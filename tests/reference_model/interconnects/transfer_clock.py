"""The GC clock of what carries one transfer at a time (docs/model.md, 15.6)."""

from __future__ import annotations


class TransferClock:
    """Runs during transfers for collection."""

    def __init__(self) -> None:
        self.before = 0
        self.last = (0, 0)  # begin and end of the last of them

    def carry(self, now: int, length: int) -> None:
        """Run for so long; the last transfer is over."""
        begin, end = self.last
        self.before += end - begin
        self.last = (now, now + length)

    def read(self, now: int) -> int:
        """What the clock shows."""
        begin, end = self.last
        return self.before + min(now, end) - begin
