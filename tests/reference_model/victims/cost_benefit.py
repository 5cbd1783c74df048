"""Age and valid pages weighed against each other (docs/model.md, 5.11)."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from reference_model.space import Block
from reference_model.victims.by_valid_pages import ByValidPages

if TYPE_CHECKING:
    from reference_model.drive import Drive


class CostBenefit(ByValidPages):
    """`cost-benefit`."""

    def __init__(self, drive: Drive) -> None:
        super().__init__(drive.geometry.planes)
        self.drive = drive
        self.noted: dict[int, int] = {}

    def _join(self, block: Block) -> None:
        super()._join(block)
        self.noted[block.number] = self.drive.space.programmed

    def _benefit(self, block: Block) -> Fraction:
        age = self.drive.space.programmed - self.noted[block.number] + 1
        pages = self.drive.geometry.pages_per_block
        return Fraction(age * (pages - block.valid), block.valid)

    def choose(self, plane: int) -> int | None:
        """Only the heads of the lists are compared."""
        lists = self.lists[plane]
        heads = [lists[count][0] for count in sorted(lists)]
        if not heads:
            return None
        if heads[0].valid == 0:
            return heads[0].number
        return max(heads, key=self._benefit).number  # the first among equals: the fewest valid pages
