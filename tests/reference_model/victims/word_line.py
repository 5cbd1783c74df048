"""The valid pages that are quickest to relocate, by their levels (docs/model.md, 5.12)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reference_model.configuration import Table
from reference_model.space import Block

if TYPE_CHECKING:
    from collections.abc import Callable

    from reference_model.drive import Drive


class WordLine:
    """`word-line`."""

    def __init__(self, drive: Drive, policy: Table) -> None:
        self.drive = drive
        self.candidates: list[set[int]] = [set() for _ in range(drive.geometry.planes)]
        self.changed: dict[int, int] = {}
        self.changes = 0
        self.ties = policy.choice("ties", ("fewest-valid", "oldest", "lowest-number"), "fewest-valid")
        policy.take("erase", default=False)
        durations = drive.timing.durations
        reads, programs = durations.t_read, durations.t_program
        if policy.has("weights"):
            self.weights = policy.whole_list("weights")
        else:
            weigh = policy.choice("weigh", ("read", "read-program", "read-mean-program"), "read-program")
            written = {
                "read": [0] * len(reads),
                "read-program": programs,
                "read-mean-program": [sum(programs) // len(programs)] * len(reads),
            }[weigh]
            self.weights = [read + program for read, program in zip(reads, written, strict=True)]
        if len(self.weights) != durations.levels:
            raise ValueError(f"gc.victim.weights are not {durations.levels}")

    def sealed(self, block: Block) -> None:
        """A new candidate."""
        self.candidates[block.plane].add(block.number)
        self._note(block)

    def lost_page(self, block: Block) -> None:
        """Weights are summed up when they are asked for."""
        self._note(block)

    def _note(self, block: Block) -> None:
        self.changes += 1
        self.changed[block.number] = self.changes

    def taken(self, block: Block) -> None:
        """No candidate any more."""
        self.candidates[block.plane].remove(block.number)

    def weight(self, k: int) -> int:
        """Return the weight of a block."""
        level, valid = self.drive.timing.durations.level, self.drive.space.valid
        return sum(self.weights[level(page)] for page in self.drive.geometry.pages_of(k) if valid[page])

    def choose(self, plane: int) -> int | None:
        """The lightest, and among equals what `ties` says."""
        space = self.drive.space
        worthwhile = [k for k in self.candidates[plane] if space.yield_of(space.blocks[k].valid) > 0]
        first: dict[str, Callable[[int], int]] = {
            "fewest-valid": lambda k: space.blocks[k].valid,
            "oldest": lambda k: self.changed[k],
            "lowest-number": lambda k: k,
        }
        return min(worthwhile, key=lambda k: (self.weight(k), first[self.ties](k), k), default=None)
