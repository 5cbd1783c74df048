"""The fewest valid pages among the blocks sealed first (docs/model.md, 5.10)."""

from __future__ import annotations

from reference_model.configuration import Table
from reference_model.superblocks import Candidates
from reference_model.units import blocks
from reference_model.victims.sealing_order import SealingOrder


class WindowedGreedy(SealingOrder):
    """`windowed-greedy`."""

    def __init__(self, policy: Table, geometry: Candidates) -> None:
        super().__init__(geometry.planes)
        self.window = max(1, blocks(policy.take("window", "32 blocks"), geometry.blocks_per_plane))

    def choose(self, plane: int) -> int | None:
        """Among equals the one sealed first."""
        oldest = self.blocks[plane][: self.window]
        return min(oldest, key=lambda block: block.valid).number if oldest else None
