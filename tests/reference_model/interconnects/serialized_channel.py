"""One whole operation at a time on a channel (docs/model.md, 12.3)."""

from __future__ import annotations

from reference_model.interconnects.channel import Refusal


class SerializedChannel:
    """`serialized-channel`."""

    in_turn = True
    wakes_after_transfer = False

    def __init__(self, *, whole_tasks: bool) -> None:
        self.whole_tasks = whole_tasks
        self.holder: int | None = None
        self.gc_before = 0
        self.gc_since: int | None = None

    def take(self, die: int, now: int, *, for_gc: bool) -> Refusal | None:
        """Refused, naming no time, while another die has it."""
        if self.holder is None:
            self.holder = die
            self.gc_since = now if for_gc else None
        return None if self.holder == die else Refusal(None)

    def carry(self, die: int, now: int, length: int, *, for_gc: bool) -> int:  # noqa: ARG002
        """Transfers take nothing that is not taken already."""
        return length

    def holds(self, die: int) -> bool:
        """From the begin of an operation until the die is idle."""
        return self.holder == die

    def give_back(self, die: int, now: int) -> bool:
        """The operation is over."""
        if self.holder != die:
            return False
        self.gc_before = self.gc_clock(die, now)
        self.gc_since = None
        self.holder = None
        return True

    def gc_clock(self, die: int, now: int) -> int:  # noqa: ARG002
        """Runs while the channel is held for collection (15.6)."""
        return self.gc_before + (now - self.gc_since if self.gc_since is not None else 0)
