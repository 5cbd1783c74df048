"""The open block whose next page has the wanted level (docs/model.md, 4.29 to 4.31)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from reference_model.request import Request

if TYPE_CHECKING:
    from reference_model.drive import Drive
    from reference_model.space import Plane

NO_LIFETIME = 255
FORGET = 65_536


class Lifetimes(Protocol):
    """How long the data of a page lives."""

    def written(self, logical: int) -> None:
        """A write is accepted, or an untimed one begins."""

    def trimmed(self, logical: int) -> None:
        """A page that was somewhere is trimmed."""

    def begin(self, requests: list[Request]) -> None:
        """Replays begin, or warm-up without them has ended."""

    def of(self, logical: int) -> int | None:
        """Return the lifetime, in pages that the host writes."""


def bin_of(lifetime: int | None) -> int:
    """4.31."""
    if lifetime is None:
        return NO_LIFETIME
    if lifetime < 4:
        return lifetime
    e = 0
    while 2 ** (e + 1) <= lifetime:
        e += 1
    return 4 * (e - 1) + (lifetime >> (e - 2)) % 4


class Levels:
    """A placement by level."""

    def __init__(self, drive: Drive, lifetimes: Lifetimes) -> None:
        table = drive.config.placement
        self.drive = drive
        self.lifetimes = lifetimes
        self.open_blocks = table.whole("open_blocks", 4)
        self.short_lived_fast = table.choice("short_lived", ("fast", "slow"), "fast") == "fast"
        if drive.timing.durations.levels == 1 or not 2 <= self.open_blocks <= 16:
            raise ValueError("ftl.placement by level needs page levels, and from 2 to 16 open blocks")
        self.seen: list[int] = []  # bins, oldest first: only how many of each matters
        self.places: dict[int, list[int | None]] = {}

    def of_plane(self, q: int) -> list[int | None]:
        """Return the places of a plane."""
        return self.places.setdefault(q, [None] * self.open_blocks)

    def left(self, q: int) -> int:
        """4.8: pages not yet taken of all host open blocks."""
        space = self.drive.space
        taken = [space.blocks[k].taken for k in self.of_plane(q) if k is not None]
        return sum(space.geometry.pages_per_block - each for each in taken)

    def choose(self, plane: Plane, logical: int) -> int:
        """4.30."""
        space, places = self.drive.space, self.of_plane(plane.number)
        if None in places and space.free_for_host(plane) > 0:
            places[places.index(None)] = space.open_block(plane)
        wanted = self._wanted(logical)

        def off(k: int) -> int:
            return abs(self.drive.timing.durations.level(space.blocks[k].taken) - wanted)

        return min((k for k in places if k is not None), key=off)

    def full(self, q: int, k: int) -> None:
        """4.29: a block is filling."""
        places = self.of_plane(q)
        if k in places:
            places[places.index(k)] = None

    def _wanted(self, logical: int) -> int:
        """4.31."""
        levels, b = self.drive.timing.durations.levels, bin_of(self.lifetimes.of(logical))
        part = 0
        if self.seen:
            shorter, same = sum(each < b for each in self.seen), self.seen.count(b)
            part = min(levels - 1, (2 * shorter + same) * levels // (2 * len(self.seen)))
        self.seen.append(b)
        if len(self.seen) == FORGET:
            self.seen = [each for each in range(256) for _ in range(self.seen.count(each) // 2)]
        return part if self.short_lived_fast else levels - 1 - part
