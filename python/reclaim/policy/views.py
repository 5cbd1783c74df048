"""What policies see: the drive when they are made, and what they decide about when they are asked."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, NoReturn

from reclaim.errors import InputError

if TYPE_CHECKING:
    from numpy import int64
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Drive:
    """Dimensions of the drive."""

    channels: int
    dies: int
    planes: int
    """Planes of the whole drive. Those of a die have neighbouring numbers."""
    blocks_per_plane: int
    pages_per_block: int
    logical_pages: int
    """Pages that the host can address."""
    levels: int
    """Page levels: 1 without any, 3 with TLC."""


class Plane(NamedTuple):
    """The candidates of a plane, for a victim policy: fully programmed blocks that free at least a page.

    Arrays are read-only and have one value for each candidate, the lowest block number first. One whose name
    is nowhere in the policy's file, or in a module beside it, is not computed; a text with blanks in it,
    as a docstring, does not count.
    """

    drive: Drive
    number: int
    """Of the plane, counted from 0 over the drive."""
    programmed: int
    """Pages programmed since the drive was made: the clock of ages."""
    blocks: NDArray[int64]
    """Numbers of the blocks within the plane. One of these is returned."""
    valid: NDArray[int64]
    """Valid pages."""
    erases: NDArray[int64]
    """How often each was erased."""
    age: NDArray[int64]
    """Pages programmed on the drive since the block was sealed or lost a page, that one included."""
    since_sealed: NDArray[int64]
    """Pages programmed on the drive since the block was sealed, its last page included."""
    of_level: NDArray[int64]
    """Valid pages by level, a row for each; level 0 is the fastest."""


def plane_without(names: Iterable[str]) -> type[Plane]:
    """Give a class of planes that say of some arrays why they are not there."""

    def missing(name: str) -> property:
        def refuse(_: Plane) -> NoReturn:
            raise InputError(
                f"plane.{name} is computed for policies whose file, or a module beside it, has the word "
                f'"{name}": write it there, in a comment too'
            )

        return property(refuse)

    return type("Plane", (Plane,), {"__slots__": (), **{name: missing(name) for name in names}})


@dataclass(frozen=True)
class Space:
    """The space of a plane, for a trigger policy."""

    drive: Drive
    plane: int
    free_blocks: int
    """Erased blocks, not counting open ones."""
    reclaimable_pages: int
    """Pages of its fully programmed blocks that hold nothing valid."""
    under_way: bool
    """Whether a job of the plane has just ended, and the question is whether to go on."""
    drive_free_blocks: int
    """Erased blocks of all planes together."""
    channel_idle: bool
    """Whether nothing is queued or under way on any die of the plane's channel; True during warm-up."""
    host_waits: bool
    """Whether a read or a write of the host waits for the plane (a write, if asked when "writes").

    True during warm-up."""


@dataclass(frozen=True)
class Jobs:
    """A plane that wants to collect, and who collects already, for a concurrency policy."""

    drive: Drive
    plane: int
    channel: int
    """Of the plane."""
    used_pages: int
    """Pages programmed and not erased since, valid or not."""
    valid_pages: int
    """Pages that hold valid data."""
    channel_idle: bool
    """Whether nothing is queued or under way on any die of the plane's channel; True during warm-up."""
    per_channel: NDArray[int64]
    """Collection jobs under way on each channel; 0 during warm-up."""


@dataclass(frozen=True)
class Activity:
    """Who collects, and how full the flash is, for `limit` and `note` of a concurrency policy."""

    drive: Drive
    used_pages: int
    """Pages programmed and not erased since, valid or not."""
    valid_pages: int
    """Pages that hold valid data."""
    per_channel: NDArray[int64]
    """Collection jobs under way on each channel; 0 during warm-up."""
    drained: bool
    """For `note`: whether nobody collects or waits to, and the trigger has listed no block."""


@dataclass(frozen=True)
class Placement:
    """A page that the host writes, for an allocation policy. Arrays are read-only, a value for each plane."""

    drive: Drive
    logical_page: int
    pending: NDArray[int64]
    """Operations that wait or run on the plane's die; 0 during warm-up, where nothing takes time."""
    has_room: NDArray[int64]
    """1 where the plane has a page that is not reserved for another write, else 0."""


class Pages(NamedTuple):
    """Pages that the host writes, or that collection relocates, for a separation policy.

    Arrays are read-only and have one value for each page. Pages that are shown together are written or
    relocated at the same instant; others are shown one by one.
    """

    drive: Drive
    collected: bool
    """Whether collection relocates them, and not the host writes them."""
    logical_pages: NDArray[int64]
    """Which they are. With RAID-5 those from `drive.logical_pages` on are parity, which is only relocated."""
    age: NDArray[int64]
    """Pages that the host has written since it wrote each last, that one included; -1 if it never did."""
    last_class: NDArray[int64]
    """The class of what the host has written last of each; that of one never written is the highest."""
    classes: int
    """Answers are below this."""
    stream: int | None
    """Of the request; None of relocated pages."""
    valid_pages: int | None
    """Valid pages of the whole drive, before what is replaced is invalid; None of relocated pages."""
    block_class: int | None
    """Of relocated pages the class that their block was opened for: those of relocated pages come behind
    those of the host's. None of pages that are written, and where it is not known."""


@dataclass(frozen=True)
class Victim:
    """A block that is collected, for `note` of a separation policy."""

    drive: Drive
    block_class: int
    """The class that it was opened for: those of relocated pages come behind those of the host's."""
    lifespan: int
    """Pages that the host has written since it was opened."""
