"""Page numbers within the block (docs/model.md, 11.15)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reference_model.operations import Erase, HostWrite, Operation

if TYPE_CHECKING:
    from reference_model.drive import Drive


def page_number(drive: Drive, operation: Operation) -> int | None:
    """Return the number of the flash page; of a program without a page the one it would get now."""
    assert not isinstance(operation, Erase)
    parts = drive.geometry.parts
    if operation.page is not None:
        return drive.geometry.page_in_block(operation.page) // parts
    plane = drive.space.planes[operation.plane]
    if isinstance(operation, HostWrite):
        logical = operation.part.logical
        if not drive.space.host_can_take(operation.plane, logical):
            return None
        block = drive.space.host_block_for(plane, logical)
    else:
        block = plane.gc_block
    return 0 if block is None else drive.space.blocks[block].taken // parts
