"""Candidates drawn until one holds enough invalid pages (docs/model.md, 5.10)."""

from __future__ import annotations

from reference_model.configuration import Table
from reference_model.randomness import Stream
from reference_model.space import Block
from reference_model.superblocks import Candidates
from reference_model.units import share
from reference_model.victims.candidate_array import CandidateArray


class RandomThreshold(CandidateArray):
    """`random-threshold`."""

    def __init__(self, policy: Table, geometry: Candidates, stream: Stream) -> None:
        super().__init__(geometry.planes)
        self.stream = stream
        self.pages_per_block = geometry.pages_per_block
        if policy.has("invalid"):
            threshold = share(policy.ppm("invalid"), geometry.pages_per_block)
        else:
            spare = geometry.pages - geometry.stored_pages
            threshold = spare * geometry.pages_per_block // geometry.pages
        self.threshold = max(1, threshold)
        self.draws = policy.whole("draws", 64)

    def choose(self, plane: int) -> int | None:
        """The first drawn with enough invalid pages; else the emptiest, among equals the one drawn first."""
        blocks = self.blocks[plane]
        if not blocks:
            return None
        drawn: list[Block] = []
        for _ in range(self.draws):
            block = blocks[self.stream.below(len(blocks))]
            if self.pages_per_block - block.valid >= self.threshold:
                return block.number
            drawn.append(block)
        return min(drawn, key=lambda block: block.valid).number
