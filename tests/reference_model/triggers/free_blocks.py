"""Start and stop at levels of free blocks (docs/model.md, 5.2)."""

from __future__ import annotations

from reference_model.configuration import Table
from reference_model.space import Plane
from reference_model.triggers.free_levels import FreeLevels
from reference_model.units import is_urgent, level, urgent_level


class FreeBlocks(FreeLevels):
    """`free-blocks`."""

    def __init__(self, policy: Table, blocks_per_plane: int) -> None:
        start = policy.take("start", "5%")
        self.start = level(start, blocks_per_plane)
        self.stop = level(policy.take("stop", start), blocks_per_plane)
        self.hard: int | None
        if policy.has("hard"):
            self.hard = urgent_level(policy.take("hard"), blocks_per_plane)
        else:
            self.hard = min(level("0.5%", blocks_per_plane), self.start)
        if not (1 <= self.start <= self.stop and (self.hard or 0) <= self.start):
            raise ValueError("gc.trigger needs hard <= start <= stop, and 1 <= start")
        self.most_jobs = 1
        self.host_stop = 1
        self.kept = self.stop

    def wants(self, plane: Plane, *, under_way: bool) -> bool:
        """A collection under way goes on to `stop`."""
        return len(plane.free) <= (self.stop if under_way else self.start)

    def urgent(self, free: int) -> bool:
        """At `hard` or below."""
        return is_urgent(free, self.hard)
