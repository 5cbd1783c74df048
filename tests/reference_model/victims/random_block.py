"""Any candidate, all equally likely (docs/model.md, 5.10)."""

from __future__ import annotations

from reference_model.randomness import Stream
from reference_model.victims.candidate_array import CandidateArray


class RandomBlock(CandidateArray):
    """`random`."""

    def __init__(self, planes: int, stream: Stream) -> None:
        super().__init__(planes)
        self.stream = stream

    def choose(self, plane: int) -> int | None:
        """One draw."""
        blocks = self.blocks[plane]
        return blocks[self.stream.below(len(blocks))].number if blocks else None
