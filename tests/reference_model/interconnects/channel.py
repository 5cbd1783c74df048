"""What the channel of a contention domain is asked (docs/model.md, 12.1 to 12.4, 12.13 and 15.6)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True)
class Refusal:
    """The channel is taken; perhaps it is known until when."""

    until: int | None


class Channel(Protocol):
    """The channel of one contention domain."""

    in_turn: (
        bool  # those who wait keep others from asking (12.6, 12.7); or not, as their needs differ (12.13)
    )
    wakes_after_transfer: bool  # those who wait are woken at the end of a transfer (12.4)

    def take(self, die: int, now: int, *, for_gc: bool) -> Refusal | None:
        """Take the channel, or be refused."""

    def carry(self, die: int, now: int, length: int, *, for_gc: bool) -> int:
        """Transfer something from now on, to or from the die that took it: return how long that lasts."""

    def holds(self, die: int) -> bool:
        """Whether the die holds the channel beyond its transfers."""

    def give_back(self, die: int, now: int) -> bool:
        """Give the channel back if the die holds it: return whether it did."""

    def gc_clock(self, die: int, now: int) -> int:
        """What the GC clock of the die's channel shows."""
