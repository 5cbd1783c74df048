"""Every die has a channel of its own (docs/model.md, 12.4)."""

from __future__ import annotations

from reference_model.interconnects.channel import Refusal


class Ideal:
    """`ideal`."""

    in_turn = True
    wakes_after_transfer = True

    def take(self, die: int, now: int, *, for_gc: bool) -> Refusal | None:
        """Never refused."""

    def carry(self, die: int, now: int, length: int, *, for_gc: bool) -> int:  # noqa: ARG002
        """Nobody is kept from anything."""
        return length

    def holds(self, die: int) -> bool:  # noqa: ARG002
        """Never."""
        return False

    def give_back(self, die: int, now: int) -> bool:  # noqa: ARG002
        """Nothing to give back."""
        return False

    def gc_clock(self, die: int, now: int) -> int:  # noqa: ARG002
        """Stands (15.6)."""
        return 0
