"""Pages with neighbouring numbers never in one unit (docs/model.md, 4.23a)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reference_model.allocation.striping import stripe

if TYPE_CHECKING:
    from reference_model.drive import Drive


class Ospada:
    """`ospada`."""

    def __init__(self, drive: Drive) -> None:
        self.drive = drive
        self.planes = stripe("CWDP", drive.geometry)
        self.distance = drive.config.allocation.whole("distance", len(self.planes))
        self.forming: list[list[int]] = [[] for _ in self.planes]
        self.next = 0

    def choose(self, logical: int) -> int | None:
        """Return the first plane without a neighbour, or the one with the shortest list."""
        count = len(self.planes)
        turn = [(self.next + step) % count for step in range(count)]
        turn = [position for position in turn if self.drive.space.has_room(self.planes[position], logical)]
        if not turn:
            return None
        apart = [
            position
            for position in turn
            if all(abs(other - logical) >= self.distance for other in self.forming[position])
        ]
        chosen = apart[0] if apart else min(turn, key=lambda position: len(self.forming[position]))
        forming = self.forming[chosen]
        forming.append(logical)
        if len(forming) == self.drive.program_units.size:
            forming.clear()
        self.next = (chosen + 1) % count
        return self.planes[chosen]
