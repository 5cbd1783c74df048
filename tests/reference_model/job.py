"""A collection job (docs/model.md, 13.3)."""

from __future__ import annotations

from dataclasses import dataclass

from reference_model.space import Block, Cause


@dataclass(eq=False)
class Job:
    """Empties and erases one block."""

    block: Block
    cause: Cause
    start: int
    valid_pages: int
    cursor: int  # the next page to look at
    moves: int = 0  # under way
    erasing: bool = False

    @property
    def plane(self) -> int:
        """The plane of the block, where its pages also go."""
        return self.block.plane
