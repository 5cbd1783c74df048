"""When a plane is to be collected: `gc.trigger` (docs/model.md, 5.1 to 5.3)."""

from __future__ import annotations

from typing import Protocol

from reference_model.configuration import Table
from reference_model.triggers.free_blocks import FreeBlocks
from reference_model.triggers.frontier_filled import FrontierFilled


class Trigger(Protocol):
    """What the rest of the model asks a trigger."""

    most_jobs: int  # at once in a plane
    host_stop: int  # free blocks that the host may not open (4.8)
    kept: int  # free blocks that a legal configuration must be able to keep (2.5)

    def wants(self, free: int, *, under_way: bool) -> bool:
        """Whether a plane with so many free blocks is to be collected."""

    def urgent(self, free: int) -> bool:
        """Whether its collection is urgent."""


def make(policy: Table, blocks_per_plane: int) -> Trigger:
    """Return the trigger that the configuration names."""
    kind = policy.choice("kind", ("free-blocks", "frontier-filled"))
    if kind == "free-blocks":
        return FreeBlocks(policy, blocks_per_plane)
    return FrontierFilled(policy, blocks_per_plane)
