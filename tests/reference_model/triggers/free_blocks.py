"""Start and stop at levels of free blocks (docs/model.md, 5.2 and 5.2a)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reference_model.configuration import Table
from reference_model.space import Plane
from reference_model.triggers.free_levels import FreeLevels
from reference_model.units import is_urgent, level, urgent_level

if TYPE_CHECKING:
    from reference_model.drive import Drive


class FreeBlocks(FreeLevels):
    """`free-blocks`."""

    def __init__(self, drive: Drive, policy: Table) -> None:
        self.drive = drive
        blocks_per_plane = drive.geometry.blocks_per_plane
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
        if policy.choice("of", ("plane", "drive"), "plane") == "drive":
            self.all_asked_at = self.start * drive.geometry.planes

    def wants(self, plane: Plane, *, under_way: bool) -> bool:
        """A collection under way goes on to `stop`."""
        level = self.stop if under_way else self.start
        if self.all_asked_at is None:
            return len(plane.free) <= level
        return self._helps_drive(plane, level)

    def _helps_drive(self, plane: Plane, level: int) -> bool:
        """5.2a."""
        free = len(plane.free)
        if free <= 1 or self.urgent(free):  # forced
            return True
        planes = self.drive.space.planes
        short = self.drive.space.free_blocks() <= level * len(planes)
        return short and plane.reclaimable >= self.drive.geometry.pages_per_block

    def urgent(self, free: int) -> bool:
        """At `hard` or below."""
        return is_urgent(free, self.hard)
