"""A list of candidates for each count of valid pages (docs/model.md, 5.9)."""

from __future__ import annotations

from reference_model.space import Block


class ByValidPages:
    """Candidates of each plane, those of one count in the order in which they came to have it."""

    def __init__(self, planes: int) -> None:
        self.lists: list[dict[int, list[Block]]] = [{} for _ in range(planes)]
        self.count: dict[int, int] = {}

    def _join(self, block: Block) -> None:
        self.count[block.number] = block.valid
        self.lists[block.plane].setdefault(block.valid, []).append(block)

    def _leave(self, block: Block) -> None:
        count = self.count.pop(block.number)
        blocks = self.lists[block.plane][count]
        blocks.remove(block)
        if not blocks:
            del self.lists[block.plane][count]

    def sealed(self, block: Block) -> None:
        """Join the end of the list of its count."""
        self._join(block)

    def lost_page(self, block: Block) -> None:
        """Join the end of the list of its new count."""
        self._leave(block)
        self._join(block)

    def taken(self, block: Block) -> None:
        """Leave."""
        self._leave(block)
