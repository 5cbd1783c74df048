"""Static wear levelling (docs/model.md, 4.24)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from reference_model.space import Block, State
from reference_model.ties import RULES, Ties

if TYPE_CHECKING:
    from reference_model.drive import Drive


class WearLevelling:
    """Finds blocks whose data should move so that they wear, too."""

    def __init__(self, drive: Drive) -> None:
        self.space = drive.space
        self.gc_buffer = drive.gc_buffer
        self.geometry = drive.geometry
        wear = drive.config.wear
        self.ties = Ties(wear.choice("ties", RULES, "lowest"), drive.config.seed, "wear")
        self.threshold = wear.whole("static_threshold") if wear.has("static_threshold") else None

    def take_victim(self, q: int) -> Block | None:
        """Return the wear victim of a plane, taken out of circulation; or none."""
        victim = self.coldest(q, lambda block: block.state is State.SEALED)
        if victim is None or not self.gc_buffer.admit(victim):  # 13.11
            return None
        self.space.withdraw(victim)
        return victim

    def coldest(self, q: int, may_move: Callable[[Block], bool]) -> Block | None:
        """Return the one of those that may move, still in circulation; or none."""
        plane = self.space.planes[q]
        interval = -(-self.geometry.blocks_per_plane // 8)
        if self.threshold is None or plane.erases_since_check < interval:
            return None
        if len(plane.free) < 2 or plane.jobs > 0:
            return None
        plane.erases_since_check = 0
        blocks = [self.space.blocks[k] for k in self.space.ordinary(q)]
        most = max(block.erases for block in blocks)
        sealed = [block for block in blocks if may_move(block)]
        if not sealed:
            return None
        chosen = self.ties.choose((block.erases, block.number) for block in sealed)
        assert chosen is not None
        victim = self.space.blocks[chosen]
        return victim if most - victim.erases > self.threshold else None
