"""Collection jobs (docs/model.md, section 13)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reference_model import concurrency, relocation
from reference_model.job import Job
from reference_model.operations import Copyback, Erase, GcRead, GcWrite
from reference_model.outcome import JobOutcome
from reference_model.space import Block, Cause

if TYPE_CHECKING:
    from reference_model.drive import Drive


class Jobs:
    """Jobs under way, and planes that must wait for theirs."""

    def __init__(self, drive: Drive) -> None:
        self.drive = drive
        self.space = drive.space
        self.concurrency = concurrency.make(drive)
        self.first_operation = relocation.make(drive.config.relocation)
        self.pages_in_flight = drive.config.gc.whole("pages_in_flight", 1)
        self.deferred: list[tuple[int, bool]] = []  # planes, with their under-way marks
        self.rows: list[JobOutcome] = []

    def consider(self, q: int, *, under_way: bool) -> None:
        """13.1."""
        collection = self.drive.collection
        if not collection.wanted(q, under_way=under_way):
            return
        if not self.space.planes[q].urgent and not self.concurrency.allows(q):
            if all(q != plane for plane, _ in self.deferred):
                self.deferred.append((q, under_way))
            return
        victim = collection.begin(q)
        if victim is not None:
            self._begin(victim, Cause.GC)

    def _begin(self, block: Block, cause: Cause) -> None:
        """13.3."""
        first = self.drive.geometry.pages_of(block.number)[0]
        self._advance(Job(block, cause, self.drive.events.now, block.valid, first))

    def _advance(self, job: Job) -> None:
        """13.3."""
        pages = self.drive.geometry.pages_of(job.block.number)
        while not job.erasing and job.moves < self.pages_in_flight:
            page = next((x for x in range(job.cursor, pages.stop) if self.space.valid[x]), None)
            if page is None:
                if job.moves == 0:
                    job.erasing = True
                    self.drive.dies.queue(Erase(job.plane, job))
                return
            job.cursor = page + 1
            job.moves += 1
            operation = self.first_operation(job, page)
            self.drive.dies.queue(operation)

    def moved_page(self, operation: GcRead | Copyback | GcWrite) -> int:
        """Return the logical page of a move."""
        source = operation.source if isinstance(operation, GcWrite) else operation.page
        logical = self.space.owner[source]
        assert logical is not None
        return logical

    def take_target(self, job: Job, source: int) -> int:
        """Take a page for a move (4.10)."""
        logical = self.space.owner[source]
        assert logical is not None
        return self.space.take_gc_page(job.plane, logical, job.cause)

    def read_finished(self, read: GcRead) -> None:
        """13.4."""
        job = read.job
        if not self.space.valid[read.page]:
            self.drive.counters.gc.dropped_moves += 1
            self.move_ends(job, self.moved_page(read))
            return
        target = None
        if self.space.pages_on_arrival:
            target = self.take_target(job, read.page)
            self.space.open_ahead_for_gc(job.plane, job.cause)
        self.drive.dies.queue(GcWrite(job.plane, read.page, job, target))

    def program_finished(self, operation: GcWrite | Copyback, source: int, target: int) -> None:
        """11.17."""
        self.drive.mapping.commit_move(source, target)
        self.move_ends(operation.job, self.moved_page(operation))

    def move_ends(self, job: Job, logical: int) -> None:
        """13.5."""
        job.moves -= 1
        self.drive.blocked.let_go(logical)
        self._advance(job)

    def erase_finished(self, job: Job) -> None:
        """13.7."""
        block, plane = job.block, self.space.planes[job.plane]
        self.space.erase(block, job.cause)
        self.drive.blocked.let_go(None)
        self.rows.append(
            JobOutcome(
                start_ns=job.start,
                end_ns=self.drive.events.now,
                plane=job.plane,
                victim_block=block.number,
                valid_pages=job.valid_pages,
                free_blocks_after=len(plane.free),
                cause=job.cause.value,
            )
        )
        worn = None if plane.urgent else self.drive.wear.take_victim(job.plane)
        if worn is not None:
            self._begin(worn, Cause.WEAR)
        else:
            self.consider(job.plane, under_way=True)
        self.drive.measuring.job_ended(job.plane)
        self.drive.buffer.unpark()
        for _ in range(len(self.deferred)):
            q, under_way = self.deferred.pop(0)
            self.consider(q, under_way=under_way)
