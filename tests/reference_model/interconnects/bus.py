"""A bus: taken while something is transferred (docs/model.md, 12.2)."""

from __future__ import annotations

from reference_model.interconnects.channel import Refusal
from reference_model.interconnects.transfer_clock import TransferClock


class Bus:
    """`bus`."""

    in_turn = True
    wakes_after_transfer = True

    def __init__(self) -> None:
        self.end: int | None = 0  # of the transfer begun last; none while one is being prepared
        self.clock = TransferClock()

    def take(self, die: int, now: int, *, for_gc: bool) -> Refusal | None:  # noqa: ARG002
        """Refused until the end of the transfer, which is named once that has begun."""
        if self.end is None or now < self.end:
            return Refusal(self.end)
        self.end = None
        return None

    def carry(self, die: int, now: int, length: int, *, for_gc: bool) -> int:  # noqa: ARG002
        """Be taken until the end of it."""
        self.end = now + length
        if for_gc:
            self.clock.carry(now, length)
        return length

    def holds(self, die: int) -> bool:  # noqa: ARG002
        """Never."""
        return False

    def give_back(self, die: int, now: int) -> bool:  # noqa: ARG002
        """Nothing to give back."""
        return False

    def gc_clock(self, die: int, now: int) -> int:  # noqa: ARG002
        """Runs during transfers for collection (15.6)."""
        return self.clock.read(now)
