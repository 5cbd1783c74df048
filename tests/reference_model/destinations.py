"""To which planes lifted pages go (docs/model.md, 13.14 and 13.32)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from reference_model.drive import Drive

KINDS = ("home", "free", "chip")
CHIPS = ("fewest-erases", "fewest-waiting", "roomiest", "rotating")


class Destinations:
    """Those of the pages that are written back together: pages of the victim of one plane."""

    def __init__(self, drive: Drive, kind: str, home: int, by_space: bool, *, before_erase: bool) -> None:
        self.drive = drive
        self.kind = kind
        self.home = home
        self.by_space = by_space
        self.before_erase = before_erase  # of some batches (13.31)
        self.of_chip: range | None = None  # planes of the chip of the batch, once that is chosen

    def next(self) -> int:
        """Return the plane of the next page."""
        if self.kind == "home":
            return self.home
        planes = self.drive.space.planes
        if self.kind == "free":
            idle = [
                q for q in range(len(planes)) if q != self.home and self._is_idle(q) and self._has_room(q)
            ]
            if not self.drive.running:  # 13.14, in warm-up
                chosen = self.drive.gc_buffer.in_turn.choose((0, q) for q in idle)
                return self.home if chosen is None else chosen
            return self._one_of_planes((self._erases(range(q, q + 1)), q) for q in idle)
        if self.of_chip is None:
            self.of_chip = self._choose_chip()
        roomy = [q for q in self.of_chip if self._has_room(q)]
        return self._one_of_planes((self._rank(q), q) for q in roomy)

    def _one_of_planes(self, ranked: Iterable[tuple[int, int]]) -> int:
        """19.1; without any, the plane of the victim."""
        chosen = self.drive.gc_buffer.plane_ties.choose(ranked)
        return self.home if chosen is None else chosen

    def _rank(self, q: int) -> int:
        """13.32: the plane with the least is taken."""
        plane = self.drive.space.planes[q]
        if not self.by_space:
            return plane.owed
        room = self.drive.space.room(q, more_owed=-plane.owed)
        return plane.owed - (room - plane.reserved + plane.reclaimable)

    def _choose_chip(self) -> range:
        """13.32."""
        ranked, buffer = [], self.drive.gc_buffer
        for number in range(self.drive.geometry.channels * self.drive.geometry.chips):
            planes = self._planes_of_chip(number)
            idle = buffer.chip == "fewest-waiting" or all(self._is_idle(q) for q in planes)
            if idle and any(self._has_room(q) for q in planes):
                ranked.append((self._rank_of_chip(planes), number))
        if not self.drive.running and buffer.chip in ("fewest-erases", "fewest-waiting"):  # 13.32, in warm-up
            chosen = buffer.in_turn.choose((0, number) for _, number in ranked)
        else:
            chosen = buffer.chip_ties.choose(ranked)
        return self._planes_of_chip(self.home // self._per_chip() if chosen is None else chosen)

    def _rank_of_chip(self, planes: range) -> int:
        """13.32: the chip with the least is taken."""
        space, kind = self.drive.space, self.drive.gc_buffer.chip
        if kind == "fewest-erases":
            return self._erases(planes)
        if kind == "fewest-waiting":
            return sum(self.drive.dies.load(e) for e in {self.drive.geometry.die_of_plane(q) for q in planes})
        if kind == "roomiest":
            return -sum(space.gc_room(q) - space.planes[q].owed for q in planes)
        return 0

    def _per_chip(self) -> int:
        return self.drive.geometry.luns * self.drive.geometry.planes_per_lun

    def _planes_of_chip(self, chip: int) -> range:
        return range(chip * self._per_chip(), (chip + 1) * self._per_chip())

    def _is_idle(self, q: int) -> bool:
        return self.drive.dies.of_plane(q).load == 0

    def _has_room(self, q: int) -> bool:
        """13.14, 13.31: for one page more, of the host's room and of the collector's."""
        space = self.drive.space
        plane = space.planes[q]
        if space.room(q, more_owed=1) <= plane.reserved:
            return False
        kept = max(self.drive.trigger.host_stop, plane.jobs) * self.drive.geometry.pages_per_block
        return space.gc_room(q) > plane.owed + (kept if self.before_erase else 0)

    def _erases(self, planes: range) -> int:
        """Of all blocks of some planes."""
        blocks = [self.drive.space.blocks[k] for q in planes for k in self.drive.geometry.blocks_of(q)]
        return sum(block.erases for block in blocks)
