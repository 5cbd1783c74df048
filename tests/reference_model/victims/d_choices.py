"""The best of a few drawn candidates (docs/model.md, 5.10)."""

from __future__ import annotations

from reference_model.configuration import Table
from reference_model.randomness import Stream
from reference_model.superblocks import Candidates
from reference_model.victims.candidate_array import CandidateArray


class DChoices(CandidateArray):
    """`d-choices`."""

    def __init__(self, policy: Table, geometry: Candidates, stream: Stream) -> None:
        super().__init__(geometry.planes)
        self.stream = stream
        log2 = geometry.blocks_per_plane.bit_length() - 1
        self.d = policy.whole("d", max(1, log2))

    def choose(self, plane: int) -> int | None:
        """All draws are made, even from one candidate; among equals the one drawn first."""
        blocks = self.blocks[plane]
        if not blocks:
            return None
        drawn = [blocks[self.stream.below(len(blocks))] for _ in range(self.d)]
        return min(drawn, key=lambda block: block.valid).number
