"""Stripe writes and degraded reads, and trims of stripes (docs/model.md, 16.5 to 16.16)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from reference_model.booking import Times
from reference_model.mapping import StripeSlot
from reference_model.redundancy.accesses import Access, DegradedRead, StripeProgram, StripeRead, StripeWrite
from reference_model.redundancy.layout import Layout
from reference_model.redundancy.stripe_lock import StripeLock
from reference_model.request import PagePart, Request

if TYPE_CHECKING:
    from reference_model.drive import Drive


class Raid5:
    """`raid5`."""

    def __init__(self, drive: Drive, layout: Layout) -> None:
        self.drive = drive
        self.layout = layout
        self.mapping = drive.mapping
        self.space = drive.space
        self.lock = StripeLock()
        self.outside: list[StripeWrite] = []  # of the write buffer
        self.for_room: list[StripeWrite] = []  # the line for room
        self.programs: list[StripeProgram] = []  # queued or under way

    # Splitting, the write buffer, the stripe

    def write(self, request: Request, parts: list[PagePart]) -> None:
        """16.5."""
        left = iter(parts)
        for run in self.layout.runs([part.logical for part in parts]):
            self._offer(StripeWrite(request, self.layout.stripe(run[0]), [next(left) for _ in run]))

    def _offer(self, write: StripeWrite) -> None:
        """16.6."""
        if not self.outside and self._fits(write):
            self._accept(write)
        else:
            write.since = self.drive.events.now
            self.outside.append(write)
            self.drive.counters.buffer.waits += len(write.parts)

    def _fits(self, write: StripeWrite) -> bool:
        return self.drive.buffer.has_free_slots(len(write.parts) + 1)

    def _accept(self, write: StripeWrite) -> None:
        """16.6."""
        self.drive.buffer.occupy(len(write.parts) + 1)
        self._ask_for_stripe(write)

    def _ask_for_stripe(self, access: Access) -> None:
        """16.7."""
        if self.lock.ask(access):
            self._begin(access)
        else:
            access.since = self.drive.events.now
            self.drive.counters.redundancy.stripe_waits += 1

    # Reading

    def read_degraded(self, part: PagePart) -> None:
        """16.16."""
        self.drive.counters.redundancy.degraded_reads += 1
        self._ask_for_stripe(DegradedRead(part.request, self.layout.stripe(part.logical), part))

    def _begin(self, access: Access) -> None:
        """16.8."""
        assert not any(self.mapping.is_buffered(page) for page in self.layout.pages(access.stripe))
        to_read = self._reads_of(access)
        access.reads_left = len(to_read)
        for logical in to_read:
            self.drive.counters.redundancy.stripe_reads += 1
            page_size = self.drive.geometry.page_size
            part = PagePart(access.request, logical, page_size, partial=False, times=replace(access.times))
            self._queue_read(access, part)
        if not to_read:
            self._all_read(access)

    def _reads_of(self, access: Access) -> list[int]:
        """16.8, 16.16: return what is read, in ascending order."""
        if isinstance(access, StripeWrite):
            return self._reads_of_write(access)
        return self._readable(access.stripe)

    def _reads_of_write(self, write: StripeWrite) -> list[int]:
        """16.8."""
        layout, counters = self.layout, self.drive.counters.redundancy
        written, there = set(write.pages), self._there(write.stripe)
        partial = {part.logical for part in write.parts if part.partial}
        if len(written) == layout.data_pages and not partial:
            counters.full_stripe_writes += 1
            return []
        parity = layout.parity(write.stripe)
        update = [page for page in there if page in written or page == parity]
        rebuild = [page for page in there if (page not in written and page != parity) or page in partial]
        if len(update) <= len(rebuild):
            counters.update_writes += 1
            chosen = update
        else:
            counters.rebuild_writes += 1
            chosen = rebuild
        if any(layout.is_unreadable(page) for page in chosen):
            return self._readable(write.stripe)
        return chosen

    def _there(self, stripe: int) -> list[int]:
        """Return the pages of a stripe that are in flash."""
        return [page for page in self.layout.pages(stripe) if self.mapping.flash_copy(page) is not None]

    def _readable(self, stripe: int) -> list[int]:
        """Return those of them that are not on `unreadable_chip`."""
        return [page for page in self._there(stripe) if not self.layout.is_unreadable(page)]

    def _queue_read(self, access: Access, part: PagePart) -> None:
        page = self.mapping.flash_copy(part.logical)
        assert page is not None
        plane = self.drive.geometry.plane_of_page(page)
        self.drive.dies.queue(StripeRead(plane, page, part, rest=False, access=access))

    def drop_read(self, read: StripeRead) -> None:
        """11.8: collection has moved the page meanwhile."""
        self._queue_read(read.access, read.part)

    def finished(self, operation: StripeRead | StripeProgram) -> None:
        """11.17."""
        if isinstance(operation, StripeRead):
            self._read_finished(operation)
        else:
            self._program_ended(operation)

    def _read_finished(self, read: StripeRead) -> None:
        """16.8."""
        access = read.access
        access.reads_left -= 1
        if access.reads_left == 0:
            access.times = read.times
            self._all_read(access)

    def _all_read(self, access: Access) -> None:
        if isinstance(access, StripeWrite):
            self._ready(access)
        else:
            with self.drive.dies.gathering():  # 16.16
                self.drive.requests.release_part(access.request, access.times)
                self._give_way(access)

    # Writing

    def _ready(self, write: StripeWrite) -> None:
        """16.9."""
        if not self.for_room and self._homes_may_hold(write):
            self._write(write)
        else:
            write.since = self.drive.events.now
            self.for_room.append(write)
            self.drive.counters.redundancy.room_waits += 1

    def _programmed(self, write: StripeWrite) -> list[int]:
        """Return what a stripe write programs, in the order of 16.11."""
        return [*write.pages, self.layout.parity(write.stripe)]

    def _homes_may_hold(self, write: StripeWrite) -> bool:
        return all(self._may_hold(self.layout.home(page)) for page in self._programmed(write))

    def _may_hold(self, q: int) -> bool:
        """16.10."""
        geometry, space = self.drive.geometry, self.space
        valid = sum(space.blocks[k].valid for k in geometry.blocks_of(q))
        under_way = sum(1 for program in self.programs if program.plane == q and program.page is not None)
        most = (geometry.blocks_per_plane - space.needed_blocks()) * geometry.pages_per_block
        return valid + space.planes[q].reserved + under_way + 1 <= most

    def _write(self, write: StripeWrite) -> None:
        """16.11."""
        page_size = self.drive.geometry.page_size
        for logical in self._programmed(write):
            slot = StripeSlot(logical, old_copy=self.mapping.flash_copy(logical))
            self.mapping.where[logical] = slot
            write.slots.append(slot)
            write.programs_left += 1
            part = PagePart(write.request, logical, page_size, partial=False, times=replace(write.times))
            q = self.layout.home(logical)
            self.space.planes[q].reserved += 1
            program = StripeProgram(q, part, slot, None, write)
            self.programs.append(program)
            self.drive.dies.queue(program)

    def _program_ended(self, program: StripeProgram) -> None:
        """16.12."""
        write = program.access
        assert program.page is not None
        self.programs.remove(program)
        self.space.make_valid(program.page)
        self.space.settle(program.page)
        program.slot.new_copy = program.page
        write.programs_left -= 1
        if write.programs_left == 0:
            with self.drive.dies.gathering():
                self._commit(write, program.times)

    def _commit(self, write: StripeWrite, times: Times) -> None:
        """16.12."""
        for slot in write.slots:
            self.mapping.commit_stripe_slot(slot)
        self.drive.buffer.used -= len(write.slots)
        for part in write.parts:
            self.drive.requests.release_part(part.request, times)
        self._give_way(write)

    def _give_way(self, holder: Access) -> None:
        """16.12, steps 3 to 5."""
        drive, now = self.drive, self.drive.events.now
        following = self.lock.leave(holder)
        if following is not None:
            following.times.queue += now - following.since
            self._begin(following)
        while self.for_room and self._homes_may_hold(self.for_room[0]):
            write = self.for_room.pop(0)
            write.times.gc += now - write.since
            self._write(write)
        while self.outside and self._fits(self.outside[0]):
            write = self.outside.pop(0)
            write.times.queue += now - write.since
            drive.counters.buffer.wait_ns += len(write.parts) * drive.measuring.part(now - write.since)
            self._accept(write)

    # Trims

    def trim(self, logicals: Iterable[int]) -> None:
        """16.13."""
        trimmed = set(logicals)
        for stripe in range(self.layout.stripes):
            data = self.layout.data(stripe)
            if trimmed.issuperset(data) and not self.lock.is_held(stripe):
                for logical in data:
                    self.mapping.trim(logical)
                self.mapping.trim(self.layout.parity(stripe), counts=False)
