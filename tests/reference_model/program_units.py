"""Program units: how many pages one array program covers (docs/model.md, 2.7, 4.27, 4.28, 11.21)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from reference_model.dies import Die
from reference_model.events import Kind
from reference_model.operations import Class

if TYPE_CHECKING:
    from reference_model.drive import Drive
    from reference_model.job import Job
    from reference_model.space import Plane

Skipped = Literal["padded_pages", "wasted_pages"]
"""The counter of pages that are skipped (14.1)."""


class ProgramUnits:
    """Pages that are programmed together, and host writes that wait until there are enough of them."""

    def __init__(self, drive: Drive) -> None:
        self.drive = drive
        self.size = drive.timing.durations.program_unit
        self.given = drive.config.flash.time("flush_after", "1ms")
        self.clock = drive.config.flash.choice("flush_clock", ("trace", "drive"), "trace")

    @property
    def flush_after(self) -> int:
        """11.21a."""
        scales = self.clock == "trace" and not self.drive.closed_loop
        return self.drive.scaled(self.given) if scales else self.given

    def parity(self, number: int) -> int:
        """2.7: of the page of that number in its block."""
        return number // self.size % 2

    def parity_of(self, page: int) -> int:
        """2.7."""
        return self.parity(self.drive.geometry.page_in_block(page))

    def next_gc_page(self, q: int) -> int:
        """13.8: the number of the next page of the plane's GC open block, 0 if there is none."""
        block = self.drive.space.planes[q].gc_block
        return 0 if block is None else self.drive.space.blocks[block].taken

    def skip_rest(self, k: int, counter: Skipped) -> None:
        """Skip what is left of the unit of a block's next page (4.27, 14.15)."""
        block, flash = self.drive.space.blocks[k], self.drive.counters.flash
        left = self.size - block.taken % self.size
        if left < self.size:
            self.drive.counters.written.filler_pages += left
        else:
            self.drive.counters.written.empty_pages += left
        self.drive.space.skip(block, left)
        setattr(flash, counter, getattr(flash, counter) + left)

    def finish(self, page: int, counter: Skipped) -> None:
        """4.28: the unit of the page taken last."""
        if (page + 1) % self.size:
            self.skip_rest(self.drive.geometry.block_of_page(page), counter)

    def make_way(self, job: Job, source: int, counter: Skipped) -> int | None:
        """11.13, 11.20: skip up to a unit of the source's parity; return the open unit that is closed so."""
        space = self.drive.space
        block, closed = space.open_gc_block(job.plane, job.cause), None
        while self.parity(block.taken) != self.parity_of(source):
            if block.taken % self.size:
                closed = self.drive.geometry.pages_of(block.number)[block.taken]
            self.skip_rest(block.number, counter)
            block = space.open_gc_block(job.plane, job.cause)
        return closed

    def finish_host_blocks(self) -> None:
        """7.4: warm-up takes host pages one by one; a timed unit begins where a unit begins."""
        for plane in self.drive.space.planes:
            self.finish_host_block(plane)

    def finish_host_block(self, plane: Plane) -> None:
        """4.28: the unit that the plane's host open block is in, if one has begun."""
        k = plane.host_block
        if k is not None and self.drive.space.blocks[k].taken % self.size:
            self.skip_rest(k, "padded_pages")

    # Host writes that wait for others

    def ready(self, die: Die, q: int) -> bool:
        """11.21."""
        waiting = die.queues[q][Class.HOST_WRITE]
        if self.size == 1 or len(waiting) >= self.size:
            return True
        return bool(waiting) and waiting[0].queued_at + self.flush_after <= self.drive.events.now

    def first_changed(self, die: Die, q: int) -> None:
        """11.21: another operation is the first of a plane's HostWrite list, or there is none any more."""
        if self.size == 1:
            return
        events, waiting = self.drive.events, die.queues[q][Class.HOST_WRITE]
        if waiting:
            due = max(events.now, waiting[0].queued_at + self.flush_after)
            events.schedule(due, Kind.TIMER, q)
        else:
            events.cancel(Kind.TIMER, q)
