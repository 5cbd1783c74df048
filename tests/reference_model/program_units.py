"""Program units: how many pages one array program covers (docs/model.md, 2.7, 4.27, 4.28, 11.21)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from reference_model.dies import Die
from reference_model.events import Kind
from reference_model.operations import Class, HostWrite, Operation

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

    def size_of(self, k: int) -> int:
        """2.9: the pages of a unit of a block."""
        cache = self.drive.slc_cache
        return self.drive.geometry.parts if cache is not None and cache.has(k) else self.size

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
        block, flash, size = self.drive.space.blocks[k], self.drive.counters.flash, self.size_of(k)
        left = size - block.taken % size
        plane = self.drive.space.planes[block.plane]
        folds = self.drive.slc_cache is not None and self.drive.superblocks is None
        if folds and plane.gc_block == k and plane.owed > 0:  # 4.41
            plane.owed -= left
        if left < size:
            self.drive.counters.written.filler_pages += left
        else:
            self.drive.counters.written.empty_pages += left
        self.drive.space.skip(block, left)
        setattr(flash, counter, getattr(flash, counter) + left)

    def finish(self, page: int, counter: Skipped) -> None:
        """4.28: the unit of the page taken last."""
        k = self.drive.geometry.block_of_page(page)
        if (self.drive.geometry.page_in_block(page) + 1) % self.size_of(k):
            self.skip_rest(k, counter)

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
            for k in self._host_blocks(plane):
                self.finish_host_block(k)
        if self.drive.parity is not None:
            self.drive.parity.program_now()

    def _host_blocks(self, plane: Plane) -> list[int | None]:
        """7.4: the cache open block before the others."""
        cache, separation = self.drive.slc_cache, self.drive.separation
        blocks = [] if cache is None else [cache.planes[plane.number].open_block]
        if self.drive.superblocks is not None:
            return [*blocks, *self.drive.superblocks.host_blocks(plane.number)]
        if separation is None:
            return [*blocks, plane.host_block]
        return [*blocks, *separation.host.of_plane(plane.number)]

    def finish_host_block(self, k: int | None) -> None:
        """4.28: the unit that a host open block is in, if one has begun."""
        if k is not None and self.drive.space.blocks[k].taken % self.size_of(k):
            self.skip_rest(k, "padded_pages")

    # Host writes that wait for others

    def ready(self, die: Die, q: int) -> bool:
        """11.21."""
        return bool(self.unit(die, q))

    def unit(self, die: Die, q: int) -> list[Operation]:
        """11.20, 11.21: the operations of the unit that is ready; none if none is."""
        waiting = die.queues[q][Class.HOST_WRITE]
        due = bool(waiting) and waiting[0].queued_at + self.flush_after <= self.drive.events.now
        of_class: dict[int, list[Operation]] = {}
        for operation in waiting:
            assert isinstance(operation, HostWrite)
            of_class.setdefault(self._class_in_unit(operation, q), []).append(operation)
        if due:
            return next(iter(of_class.values()))[: self._pages_of_unit(waiting[0], q)]
        units = [unit[: self._pages_of_unit(unit[0], q)] for unit in of_class.values()]
        whole = [unit for unit in units if len(unit) == self._pages_of_unit(unit[0], q)]
        # The one that is complete first, on the way through the list.
        return min(whole, key=lambda unit: unit[-1].number, default=[])

    def is_cached(self, operation: Operation, q: int) -> bool:
        """4.39, 4.48b: whether the cache takes a write."""
        cache, superblocks = self.drive.slc_cache, self.drive.superblocks
        if superblocks is not None:
            return isinstance(operation, HostWrite) and operation.stream == superblocks.cached
        return cache is not None and cache.left(q) > 0

    def _pages_of_unit(self, first: Operation, q: int) -> int:
        """11.20: what a unit of the host has at most."""
        return self.drive.geometry.parts if self.is_cached(first, q) else self.size

    def _class_in_unit(self, operation: HostWrite, q: int) -> int:
        """11.20, 4.45: by what writes are one unit."""
        separation = self.drive.separation
        if operation.stream is not None:
            return operation.stream
        if separation is None or self._pages_of_unit(operation, q) == 1 or self.is_cached(operation, q):
            return 0
        return separation.class_of_page(operation.part.logical)

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
