"""A function of the user's says when (docs/own-policies.md)."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING

from reference_model.configuration import Table
from reference_model.operations import Class
from reference_model.own import Named, channel_idle
from reference_model.space import Block, Plane
from reference_model.triggers.free_blocks import FreeBlocks
from reference_model.units import level

if TYPE_CHECKING:
    from reference_model.drive import Drive

BOTH = (Class.HOST_READ, Class.HOST_WRITE)
CLASSES = {"requests": BOTH, "writes": (Class.HOST_WRITE,)}


class Own(FreeBlocks):
    """`python`."""

    def __init__(self, drive: Drive, policy: Table) -> None:
        super().__init__(drive, policy)
        self.named = Named(drive, policy, "wants")
        self.host_stop = level(policy.take("host_stop", "1 block"), drive.geometry.blocks_per_plane)
        self.most_jobs = policy.whole("jobs", 1)
        self.occasions = self.named.method("asked_when") or ()
        self.classes = next((CLASSES[each] for each in CLASSES if each in self.occasions), ())
        if "drive" in self.occasions:
            self.all_asked_at = self.start * drive.geometry.planes

    def wants(self, plane: Plane, *, under_way: bool) -> bool:
        """What it returns, unless the host may not open a block, or collection is urgent."""
        free = len(plane.free)
        if free <= self.host_stop or self.urgent(free):
            return True
        seen = SimpleNamespace(
            drive=self.named.shown,
            plane=plane.number,
            free_blocks=free,
            reclaimable_pages=plane.reclaimable,
            under_way=under_way,
            drive_free_blocks=self.drive.space.free_blocks(),
            channel_idle=channel_idle(self.drive, plane.number),
            host_waits=self._host_waits(plane),
        )
        return bool(self.named.decide(seen))

    def _host_waits(self, plane: Plane) -> bool:
        if not self.drive.running:
            return True
        queues = self.drive.dies.of_plane(plane.number).queues[plane.number]
        return any(queues[each] for each in self.classes or BOTH)

    def _signal(self, block: Block, occasion: str) -> None:
        if occasion in self.occasions:
            self.drive.collection.signal(self.drive.space.planes[block.plane])

    def sealed(self, block: Block) -> None:
        """It may ask to be asked then."""
        self._signal(block, "sealed")

    def lost_page(self, block: Block) -> None:
        """It may ask to be asked then."""
        self._signal(block, "invalidated")

    def erased(self, block: Block) -> None:
        """It may ask to be asked then."""
        self._signal(block, "erased")

    def emptied(self, channel: int) -> None:
        """It may ask to be asked then: the lowest plane first."""
        planes = self.drive.space.planes if "idle" in self.occasions else []
        for plane in reversed(planes):
            if self.drive.geometry.channel_of_plane(plane.number) == channel:
                self.drive.collection.signal(plane)
