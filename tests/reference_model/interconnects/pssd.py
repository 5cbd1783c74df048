"""A bus that carries packets (docs/model.md, 12.23)."""

from __future__ import annotations

from reference_model.interconnects.bus import Bus


class PacketBus(Bus):
    """`pssd`."""

    def __init__(self, speed: int, header: int) -> None:
        super().__init__()
        self.speed = speed
        self.header = header

    def carry(self, die: int, now: int, length: int, *, for_gc: bool) -> int:
        """Be taken for the time of the packet."""
        return super().carry(die, now, -(-length // self.speed) + self.header, for_gc=for_gc)
