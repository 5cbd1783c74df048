"""The GC buffer: pages lifted out of victims, to be written back (docs/model.md, 13.10 on and 13.30 on)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reference_model.destinations import Destinations
from reference_model.mapping import LiftedSlot, Slot
from reference_model.operations import WriteBack
from reference_model.ties import Ties

if TYPE_CHECKING:
    from reference_model.drive import Drive
    from reference_model.job import Job
    from reference_model.request import PagePart
    from reference_model.space import Block


class GcBuffer:
    """The places of the buffer, and the pages in it; without a capacity nothing is ever in it."""

    def __init__(self, drive: Drive) -> None:
        self.drive = drive
        self.capacity: int | None = None  # pages; `buffered` sets it, and the next seven
        self.destination = "home"
        self.chip = "fewest-erases"
        self.by_space = False
        self.batches = 1
        self.absorbs = False
        self.plane_ties = Ties("lowest", 0, "destination")
        self.chip_ties = Ties("lowest", 0, "destination chip")
        self.in_turn = Ties("rotating", 0, "")  # of warm-up (13.14, 13.32)
        self.occupied = 0
        self.fallen = False  # occupied has, since the room was used (13.16)

    def pages_of_batch(self, valid: int) -> int:
        """13.30: of a victim with so many valid pages."""
        return -(-valid // self.batches)

    def admit(self, victim: Block) -> bool:
        """13.11: return whether the pages of a victim's batch find room, which they occupy then."""
        if self.capacity is None:
            return True
        pages = self.pages_of_batch(victim.valid)
        if self.occupied + pages > self.capacity:
            return False
        self.occupied += pages
        return True

    def _give_back(self, pages: int) -> None:
        """13.16: so many pages are not occupied any more."""
        if pages == 0:
            return
        self.occupied -= pages
        assert self.occupied >= 0
        self.fallen = True

    def _leaves(self, job: Job) -> None:
        """A page of a job is in the buffer no more; the place may be for the next batch (13.31)."""
        if self.batches == 1 or job.erasing:
            self._give_back(1)

    # Lifting

    def lift(self, job: Job, page: int) -> None:
        """13.12: a page of the victim has been read."""
        slot = self.drive.mapping.lift(page)
        if slot is None:
            self._leaves(job)
        else:
            job.lifted.append(slot)

    def read_dropped(self, job: Job) -> None:
        """13.12: a page of the victim was overwritten or trimmed before it was lifted."""
        self._leaves(job)

    def all_lifted(self, job: Job) -> None:
        """13.12, 13.31: the job begins to erase; give back the places that none of its pages is in."""
        if self.capacity is None:
            return
        if self.batches == 1:
            self._give_back(job.valid_pages - job.pages_given)
        else:
            self._give_back(self.pages_of_batch(job.valid_pages) - len(job.lifted))

    # Writing back

    def write_back(self, job: Job) -> bool:
        """13.13, 13.31: return whether anything is to be programmed."""
        drive = self.drive
        if not drive.running:
            self._write_back_now(job)
            return False
        slots, job.lifted = job.lifted, []
        destinations = self._destinations(job)
        drive.dies.begin_gathering()
        for slot in slots:
            if not drive.mapping.is_in(slot):
                self._cancel(job)
                continue
            q = destinations.next()
            drive.space.planes[q].owed += 1
            job.writing_back += 1
            drive.dies.queue(WriteBack(q, slot, job))
        anything = job.writing_back > 0
        drive.dies.end_gathering()
        return anything

    def _write_back_now(self, job: Job) -> None:
        """13.18."""
        destinations = self._destinations(job)
        for slot in job.lifted:
            page = self.drive.space.take_gc_page(destinations.next(), slot.logical, job.cause)
            self.drive.mapping.commit_host(slot, page)
            self._leaves(job)
        job.lifted = []

    def _destinations(self, job: Job) -> Destinations:
        before_erase = self.batches > 1
        return Destinations(self.drive, self.destination, job.plane, self.by_space, before_erase=before_erase)

    def take_page(self, program: WriteBack) -> int:
        """13.15."""
        program.slot.has_page = True
        self.drive.space.planes[program.plane].owed -= 1
        return self.drive.space.take_gc_page(program.plane, program.slot.logical, program.job.cause)

    def is_stale(self, program: WriteBack) -> bool:
        """13.15."""
        return program.page is None and not self.drive.mapping.is_in(program.slot)

    def drop(self, program: WriteBack) -> None:
        """13.15: a stale program has left its list."""
        self.drive.space.planes[program.plane].owed -= 1
        self._cancel(program.job)
        self._written_back(program.job)

    def _cancel(self, job: Job) -> None:
        self.drive.counters.gc_buffer.cancelled += 1
        self._leaves(job)

    def program_ended(self, program: WriteBack) -> None:
        """13.15."""
        assert program.page is not None
        self.drive.mapping.commit_host(program.slot, program.page)
        self._leaves(program.job)
        if program.job.row is not None:
            # 13.17: of its programs the last to end.
            program.job.row.written_back_ns = self.drive.events.now
        self._written_back(program.job)

    def _written_back(self, job: Job) -> None:
        """13.31: after the last of a batch the job goes on."""
        job.writing_back -= 1
        if job.writing_back == 0 and not job.erasing:
            self.drive.jobs.advance(job)

    # Writes of the host

    def absorb(self, part: PagePart) -> bool:
        """13.34: return whether a page of a write has become that of a lifted slot."""
        mapping = self.drive.mapping
        slot: int | Slot | None = mapping.where.get(part.logical)
        if not self.absorbs or not isinstance(slot, LiftedSlot) or slot.has_page:
            return False
        mapping.note_write(part.logical)
        self.drive.versions.absorbed(slot)
        self.drive.counters.gc_buffer.absorbed_writes += 1
        self.drive.requests.release_part(part.request, part.times)
        return True
