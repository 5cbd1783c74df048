"""A drive that takes over what another one has prepared (docs/model.md, 7.5)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from reference_model.space import Plane, State

if TYPE_CHECKING:
    from reference_model.drive import Drive
    from reference_model.request import Request

SECTIONS = ("ftl", "gc", "interconnect")


def preparing(config: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the configuration of the drive that prepares, or none if the drive prepares itself."""
    policies = config.get("warmup", {}).get("policies")
    if policies is None:
        return None
    left = {key: value for key, value in config["warmup"].items() if key not in ("scheme", "policies")}
    return {**config, **{section: policies[section] for section in SECTIONS}, "warmup": left}


def take_over(drive: Drive, prepared: Drive, requests: list[Request]) -> None:
    """7.5: what lies in the flash stays, and the policies of the new drive hear of it."""
    space, old = drive.space, prepared.space
    space.blocks, space.valid, space.owner, space.programmed = (
        old.blocks,
        old.valid,
        old.owner,
        old.programmed,
    )
    drive.mapping.where = prepared.mapping.where
    drive.mapping.streams.of_page = prepared.mapping.streams.of_page
    drive.addresses = prepared.addresses
    drive.versions = prepared.versions
    for plane, was in zip(space.planes, old.planes, strict=True):
        plane.free = _in_order(prepared, was)
        plane.parity_block = was.parity_block
    _tell_of_sealed(drive)
    for plane, was in zip(space.planes, old.planes, strict=True):
        _keep_open(drive, prepared, plane, was)
        plane.urgent = drive.trigger.urgent(len(plane.free))
    drive.foresee(requests)
    drive.measuring.count_afresh()
    drive.collection.signals.clear()


def _in_order(prepared: Drive, plane: Plane) -> list[int]:
    blocks = prepared.space.blocks
    if prepared.space.dynamic_wear:
        return sorted(plane.free, key=lambda k: (blocks[k].erases, k))
    return list(plane.free)


def _tell_of_sealed(drive: Drive) -> None:
    space = drive.space
    programmed = space.programmed
    sealed = [block for block in space.blocks if block.state is State.SEALED]
    for block in sorted(sealed, key=lambda block: (block.sealed_at, block.number)):
        space.programmed = block.sealed_at
        space.tell_sealed(block)
    space.programmed = programmed


def _keep_open(drive: Drive, prepared: Drive, plane: Plane, was: Plane) -> None:
    of_host, of_gc = _old_open(prepared, was)
    count = _places_of_host(drive)
    host, left = of_host[: count or 1], of_host[count or 1 :]
    if count:
        _places(drive)[plane.number] = [*host, *[None] * (count - len(host))]
    else:
        plane.host_block = host[0] if host else None
    separation = drive.separation
    if separation is not None and separation.gc is not None:
        count = separation.gc.count
        separation.gc.places[plane.number] = [*of_gc[:count], *[None] * (count - len(of_gc[:count]))]
        left += of_gc[count:]
    elif not drive.space.shared:
        plane.gc_block = of_gc[0] if of_gc else None
        left += of_gc[1:]
    elif plane.host_block is not None:
        plane.gc_block = plane.host_block
        left += of_gc
    else:
        plane.host_block = plane.gc_block = of_gc[0] if of_gc else None
        left += of_gc[1:]
    for k in left:
        block = drive.space.blocks[k]
        drive.space.skip(block, drive.geometry.pages_per_block - block.taken)


def _old_open(prepared: Drive, was: Plane) -> tuple[list[int], list[int]]:
    """Open blocks of the host and of collection that the prepared drive has left."""
    old: list[int | None] = [was.host_block]
    gc: list[int | None] = [None if prepared.space.shared else was.gc_block]
    if prepared.placement is not None:
        old = prepared.placement.of_plane(was.number)
    if prepared.separation is not None:
        old = prepared.separation.host.of_plane(was.number)
        if prepared.separation.gc is not None:
            gc = prepared.separation.gc.of_plane(was.number)
    return [k for k in old if k is not None], [k for k in gc if k is not None]


def _places_of_host(drive: Drive) -> int:
    """How many open blocks of the host have places; none with a single one."""
    if drive.separation is not None:
        return drive.separation.count
    return 0 if drive.placement is None else drive.placement.open_blocks


def _places(drive: Drive) -> dict[int, list[int | None]]:
    if drive.separation is not None:
        return drive.separation.host.places
    assert drive.placement is not None
    return drive.placement.places
