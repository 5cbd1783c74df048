"""The write buffer and the placing of writes (docs/model.md, 9.8 to 9.11, 9.19, 9.20)."""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING

from reference_model.booking import Holds
from reference_model.mapping import Slot, TranslationSlot
from reference_model.operations import HostWrite
from reference_model.request import PagePart
from reference_model.units import size_in_bytes

if TYPE_CHECKING:
    from reference_model.drive import Drive


class Buffer:
    """Pages of writes, outside the buffer, in it, and parked."""

    def __init__(self, drive: Drive) -> None:
        self.drive = drive
        room = drive.config.controller.take("write_buffer", "16MiB")
        self.capacity = None if room == "unlimited" else size_in_bytes(room) // drive.geometry.page_size
        kinds = ("programmed", "staged")
        self.staged = drive.config.controller.choice("acknowledge", kinds, "programmed") == "staged"
        if self.capacity == 0:
            raise ValueError("controller.write_buffer holds no page")
        self.merges = drive.config.controller.switch("merge_overwrites", False)
        if self.merges and not self.staged:
            raise ValueError("controller.merge_overwrites needs controller.acknowledge = staged")
        self.replaceable: set[Slot] = set()  # 9.8a
        self.used = 0
        self.outside: list[PagePart] = []
        self.holds = Holds()  # of slots (15.7b)
        self.parked: list[PagePart] = []

    def has_free_slots(self, count: int) -> bool:
        """9.8, 16.6."""
        return self.capacity is None or self.used + count <= self.capacity

    def occupy(self, count: int) -> None:
        """9.8, 14.3, 16.6."""
        counters = self.drive.counters.buffer
        self.used += count
        counters.max_pages = max(counters.max_pages, self.used)

    def offer(self, part: PagePart) -> None:
        """9.8."""
        if not self.outside and self.has_free_slots(1):
            self._accept(part)
        else:
            part.since = self.drive.events.now
            part.holds_before = self.holds
            self.outside.append(part)
            self.drive.counters.buffer.waits += 1

    def _accept(self, part: PagePart) -> None:
        """9.9, 13.34, 14.15."""
        self.drive.counters.written.host_bytes += part.covered
        self.drive.mapping.streams.write(part.request)
        self.drive.mapping.streams.host_bytes(part.covered)
        if self.drive.gc_buffer.absorb(part) or self._merge(part):
            return
        self.occupy(1)
        part.accepted_at, part.gc_when_accepted = self.drive.events.now, part.times.gc
        part.slot = self.drive.mapping.accept_write(part.logical, partial=part.partial)
        if self.merges and not part.partial:
            self.replaceable.add(part.slot)
        part.since = self.drive.events.now
        needs_rest, passes = part.slot.backing is not None, bool(self.drive.passages.length)
        part.awaits = int(needs_rest) + int(passes)
        if passes:
            self.drive.passages.pass_write(part)
        if needs_rest:
            self.drive.counters.flash.rmw_reads += 1
            self.drive.requests.route(part, rest=True)
        elif not passes:
            self.place(part)

    def _merge(self, part: PagePart) -> bool:
        """9.8a: return whether the page has become that of an older write."""
        slot = self.drive.mapping.where.get(part.logical)
        if not isinstance(slot, Slot) or slot not in self.replaceable:
            return False
        self.drive.mapping.note_write(part.logical)
        self.drive.versions.accepted(slot)
        self.drive.requests.release_part(part.request, part.times)
        return True

    def program_has_page(self, slot: Slot) -> None:
        """9.8a: it is too late to replace what a slot holds."""
        self.replaceable.discard(slot)

    def rest_is_read(self, part: PagePart) -> None:
        """9.9."""
        assert part.slot is not None
        self.drive.mapping.drop_backing(part.slot)
        part.since = self.drive.events.now
        part.awaits -= 1
        if not part.awaits:
            self.place(part)

    def has_passed(self, part: PagePart) -> None:
        """9.21, 15.7a."""
        part.awaits -= 1
        if not part.awaits:
            part.times.transfer += self.drive.events.now - part.since
            self.place(part)

    def place(self, part: PagePart) -> None:
        """9.10."""
        if not self.parked:
            q = self.drive.allocation.choose(part.logical)
            if q is not None:
                self._acknowledge(part)
                self._send(part, q)
                return
        part.since = self.drive.events.now
        self.parked.append(part)
        self.drive.counters.gc.stalled_writes += 1
        self.drive.jobs.stall_began = True

    def _send(self, part: PagePart, q: int) -> None:
        """9.11."""
        assert part.slot is not None
        space = self.drive.space
        self.drive.pace.sent(q)
        page, stream = None, None
        if space.pages_on_arrival and space.planes[q].reserved == 0:
            page = space.take_host_page(q, part.logical)
        if page is None:
            if self.drive.superblocks is not None:
                stream = self.drive.superblocks.promise(q, part.logical)
            space.planes[q].reserved += 1
        else:
            self.drive.pace.taken(q)
            self.program_has_page(part.slot)
            space.open_ahead_for_host(q)
        self.drive.dies.queue(HostWrite(q, part, part.slot, page, stream=stream))

    def unpark(self) -> None:
        """9.20."""
        now = self.drive.events.now
        while self.parked:
            q = self.drive.allocation.choose(self.parked[0].logical)
            if q is None:
                return
            part = self.parked.pop(0)
            self.drive.counters.gc.host_write_stall_ns += self.drive.measuring.part(now - part.since)
            part.times.gc += now - part.since
            self._acknowledge(part)
            self._send(part, q)

    def _acknowledge(self, part: PagePart) -> None:
        """9.10."""
        if self.staged and not isinstance(part.slot, TranslationSlot):
            self.drive.requests.release_part(part.request, copy(part.times))

    def program_ended(self, program: HostWrite) -> None:
        """9.19."""
        drive, now = self.drive, self.drive.events.now
        assert program.page is not None
        if isinstance(program.slot, TranslationSlot):  # 4.52
            drive.mapping.commit_host(program.slot, program.page)
            return
        self.used -= 1
        held, gc = now - program.part.accepted_at, program.times.gc - program.part.gc_when_accepted
        self.holds = self.holds.and_one(held, gc)
        drive.mapping.commit_host(program.slot, program.page)
        if not self.staged:
            drive.requests.release_part(program.part.request, program.times)
        while self.outside and self.has_free_slots(1):
            part = self.outside.pop(0)
            drive.counters.buffer.wait_ns += drive.measuring.part(now - part.since)
            self.holds.book_wait(part.times, now - part.since, part.holds_before)
            if drive.space.pages_on_arrival:
                drive.dies.begin_gathering()
            if drive.blocked.concerns(part):
                drive.blocked.add(part)
            else:
                self._accept(part)
            if drive.space.pages_on_arrival:
                drive.dies.end_gathering()
