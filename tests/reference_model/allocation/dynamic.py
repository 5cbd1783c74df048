"""The least-loaded die with room, in turn among equals (docs/model.md, 4.23, 4.23b)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from reference_model.drive import Drive


class Dynamic:
    """`dynamic`."""

    def __init__(self, drive: Drive) -> None:
        self.drive = drive
        geometry = drive.geometry
        per_chip = geometry.dies_per_channel // geometry.chips
        self.turn: list[int] = []
        for place in range(geometry.dies):
            channel, i = place % geometry.channels, place // geometry.channels
            lun, chip = i // geometry.chips, i % geometry.chips
            self.turn.append(channel * geometry.dies_per_channel + chip * per_chip + lun)
        self.next = 0
        self.next_plane = [0] * geometry.dies
        self.together = drive.config.allocation.choice("together", ("page", "run", "unit"), "page")
        self.begun: tuple[int, int, int] | None = None  # plane, page that went there last, pages since chosen

    def choose(self, logical: int) -> int | None:
        """Return the plane that takes more of a unit (4.23b), or one of the least-loaded die, if any."""
        if self.begun is not None:
            plane, last, pages = self.begun
            follows = self.together != "run" or logical == last + 1
            most = self.drive.geometry.parts if self.together == "page" else self.drive.program_units.size
            if follows and pages < most and self.drive.space.has_room(plane, logical):
                self.begun = (plane, logical, pages + 1)
                return plane
        chosen = self._least_loaded(logical)
        if chosen is not None:
            self.begun = (chosen, logical, 1)
        return chosen

    def _least_loaded(self, logical: int) -> int | None:
        best: tuple[int, int, int] | None = None  # load, place, plane within the die
        for step in range(len(self.turn)):
            place = (self.next + step) % len(self.turn)
            load = self.drive.dies.load(self.turn[place])
            if best is not None and load >= best[0]:
                continue
            found = self._plane_with_room(self.turn[place], logical)
            if found is not None:
                best = (load, place, found)
                if load == 0:
                    break
        if best is None:
            return None
        _, place, found = best
        die = self.turn[place]
        planes = self.drive.geometry.planes_of_die(die)
        self.next = (place + 1) % len(self.turn)
        self.next_plane[die] = (found + 1) % len(planes)
        return planes[found]

    def _plane_with_room(self, die: int, logical: int) -> int | None:
        planes = self.drive.geometry.planes_of_die(die)
        for step in range(len(planes)):
            index = (self.next_plane[die] + step) % len(planes)
            if self.drive.space.has_room(planes[index], logical):
                return index
        return None
