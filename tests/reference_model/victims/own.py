"""A function of the user's chooses (docs/own-policies.md)."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING

import numpy as np

from reference_model.configuration import Table
from reference_model.own import Named
from reference_model.space import Block

if TYPE_CHECKING:
    from reference_model.drive import Drive


class Own:
    """`python`."""

    def __init__(self, drive: Drive, policy: Table) -> None:
        self.drive = drive
        self.named = Named(drive, policy, "select")
        self.candidates: list[set[int]] = [set() for _ in range(drive.geometry.planes)]
        self.noted: dict[int, int] = {}

    def sealed(self, block: Block) -> None:
        """A new candidate."""
        self.candidates[block.plane].add(block.number)
        self.noted[block.number] = self.drive.space.programmed

    def lost_page(self, block: Block) -> None:
        """Its age begins anew."""
        self.noted[block.number] = self.drive.space.programmed

    def taken(self, block: Block) -> None:
        """No candidate any more."""
        self.candidates[block.plane].remove(block.number)

    def _of_level(self, k: int, level: int) -> int:
        pages, durations = self.drive.geometry.pages_of(k), self.drive.timing.durations
        return sum(self.drive.space.valid[page] and durations.level(page) == level for page in pages)

    def choose(self, plane: int) -> int | None:
        """What it returns, of the blocks that free something."""
        space, first = self.drive.space, self.drive.geometry.blocks_of(plane)[0]
        numbers = sorted(k for k in self.candidates[plane] if space.yield_of(space.blocks[k].valid) > 0)
        if not numbers:
            return None
        now, blocks = space.programmed, [space.blocks[k] for k in numbers]
        levels = range(self.drive.timing.durations.levels)
        seen = SimpleNamespace(
            drive=self.named.shown,
            number=plane,
            programmed=now,
            blocks=np.array([k - first for k in numbers]),
            valid=np.array([block.valid for block in blocks]),
            erases=np.array([block.erases for block in blocks]),
            age=np.array([now - self.noted[k] + 1 for k in numbers]),
            since_sealed=np.array([now - block.sealed_at + 1 for block in blocks]),
            of_level=np.array([[self._of_level(k, level) for k in numbers] for level in levels]),
        )
        return first + int(self.named.decide(seen))
