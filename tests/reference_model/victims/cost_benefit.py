"""Age and valid pages weighed against each other (docs/model.md, 5.11)."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from reference_model.space import Block
from reference_model.superblocks import Candidates
from reference_model.victims.by_valid_pages import ByValidPages

if TYPE_CHECKING:
    from reference_model.drive import Drive


class CostBenefit(ByValidPages):
    """`cost-benefit`."""

    def __init__(self, drive: Drive, geometry: Candidates) -> None:
        super().__init__(geometry.planes)
        self.drive = drive
        self.pages_per_block = geometry.pages_per_block
        self.noted: dict[int, int] = {}

    def _join(self, block: Block) -> None:
        super()._join(block)
        self.noted[block.number] = self.drive.space.programmed

    def _benefit(self, block: Block) -> Fraction:
        age = self.drive.space.programmed - self.noted[block.number] + 1
        return Fraction(age * (self.pages_per_block - block.valid), block.valid)

    def choose(self, plane: int) -> int | None:
        """Only the heads of the lists are compared."""
        lists = self.lists[plane]
        heads = [lists[count][0] for count in sorted(lists)]
        if not heads:
            return None
        if heads[0].valid == 0:
            return heads[0].number
        return max(heads, key=self._benefit).number  # the first among equals: the fewest valid pages
