"""When a plane is to be collected: `gc.trigger` (docs/model.md, 5.1 to 5.3a)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from reference_model.space import Block, Plane
from reference_model.triggers.foreground import Foreground
from reference_model.triggers.free_blocks import FreeBlocks
from reference_model.triggers.frontier_filled import FrontierFilled
from reference_model.triggers.invalid_ratio import InvalidRatio
from reference_model.triggers.own import Own

if TYPE_CHECKING:
    from reference_model.drive import Drive


class Trigger(Protocol):
    """What the rest of the model asks and tells a trigger."""

    most_jobs: int  # at once in a plane
    start: int  # free blocks at which collection starts (12.22a)
    host_stop: int  # free blocks that the host may not open (4.8)
    all_asked_at: int | None  # free blocks of the drive at which all planes are signalled (5.2a)
    kept: int  # free blocks that a legal configuration must be able to keep (2.5)

    def wants(self, plane: Plane, *, under_way: bool) -> bool:
        """Whether a plane is to be collected."""

    def urgent(self, free: int) -> bool:
        """Whether the collection of a plane with so many free blocks is urgent."""

    def victim(self, plane: Plane) -> int | None:
        """Return the block to collect, where that is not the victim policy's choice (5.6)."""

    def has_listed(self) -> bool:
        """Whether any victim list has a block (13.2a)."""

    def sealed(self, block: Block) -> None:
        """Hear of a sealed block."""

    def lost_page(self, block: Block) -> None:
        """Hear that a sealed block has lost a valid page."""

    def taken(self, block: Block) -> None:
        """Hear that a sealed block is taken out of circulation."""

    def erased(self, block: Block) -> None:
        """Hear that a victim is erased."""

    def emptied(self, channel: int) -> None:
        """Hear, after an event, that the load of a die of a channel has fallen to 0 (8.5)."""


def make(drive: Drive) -> Trigger:
    """Return the trigger that the configuration names."""
    policy = drive.config.trigger
    kinds = ("free-blocks", "frontier-filled", "invalid-ratio", "foreground", "python")
    kind = policy.choice("kind", kinds)
    if kind == "python":
        return Own(drive, policy)
    if kind == "foreground":
        return Foreground(drive, policy)
    if kind == "invalid-ratio":
        return InvalidRatio(drive, policy)
    if kind == "free-blocks":
        return FreeBlocks(drive, policy)
    return FrontierFilled(policy, drive.geometry.blocks_per_plane)
