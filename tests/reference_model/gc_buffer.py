"""The GC buffer: pages lifted out of victims, to be written back (docs/model.md, 13.10 to 13.16)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reference_model.operations import WriteBack

if TYPE_CHECKING:
    from reference_model.drive import Drive
    from reference_model.job import Job
    from reference_model.space import Block, Cause


class GcBuffer:
    """The places of the buffer, and the pages in it; without a capacity nothing is ever in it."""

    def __init__(self, drive: Drive) -> None:
        self.drive = drive
        self.capacity: int | None = None  # pages; `buffered` sets it
        self.to_home = True
        self.occupied = 0
        self.fallen = False  # occupied has, since the room was used (13.16)

    def admit(self, victim: Block) -> bool:
        """13.11: return whether a victim's valid pages find room, which they occupy then."""
        if self.capacity is None:
            return True
        if self.occupied + victim.valid > self.capacity:
            return False
        self.occupied += victim.valid
        return True

    def give_back(self, pages: int) -> None:
        """13.16: so many pages are not occupied any more."""
        if pages == 0:
            return
        self.occupied -= pages
        assert self.occupied >= 0
        self.fallen = True

    # Lifting

    def lift(self, job: Job, page: int) -> None:
        """13.12: a page of the victim has been read."""
        slot = self.drive.mapping.lift(page)
        if slot is None:
            self.give_back(1)
        else:
            job.lifted.append(slot)

    def all_lifted(self, job: Job) -> None:
        """Give back the places of pages that were overwritten or trimmed before they were a step."""
        if self.capacity is not None:
            self.give_back(job.valid_pages - job.pages_given)

    # Writing back

    def write_back(self, job: Job) -> None:
        """13.13: the victim is erased."""
        drive = self.drive
        drive.dies.begin_gathering()
        for slot in job.lifted:
            if not drive.mapping.is_in(slot):
                self._cancel()
                continue
            q = self._destination(job.plane)
            drive.space.planes[q].owed += 1
            drive.dies.queue(WriteBack(q, slot, job))
        drive.dies.end_gathering()

    def write_back_now(self, job: Job) -> None:
        """13.18."""
        for slot in job.lifted:
            page = self._take(self._destination(job.plane), slot.logical, job.cause)
            self.drive.mapping.commit_host(slot, page)
            self.give_back(1)

    def _destination(self, home: int) -> int:
        """13.14."""
        if self.to_home:
            return home
        drive, space = self.drive, self.drive.space
        others = [
            plane.number
            for plane in space.planes
            if plane.number != home
            and drive.dies.of_plane(plane.number).load == 0
            and space.room(plane.number, more_owed=1) > plane.reserved
            and space.gc_room(plane.number) > plane.owed
        ]
        return min(others, key=self._erases, default=home)

    def _erases(self, q: int) -> int:
        """13.14: of all blocks of a plane."""
        space = self.drive.space
        return sum(space.blocks[k].erases for k in self.drive.geometry.blocks_of(q))

    def _take(self, q: int, logical: int, cause: Cause) -> int:
        return self.drive.space.take_gc_page(q, logical, cause)

    def take_page(self, program: WriteBack) -> int:
        """13.15."""
        self.drive.space.planes[program.plane].owed -= 1
        return self._take(program.plane, program.slot.logical, program.job.cause)

    def is_stale(self, program: WriteBack) -> bool:
        """13.15."""
        return program.page is None and not self.drive.mapping.is_in(program.slot)

    def drop(self, program: WriteBack) -> None:
        """13.15: a stale program has left its list."""
        self.drive.space.planes[program.plane].owed -= 1
        self._cancel()

    def _cancel(self) -> None:
        self.drive.counters.gc_buffer.cancelled += 1
        self.give_back(1)

    def program_ended(self, program: WriteBack) -> None:
        """13.15."""
        assert program.page is not None
        self.drive.mapping.commit_host(program.slot, program.page)
        self.give_back(1)
