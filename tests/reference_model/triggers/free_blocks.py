"""Start and stop at levels of free blocks (docs/model.md, 5.2)."""

from __future__ import annotations

from reference_model.configuration import Table
from reference_model.space import Plane
from reference_model.triggers.free_levels import FreeLevels
from reference_model.units import level


class FreeBlocks(FreeLevels):
    """`free-blocks`."""

    def __init__(self, policy: Table, blocks_per_plane: int) -> None:
        start = policy.take("start", "5%")
        self.start = level(start, blocks_per_plane)
        self.stop = level(policy.take("stop", start), blocks_per_plane)
        if policy.has("hard"):
            self.hard = level(policy.take("hard"), blocks_per_plane)
        else:
            self.hard = min(level("0.5%", blocks_per_plane), self.start)
        if not 1 <= self.hard <= self.start <= self.stop:
            raise ValueError("gc.trigger needs 1 <= hard <= start <= stop")
        self.most_jobs = 1
        self.host_stop = 1
        self.kept = self.stop

    def wants(self, plane: Plane, *, under_way: bool) -> bool:
        """A collection under way goes on to `stop`."""
        return len(plane.free) <= (self.stop if under_way else self.start)

    def urgent(self, free: int) -> bool:
        """At `hard` or below."""
        return free <= self.hard
