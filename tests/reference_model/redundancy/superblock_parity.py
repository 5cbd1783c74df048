"""Parity of superblocks (docs/model.md, 4.48c and 4.48d)."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from reference_model.operations import ParityWrite
from reference_model.space import Block

if TYPE_CHECKING:
    from reference_model.drive import Drive
    from reference_model.superblocks import Superblocks


class SuperblockParity:
    """What of the rows of superblocks is to be programmed."""

    def __init__(self, drive: Drive, superblocks: Superblocks) -> None:
        self.drive = drive
        self.superblocks = superblocks
        self.complete: defaultdict[int, int] = defaultdict(int)  # of each parity part, rows
        self.open: defaultdict[int, int] = defaultdict(int)  # likewise
        self.due: list[Block] = []  # a part for each unit
        self.units = 0

    def _row(self, block: Block) -> tuple[Block, list[Block]]:
        """4.48d: the parity part, and the data parts, of which pages of the same number are a row."""
        per_die = self.drive.geometry.parity_parts
        of_number = [
            part
            for part in self.superblocks.parts(self.superblocks.of(block.number))
            if part.plane % per_die == block.plane % per_die
        ]
        parity = next(part for part in of_number if self.superblocks.is_parity(part.number))
        return parity, [part for part in of_number if part is not parity]

    def taken(self, block: Block) -> None:
        """4.48d: a page of a block."""
        cache = self.drive.slc_cache
        if (cache is not None and cache.has(block.number)) or self.superblocks.is_parity(block.number):
            return
        parity, data = self._row(block)
        taken = [part.taken for part in data]
        self.open[parity.number] = max(taken) - min(taken)
        complete = min(taken) % self.drive.geometry.pages_per_block
        if complete == self.complete[parity.number]:
            return
        self.complete[parity.number] = complete
        counters = self.drive.counters.redundancy
        counters.parity_rows += 1
        counters.open_rows += sum(self.open.values()) + 1
        if min(taken) % self.drive.program_units.size == 0:
            self.due.append(parity)

    def _take_unit(self) -> list[int]:
        parity = self.due.pop(0)
        return [self.drive.space.take_parity_page(parity) for _ in range(self.drive.program_units.size)]

    def program_now(self) -> None:
        """4.48d: in warm-up and without time."""
        while self.due:
            for page in self._take_unit():
                self.drive.space.settle(page)

    def after_event(self) -> None:
        """4.48d: in time."""
        if not self.due:
            return
        with self.drive.dies.gathering():
            while self.due:
                plane = self.due[0].plane
                self.units += 1
                pages = self._take_unit()
                self.drive.dies.queue_unit([ParityWrite(plane, page, self.units) for page in pages])


def make(drive: Drive) -> SuperblockParity | None:
    """4.48c."""
    superblocks = drive.superblocks
    if superblocks is None or not drive.geometry.parity_parts:
        return None
    return SuperblockParity(drive, superblocks)
