"""The valid pages that are quickest to relocate, by their levels (docs/model.md, 5.12)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reference_model.configuration import Table
from reference_model.space import Block

if TYPE_CHECKING:
    from reference_model.drive import Drive


class WordLine:
    """`word-line`."""

    def __init__(self, drive: Drive, policy: Table) -> None:
        self.drive = drive
        self.candidates: list[set[int]] = [set() for _ in range(drive.geometry.planes)]
        durations = drive.timing.durations
        if policy.has("weights"):
            self.weights = policy.whole_list("weights")
        else:
            self.weights = [
                read + program for read, program in zip(durations.t_read, durations.t_program, strict=True)
            ]
        if len(self.weights) != durations.levels:
            raise ValueError(f"gc.victim.weights are not {durations.levels}")

    def sealed(self, block: Block) -> None:
        """A new candidate."""
        self.candidates[block.plane].add(block.number)

    def lost_page(self, block: Block) -> None:
        """Weights are summed up when they are asked for."""

    def taken(self, block: Block) -> None:
        """No candidate any more."""
        self.candidates[block.plane].remove(block.number)

    def weight(self, k: int) -> int:
        """Return the weight of a block."""
        level, valid = self.drive.timing.durations.level, self.drive.space.valid
        return sum(self.weights[level(page)] for page in self.drive.geometry.pages_of(k) if valid[page])

    def choose(self, plane: int) -> int | None:
        """The lightest; among equals the emptiest; among those the lowest number."""
        space = self.drive.space
        worthwhile = [k for k in self.candidates[plane] if space.yield_of(space.blocks[k].valid) > 0]
        return min(worthwhile, key=lambda k: (self.weight(k), space.blocks[k].valid, k), default=None)
