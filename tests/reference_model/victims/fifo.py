"""The block sealed first (docs/model.md, 5.10)."""

from __future__ import annotations

from reference_model.victims.sealing_order import SealingOrder


class Fifo(SealingOrder):
    """`fifo`."""

    def choose(self, plane: int) -> int | None:
        """The block in front."""
        blocks = self.blocks[plane]
        return blocks[0].number if blocks else None
