"""Candidates in an array to draw from (docs/model.md, 5.10: random, d-choices, random-threshold)."""

from __future__ import annotations

from reference_model.space import Block


class CandidateArray:
    """Candidates of each plane; the last takes the position of one that leaves."""

    def __init__(self, planes: int) -> None:
        self.blocks: list[list[Block]] = [[] for _ in range(planes)]

    def sealed(self, block: Block) -> None:
        """Join the end."""
        self.blocks[block.plane].append(block)

    def lost_page(self, block: Block) -> None:
        """Stay in place."""

    def taken(self, block: Block) -> None:
        """Leave the position to the last."""
        blocks = self.blocks[block.plane]
        position = blocks.index(block)
        blocks[position] = blocks[-1]
        blocks.pop()
