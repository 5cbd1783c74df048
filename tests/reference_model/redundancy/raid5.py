"""Stripe writes and degraded reads, and trims of stripes (docs/model.md, 16.5 to 16.16)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from reference_model.booking import Holds, Times
from reference_model.mapping import StripeSlot
from reference_model.redundancy.accesses import (
    Access,
    DegradedRead,
    Restore,
    StripeProgram,
    StripeRead,
    StripeWrite,
    TrimInPart,
)
from reference_model.redundancy.layout import Layout
from reference_model.redundancy.rebuild import Rebuild
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
        self.outside: list[StripeWrite | TrimInPart] = []  # of the write buffer
        self.holds = Holds()  # of pages of the buffer (15.7b)
        self.for_room: list[StripeWrite | TrimInPart | Restore] = []  # the line for room
        self.programs: list[StripeProgram] = []  # queued or under way
        self.rebuild = Rebuild(self, layout.rebuild_chip) if layout.rebuild_chip is not None else None
        self.reading: list[StripeWrite | TrimInPart] = []  # those that wait for their reads

    # Splitting, the write buffer, the stripe

    def write(self, request: Request, parts: list[PagePart]) -> None:
        """16.5."""
        left = iter(parts)
        for run in self.layout.runs([part.logical for part in parts]):
            write = StripeWrite(request, self.layout.stripe(run[0]), [next(left) for _ in run])
            write.times = self.drive.delays.looked_up()
            self._offer(write)

    def _offer(self, write: StripeWrite | TrimInPart) -> None:
        """16.6."""
        if not self.outside and self._fits(write):
            self._accept(write)
        else:
            write.since, write.holds_before = self.drive.events.now, self.holds
            self.outside.append(write)
            self.drive.counters.buffer.waits += len(write.parts)

    def _fits(self, write: StripeWrite | TrimInPart) -> bool:
        return self.drive.buffer.has_free_slots(len(write.parts) + 1)

    def _accept(self, write: StripeWrite | TrimInPart) -> None:
        """16.6, 14.15."""
        self.drive.buffer.occupy(len(write.parts) + 1)
        write.in_buffer_at, write.gc_in_buffer = self.drive.events.now, write.times.gc
        covered = sum(part.covered for part in write.parts)
        self.drive.counters.written.host_bytes += covered
        self.drive.mapping.streams.current = write.request.stream  # 14.15
        self.drive.mapping.streams.host_bytes(covered)
        self.ask_for_stripe(write)

    def ask_for_stripe(self, access: Access) -> None:
        """16.7."""
        if self.lock.ask(access, self.drive.events.now):
            self._begin(access)
        else:
            self.drive.counters.redundancy.stripe_waits += 1

    # Reading

    def is_rebuilding(self, logical: int) -> bool:
        """18.5: whether a page is on its way to the erased chip."""
        return any(isinstance(p.access, Restore) and p.part.logical == logical for p in self.programs)

    def is_made_up(self, logical: int) -> bool:
        """16.16, 16.17: whether a page in flash is read by way of the others of its stripe."""
        chip = self._chip_with(logical)
        if chip == self.layout.unreadable_chip:
            return True
        if not self.layout.read_around or self.lock.is_held(stripe := self.layout.stripe(logical)):
            return False
        rest = [page for page in self._there(stripe) if page != logical]
        if any(page in self.mapping.lost for page in rest):  # 18.3
            return False
        others = {self._chip_with(page) for page in rest}
        can_be_read = self.layout.unreadable_chip not in others
        return can_be_read and self._collects(chip) and not any(self._collects(each) for each in others)

    def _chip_with(self, logical: int) -> int:
        """Return the chip that a page in flash is on."""
        page = self.mapping.flash_copy(logical)
        assert page is not None
        return self.layout.chip(self.drive.geometry.plane_of_page(page))

    def _cannot_be_read(self, logical: int) -> bool:
        """16.8, 18.3."""
        return logical in self.mapping.lost or self._chip_with(logical) == self.layout.unreadable_chip

    def _collects(self, chip: int) -> bool:
        """16.17: whether a job is under way on a chip."""
        return any(plane.jobs > 0 for plane in self.space.planes if self.layout.chip(plane.number) == chip)

    def read_degraded(self, part: PagePart) -> None:
        """16.16, 16.17."""
        if self._cannot_be_read(part.logical):
            self.drive.counters.redundancy.degraded_reads += 1
        else:
            self.drive.counters.redundancy.read_arounds += 1
        access = DegradedRead(part.request, self.layout.stripe(part.logical), part)
        access.times = replace(part.times)
        self.ask_for_stripe(access)

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
        access.release = self._release(to_read)
        if not to_read:
            self._all_read(access)
        elif isinstance(access, StripeWrite | TrimInPart):
            self.reading.append(access)

    def _release(self, to_read: list[int]) -> int:
        """17.3."""
        if self.drive.deferral is None:
            return 0
        pages = [self.mapping.flash_copy(logical) for logical in to_read]
        planes = [self.drive.geometry.plane_of_page(page) for page in pages if page is not None]
        dies = [self.drive.dies.of_plane(q) for q in planes]
        return max(map(self.drive.deferral.completes_at, dies), default=self.drive.events.now)

    def _reads_of(self, access: Access) -> list[int]:
        """16.8, 16.13, 16.16: return what is read, in ascending order."""
        if isinstance(access, StripeWrite):
            return self._reads_of_write(access)
        if isinstance(access, TrimInPart):
            return self._reads_of_trim(access)
        if isinstance(access, Restore):
            still_lost = access.logical in self.mapping.lost
            return [page for page in self._there(access.stripe) if still_lost and page != access.logical]
        assert isinstance(access, DegradedRead)
        return [page for page in self._there(access.stripe) if page != access.part.logical]

    def _reads_of_trim(self, trim: TrimInPart) -> list[int]:
        """16.13."""
        there, parity = self._there(trim.stripe), self.layout.parity(trim.stripe)
        trim.pages = [page for page in trim.pages if page in there]
        others = [page for page in there if page not in trim.pages and page != parity]
        if not trim.pages or not others:
            return []
        self.drive.counters.redundancy.trim_updates += 1
        trim.writes_parity = True
        return self._without_lost([*trim.pages, parity] if len(trim.pages) + 1 <= len(others) else others)

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
        return self._without_lost(chosen)

    def _without_lost(self, chosen: list[int]) -> list[int]:
        """16.8: return all others of the stripe, if one of them is on `unreadable_chip`."""
        lost = [page for page in chosen if self._cannot_be_read(page)]
        if not lost:
            return chosen
        return [page for page in self._there(self.layout.stripe(lost[0])) if page not in lost]

    def _there(self, stripe: int) -> list[int]:
        """Return the pages of a stripe that are in flash."""
        there = self.mapping
        pages = self.layout.pages(stripe)
        return [page for page in pages if there.flash_copy(page) is not None or page in there.lost]

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
        """16.8, 16.13, 16.16: what was read is added up."""
        if access in self.reading:
            assert isinstance(access, StripeWrite | TrimInPart)
            self.reading.remove(access)
        access.times.queue += self.drive.delays.xor.length
        self.drive.delays.xor.begin(lambda: self._summed(access))

    def _summed(self, access: Access) -> None:
        if isinstance(access, StripeWrite) or (isinstance(access, TrimInPart) and access.writes_parity):
            self._ready(access)
            return
        if isinstance(access, Restore):
            if access.logical in self.mapping.lost:
                self._ready(access)
            else:
                with self.drive.dies.gathering():
                    self._leave_rebuild(access)
            return
        if isinstance(access, TrimInPart):
            self._leave_buffer(access, 1)
            if access.pages:
                self._give_up(access.stripe)
        with self.drive.dies.gathering():  # 16.13, 16.16
            self.drive.requests.release_part(access.request, access.times)
            self._give_way(access)

    # Writing

    def _leave_rebuild(self, restore: Restore) -> None:
        """18.5."""
        assert self.rebuild is not None
        self.rebuild.under_way.remove(restore)
        self._give_way(restore)

    def _ready(self, write: StripeWrite | TrimInPart | Restore) -> None:
        """16.9."""
        if not self.for_room and self._homes_may_hold(write):
            self._write(write)
        else:
            write.since = self.drive.events.now
            self.for_room.append(write)
            self.drive.counters.redundancy.room_waits += 1

    def programmed(self, write: StripeWrite | TrimInPart | Restore) -> list[int]:
        """Return what a stripe write programs, in the order of 16.11; a trim in part the parity (16.13)."""
        if isinstance(write, Restore):
            return [write.logical]
        pages = write.pages if isinstance(write, StripeWrite) else []
        return [*pages, self.layout.parity(write.stripe)]

    def _homes_may_hold(self, write: StripeWrite | TrimInPart | Restore) -> bool:
        return all(self.may_hold(self.layout.home(page)) for page in self.programmed(write))

    def may_hold(self, q: int) -> bool:
        """16.10."""
        geometry, space = self.drive.geometry, self.space
        valid = sum(space.blocks[k].valid for k in geometry.blocks_of(q))
        under_way = sum(1 for program in self.programs if program.plane == q and program.page is not None)
        return valid + space.planes[q].reserved + under_way + 1 <= self.most_pages()

    def most_pages(self) -> int:
        """16.10: that a plane may hold."""
        geometry = self.drive.geometry
        return (geometry.blocks_per_plane - self.space.needed_blocks()) * geometry.pages_per_block

    def _write(self, write: StripeWrite | TrimInPart | Restore) -> None:
        """16.11."""
        page_size, separation = self.drive.geometry.page_size, self.drive.separation
        for logical in self.programmed(write):
            if isinstance(write, StripeWrite) and logical in write.pages:
                self.drive.mapping.streams.write(write.request)
                self.drive.mapping.streams.written(logical)
                if separation is not None:
                    separation.written(logical)
            slot = StripeSlot(logical, old_copy=self.mapping.flash_copy(logical))
            self.mapping.where[logical] = slot
            self.mapping.lost.discard(logical)
            write.slots.append(slot)
            write.programs_left += 1
            self.drive.versions.accepted(slot)
        if not isinstance(write, Restore):
            self._name(write)
        for slot in write.slots:
            logical = slot.logical
            part = PagePart(write.request, logical, page_size, partial=False, times=replace(write.times))
            q = self.layout.home(logical)
            self.drive.pace.sent(q)
            self.space.planes[q].reserved += 1
            program = StripeProgram(q, part, slot, None, write)
            self.programs.append(program)
            if self.drive.deferral is None or isinstance(write, Restore):
                self.drive.dies.queue(program)
            else:
                self.drive.deferral.sent_home(program)

    def _name(self, write: StripeWrite | TrimInPart) -> None:
        """8.9a: the parity says what it is the sum of."""
        versions = self.drive.versions
        named = []
        for logical in self.layout.data(write.stripe):
            slots = [slot for slot in write.slots if slot.logical == logical]
            page = self.mapping.flash_copy(logical)
            if slots:
                named.append(versions.in_slot[slots[0]])
            elif page is None or (isinstance(write, TrimInPart) and logical in write.pages):
                named.append(0)
            else:
                named.append(versions.in_flash[page][1])
        parity = write.slots[-1]
        versions.named[parity.logical, versions.in_slot[parity]] = named

    def name_parity_now(self, stripe: int) -> None:
        """8.9a: the warm-up has written the parity."""
        versions, parity = self.drive.versions, self.layout.parity(stripe)
        pages = [self.mapping.flash_copy(logical) for logical in self.layout.data(stripe)]
        named = [0 if page is None else versions.in_flash[page][1] for page in pages]
        versions.named[parity, versions.newest[parity]] = named

    def _program_ended(self, program: StripeProgram) -> None:
        """16.12."""
        write = program.access
        assert program.page is not None
        self.programs.remove(program)
        self.space.make_valid(program.page)
        self.space.settle(program.page)
        program.slot.new_copy = program.page
        self.drive.versions.landed(program.slot, program.page)
        write.programs_left -= 1
        if write.programs_left == 0:
            with self.drive.dies.gathering():
                self._commit(write, program.times)

    def _leave_buffer(self, write: StripeWrite | TrimInPart, pages: int) -> None:
        """16.12, 16.13, 15.7b."""
        self.drive.buffer.used -= pages
        held, gc = self.drive.events.now - write.in_buffer_at, write.times.gc - write.gc_in_buffer
        self.holds = self.holds.and_one(held, gc, pages)

    def _commit(self, write: StripeWrite | TrimInPart | Restore, times: Times) -> None:
        """16.12."""
        write.times = times  # 16.14: those of the program that ended last
        for slot in write.slots:
            self.mapping.commit_stripe_slot(slot)
            self.drive.versions.committed(slot)
        if isinstance(write, Restore):
            self.drive.counters.redundancy.rebuilt_pages += 1
            self._leave_rebuild(write)
            return
        if isinstance(write, TrimInPart):
            for page in write.pages:
                self.mapping.trim(page)
        self._leave_buffer(write, len(write.slots))
        for _ in range(max(len(write.parts), 1)):  # a trim in part is one part
            self.drive.requests.release_part(write.request, times)
        self._give_way(write)

    def _give_way(self, holder: Access) -> None:
        """16.12, steps 3 to 5."""
        drive, now = self.drive, self.drive.events.now
        following = self.lock.leave(holder, now)
        if following is not None:
            self._begin(following)
        while self.for_room and self._homes_may_hold(self.for_room[0]):
            write = self.for_room.pop(0)
            write.times.gc += now - write.since
            self._write(write)
        while self.outside and self._fits(self.outside[0]):
            write = self.outside.pop(0)
            self.holds.book_wait(write.times, now - write.since, write.holds_before)
            drive.counters.buffer.wait_ns += len(write.parts) * drive.measuring.part(now - write.since)
            self._accept(write)

    # Trims

    def trim(self, request: Request, logicals: Iterable[int]) -> None:
        """16.13."""
        somewhere = sorted({page for page in logicals if self._is_somewhere(page)})
        with self.drive.dies.gathering():
            for stripe in sorted({self.layout.stripe(page) for page in somewhere}):
                pages = [page for page in somewhere if self.layout.stripe(page) == stripe]
                rest = [p for p in self.layout.data(stripe) if self._is_somewhere(p) and p not in pages]
                if not rest and not self.outside and not self.lock.is_held(stripe):
                    self._give_up(stripe)
                    continue
                trim = TrimInPart(request, stripe, pages)
                trim.times = self.drive.delays.looked_up()
                request.parts += 1
                self._offer(trim)

    def _is_somewhere(self, logical: int) -> bool:
        """18.3."""
        return logical in self.mapping.where or logical in self.mapping.lost

    def _give_up(self, stripe: int) -> None:
        """16.13."""
        for logical in self.layout.data(stripe):
            self.mapping.trim(logical)
        self.mapping.trim(self.layout.parity(stripe), counts=False)
