"""Candidates in the order of sealing (docs/model.md, 5.10: fifo and windowed-greedy)."""

from __future__ import annotations

from reference_model.space import Block


class SealingOrder:
    """Candidates of each plane, the one sealed first in front."""

    def __init__(self, planes: int) -> None:
        self.blocks: list[list[Block]] = [[] for _ in range(planes)]

    def sealed(self, block: Block) -> None:
        """Join the end."""
        self.blocks[block.plane].append(block)

    def lost_page(self, block: Block) -> None:
        """Stay in place."""

    def taken(self, block: Block) -> None:
        """Leave."""
        self.blocks[block.plane].remove(block)
