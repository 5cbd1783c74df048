"""A bus: taken while something is transferred (docs/model.md, 12.2)."""

from __future__ import annotations

from reference_model.interconnects.channel import Refusal


class Bus:
    """`bus`."""

    wakes_after_transfer = True

    def __init__(self) -> None:
        self.end: int | None = 0  # of the transfer begun last; none while one is being prepared
        self.gc_before = 0
        self.gc_transfer = (0, 0)  # begin and end of the last transfer for collection

    def take(self, die: int, now: int, *, for_gc: bool) -> Refusal | None:  # noqa: ARG002
        """Refused until the end of the transfer, which is named once that has begun."""
        if self.end is None or now < self.end:
            return Refusal(self.end)
        self.end = None
        return None

    def carry(self, now: int, length: int, *, for_gc: bool) -> None:
        """Be taken until the end of it."""
        self.end = now + length
        if for_gc:
            begin, end = self.gc_transfer
            self.gc_before += end - begin
            self.gc_transfer = (now, now + length)

    def holds(self, die: int) -> bool:  # noqa: ARG002
        """Never."""
        return False

    def give_back(self, die: int, now: int) -> bool:  # noqa: ARG002
        """Nothing to give back."""
        return False

    def gc_clock(self, now: int) -> int:
        """Runs during transfers for collection (15.6)."""
        begin, end = self.gc_transfer
        return self.gc_before + min(now, end) - begin
