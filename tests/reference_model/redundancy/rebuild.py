"""A chip that was lost before the run and is rebuilt on an erased one (docs/model.md, section 18)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reference_model.redundancy.accesses import Restore
from reference_model.request import Request

if TYPE_CHECKING:
    from reference_model.redundancy.raid5 import Raid5


class Rebuild:
    """What is left of it."""

    def __init__(self, raid: Raid5, chip: int) -> None:
        self.raid = raid
        self.drive = raid.drive
        self.chip = chip
        self.left: list[int] = []
        self.under_way: list[Restore] = []
        self.is_over = False

    def lose(self) -> None:
        """18.2."""
        drive, layout = self.drive, self.raid.layout
        for q in range(drive.geometry.planes):
            if layout.chip(q) == self.chip:
                for number in drive.geometry.blocks_of(q):
                    self.left += drive.space.lose(drive.space.blocks[number])
        self.left.sort(key=layout.stripe)
        drive.mapping.lost.update(self.left)
        for logical in self.left:
            del drive.mapping.where[logical]
        drive.collection.signals.clear()

    def go_on(self) -> None:
        """18.4, 18.6: after every event."""
        if self.is_over:
            return
        layout, lost = self.raid.layout, self.drive.mapping.lost
        while len(self.under_way) < layout.rebuild_stripes:
            self.left = [logical for logical in self.left if logical in lost]
            if not self.left or (layout.host_first and not self._is_idle(self.left[0])):
                break
            logical = self.left.pop(0)
            restore = Restore(Request.of_nobody(), layout.stripe(logical), logical)
            self.under_way.append(restore)
            self.raid.ask_for_stripe(restore)
        self.left = [logical for logical in self.left if logical in lost]
        if not self.left and not self.under_way:
            self.is_over = True
            self.drive.counters.redundancy.rebuild_ns = self.drive.events.now

    def _is_idle(self, lost: int) -> bool:
        """Whether no die that takes part has anything to do."""
        layout, geometry = self.raid.layout, self.drive.geometry
        pages = [self.drive.mapping.where.get(logical) for logical in layout.pages(layout.stripe(lost))]
        planes = [geometry.plane_of_page(page) for page in pages if isinstance(page, int)]
        return all(self.drive.dies.of_plane(q).load == 0 for q in [*planes, layout.home(lost)])

    def answered(self, request: Request) -> None:
        """18.6: a row is made of a request."""
        if self.is_over:
            return
        counters, took = self.drive.counters.redundancy, self.drive.events.now - request.arrival
        if request.op == "read":
            counters.rebuilding_reads += 1
            counters.rebuilding_read_ns += took
        elif request.op == "write":
            counters.rebuilding_writes += 1
            counters.rebuilding_write_ns += took
