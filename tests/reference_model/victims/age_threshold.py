"""The fewest valid pages among the blocks sealed long enough ago (docs/model.md, 5.10)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reference_model.configuration import Table
from reference_model.space import Block
from reference_model.superblocks import Candidates
from reference_model.units import share
from reference_model.victims.by_valid_pages import ByValidPages

if TYPE_CHECKING:
    from reference_model.drive import Drive


class AgeThreshold(ByValidPages):
    """`age-threshold`: the lists of 5.9 hold old blocks alone."""

    def __init__(self, drive: Drive, policy: Table, geometry: Candidates) -> None:
        super().__init__(geometry.planes)
        self.drive = drive
        self.pages_per_block = geometry.pages_per_block
        self.age = share(policy.ppm("age", "10%"), geometry.pages)
        self.young: list[list[tuple[Block, int]]] = [[] for _ in range(geometry.planes)]

    def sealed(self, block: Block) -> None:
        """Be young, and note when."""
        self.young[block.plane].append((block, self.drive.space.programmed))

    def lost_page(self, block: Block) -> None:
        """Only old blocks move."""
        if block.number in self.count:
            super().lost_page(block)

    def taken(self, block: Block) -> None:
        """Leave wherever it is."""
        if block.number in self.count:
            super().taken(block)
        else:
            young = self.young[block.plane]
            self.young[block.plane] = [entry for entry in young if entry[0] is not block]

    def _frees_something(self, valid: int) -> bool:
        unit = self.drive.timing.durations.program_unit
        return self.pages_per_block - valid >= unit

    def choose(self, plane: int) -> int | None:
        """The head of the lowest list of the old, if it frees anything, or the young block sealed first."""
        now = self.drive.space.programmed
        for block, noted in self.young[plane]:
            if now - noted >= self.age:
                self._join(block)
        self.young[plane] = [entry for entry in self.young[plane] if now - entry[1] < self.age]
        lists, young = self.lists[plane], self.young[plane]
        if lists and (not young or self._frees_something(min(lists))):
            return lists[min(lists)][0].number
        return young[0][0].number if young else None
