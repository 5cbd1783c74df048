"""As free-blocks, but only while the host waits for the plane (docs/model.md, 5.3b)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reference_model.configuration import Table
from reference_model.operations import Class
from reference_model.space import Plane
from reference_model.triggers.free_blocks import FreeBlocks

if TYPE_CHECKING:
    from reference_model.drive import Drive


class Foreground(FreeBlocks):
    """`foreground`."""

    def __init__(self, drive: Drive, policy: Table) -> None:
        super().__init__(drive, policy)
        writes = policy.choice("waits_for", ("any", "writes"), "any") == "writes"
        self.classes = (Class.HOST_WRITE,) if writes else (Class.HOST_READ, Class.HOST_WRITE)

    def wants(self, plane: Plane, *, under_way: bool) -> bool:
        """Only while something of the host waits; in warm-up always."""
        return self._host_waits(plane) and super().wants(plane, under_way=under_way)

    def _host_waits(self, plane: Plane) -> bool:
        if not self.drive.running:
            return True
        queues = self.drive.dies.of_plane(plane.number).queues[plane.number]
        return any(queues[each] for each in self.classes)
