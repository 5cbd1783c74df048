"""Page numbers within the block (docs/model.md, 11.15)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reference_model.operations import Erase, HostWrite, Operation

if TYPE_CHECKING:
    from reference_model.drive import Drive


def page_number(drive: Drive, operation: Operation) -> tuple[int, bool] | None:
    """Return the number of the flash page, and whether its block is one of the cache (2.9).

    Of a program without a page it is the one that it would get now.
    """
    assert not isinstance(operation, Erase)
    parts, cache = drive.geometry.parts, drive.slc_cache
    if operation.page is not None:
        cached = cache is not None and cache.has(drive.geometry.block_of_page(operation.page))
        return drive.geometry.page_in_block(operation.page) // parts, cached
    plane = drive.space.planes[operation.plane]
    if isinstance(operation, HostWrite):
        logical = operation.part.logical
        if not drive.space.host_can_take(operation.plane, logical):
            return None
        block, cached = next_host_block(drive, operation)
    else:
        block, cached = plane.gc_block, False
    return (0 if block is None else drive.space.blocks[block].taken // parts), cached


def next_host_block(drive: Drive, write: HostWrite) -> tuple[int | None, bool]:
    """4.34, 4.39, 4.45: the open block that a write would take its page of; whether it is of the cache."""
    space, logical, q = drive.space, write.part.logical, write.plane
    if drive.slc_cache is not None and drive.program_units.is_cached(write, q):
        return drive.slc_cache.planes[q].open_block, True
    if drive.superblocks is not None:
        assert write.stream is not None
        parts = drive.superblocks.streams[write.stream][q]
        return (parts[0] if parts else None), False
    separation = drive.separation
    if separation is None or space.own_parity(logical):
        return space.host_block_for(space.planes[q], logical), False
    c, places = separation.class_of_page(logical), separation.host.of_plane(q)
    opens = places[c] is None and space.free_for_host(space.planes[q]) > 0
    if opens or all(place is None for place in places):
        return None, False
    return separation.host.nearest(q, c)[1], False
