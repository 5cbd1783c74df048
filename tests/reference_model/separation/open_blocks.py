"""The open block of a class (docs/model.md, 4.34, 4.37)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reference_model.separation.classes import Classes, TranslationApart

if TYPE_CHECKING:
    from reference_model.drive import Drive
    from reference_model.space import Cause, Plane


class Places:
    """The places of every plane, one for each class."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.places: dict[int, list[int | None]] = {}

    def of_plane(self, q: int) -> list[int | None]:
        """Return the places of a plane."""
        return self.places.setdefault(q, [None] * self.count)

    def full(self, q: int, k: int) -> None:
        """4.34: a block is filling."""
        places = self.of_plane(q)
        if k in places:
            places[places.index(k)] = None

    def nearest(self, q: int, c: int) -> tuple[int, int]:
        """4.34: the place, and its block."""
        open_ones = [(place, k) for place, k in enumerate(self.of_plane(q)) if k is not None]
        return min(open_ones, key=lambda one: (abs(one[0] - c), one[0]))


class Separation:
    """Classes that are kept apart."""

    def __init__(self, drive: Drive, classes: Classes, *, host: int, relocated: int) -> None:
        self.drive = drive
        self.count = host
        self.classes = classes
        self.host = Places(host)
        self.gc = Places(relocated) if relocated > 1 else None
        self.class_of: dict[int, int] = {}

    def open_blocks(self) -> int:
        """2.5: of the host and of collection."""
        return self.count + (1 if self.gc is None else self.gc.count)

    def written(self, logical: int) -> None:
        """4.35: a write is heard of."""
        streams = self.drive.mapping.streams
        if streams.begins:
            self.classes.request(logical, streams.begins)
            streams.begins = 0
        self.class_of[logical] = self.classes.of_write(logical, streams.current)

    def left(self, q: int, places: Places) -> int:
        """4.8, 4.37: pages not yet taken of all open blocks of a kind."""
        space = self.drive.space
        taken = [space.blocks[k].taken for k in places.of_plane(q) if k is not None]
        return sum(space.geometry.pages_per_block - each for each in taken)

    def full(self, q: int, k: int) -> None:
        """4.34: a block is filling."""
        self.host.full(q, k)
        if self.gc is not None:
            self.gc.full(q, k)

    def choose_host(self, plane: Plane, logical: int) -> int:
        """4.34."""
        space, c = self.drive.space, self.class_of_page(logical)
        places = self.host.of_plane(plane.number)
        if places[c] is None and space.free_for_host(plane) > 0:
            places[c] = k = space.open_block(plane)
            self.classes.block_opened(k, c)
        place, k = self.host.nearest(plane.number, c)
        if not isinstance(self.classes, TranslationApart):
            self.drive.counters.separation.host_pages_elsewhere += place != c
        return k

    def choose_gc(self, plane: Plane, logical: int, source: int, cause: Cause) -> int:
        """4.37."""
        assert self.gc is not None
        block = self.drive.space.block_of(source).number
        pages, c = self.drive.geometry.translation, 0
        if pages is None or not pages.has(logical):
            c = self.classes.of_relocated(logical, self.class_of_page(logical), block)
        places = self.gc.of_plane(plane.number)
        if places[c] is None and plane.free:
            places[c] = k = self.drive.space.open_block_for(plane, cause)
            self.classes.block_opened(k, self.count + c)
        place, k = self.gc.nearest(plane.number, c)
        self.drive.counters.separation.relocated_pages_elsewhere += place != c
        return k

    def class_of_page(self, logical: int) -> int:
        """4.35, 4.49."""
        pages = self.drive.geometry.translation
        if pages is not None and pages.has(logical):
            return int(isinstance(self.classes, TranslationApart))
        return self.class_of.get(logical, self.classes.unwritten)
