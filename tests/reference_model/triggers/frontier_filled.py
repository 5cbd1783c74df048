"""One victim each time a block was opened, while free blocks are few (docs/model.md, 5.3)."""

from __future__ import annotations

from reference_model.configuration import Table
from reference_model.space import Plane
from reference_model.triggers.free_levels import FreeLevels
from reference_model.units import is_urgent, level, urgent_level


class FrontierFilled(FreeLevels):
    """`frontier-filled`."""

    def __init__(self, policy: Table, blocks_per_plane: int) -> None:
        self.start = level(policy.take("start", "5%"), blocks_per_plane)
        self.hard = urgent_level(policy.take("hard", "0.5%"), blocks_per_plane)
        self.host_stop = level(policy.take("host_stop", "1 block"), blocks_per_plane)
        if not ((self.hard or 0) <= self.start and 1 <= self.host_stop <= self.start):
            raise ValueError("gc.trigger needs hard <= start and 1 <= host_stop <= start")
        self.most_jobs = policy.whole("jobs", 10)
        self.kept = self.start

    def wants(self, plane: Plane, *, under_way: bool) -> bool:
        """After an erase, `host_stop` counts instead of `start`."""
        return len(plane.free) <= (self.host_stop if under_way else self.start)

    def urgent(self, free: int) -> bool:
        """At `hard` or below."""
        return is_urgent(free, self.hard)
