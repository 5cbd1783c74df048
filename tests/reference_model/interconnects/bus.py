"""A bus: taken while something is transferred (docs/model.md, 12.2)."""

from __future__ import annotations

from reference_model.interconnects.wires import Refusal


class Bus:
    """`bus`."""

    wakes_after_transfer = True

    def __init__(self) -> None:
        self.end = 0  # of the transfer begun last
        self.taken = False  # for a transfer that is about to begin (11.10)
        self.gc_before = 0
        self.gc_transfer = (0, 0)  # begin and end of the last transfer for collection

    def take(self, die: int, now: int, *, for_gc: bool) -> Refusal | None:  # noqa: ARG002
        """Refused, naming the end of the transfer, while there is one."""
        if self.taken:
            return Refusal(None)
        if now < self.end:
            return Refusal(self.end)
        self.taken = True
        return None

    def carry(self, now: int, length: int, *, for_gc: bool) -> None:
        """Be taken until the end of it."""
        self.end = now + length
        self.taken = False
        if for_gc:
            begin, end = self.gc_transfer
            self.gc_before += end - begin
            self.gc_transfer = (now, self.end)

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
