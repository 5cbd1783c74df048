"""Pages are read into the GC buffer and written back after the erase (docs/model.md, 13.10 to 13.18)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reference_model import units
from reference_model.configuration import Table
from reference_model.job import Way
from reference_model.relocation.in_order import InOrder

if TYPE_CHECKING:
    from reference_model.drive import Drive


class Buffered(InOrder):
    """`buffered`: a step is one page (13.12), as no unit is of more (13.10)."""

    over_channel_only = True
    way = Way.LIFT

    def __init__(self, drive: Drive, policy: Table) -> None:
        super().__init__(drive)
        blocks = units.blocks(policy.take("capacity", "1 block"), drive.geometry.blocks_per_plane)
        if blocks < 1:
            raise ValueError("gc.relocation.capacity must be at least 1 block")
        drive.gc_buffer.capacity = blocks * drive.geometry.pages_per_block
        drive.gc_buffer.to_home = policy.choice("destination", ("home", "free"), "home") == "home"
