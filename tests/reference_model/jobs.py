"""Collection jobs (docs/model.md, section 13)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reference_model import concurrency, relocation
from reference_model.concurrency.all_planes import AllPlanes
from reference_model.concurrency.own import Own
from reference_model.job import Answer, Job, Step, Way
from reference_model.operations import Copyback, Erase, GcRead, GcWrite
from reference_model.outcome import JobOutcome
from reference_model.relocation.in_order import valid_pages_left
from reference_model.space import Block, Cause

if TYPE_CHECKING:
    from reference_model.drive import Drive


class Jobs:
    """Jobs under way, and planes that must wait for theirs."""

    def __init__(self, drive: Drive) -> None:
        self.drive = drive
        self.space = drive.space
        self.concurrency = concurrency.make(drive)
        self.relocation = relocation.make(drive)
        self.pages_in_flight = drive.config.gc.whole("pages_in_flight", 1)
        self.deferred: list[tuple[int, bool]] = []  # planes, with their under-way marks
        self.stall_began = False  # or a write was parked, since deferred planes were looked at (8.5)
        self.rows: list[JobOutcome] = []
        self.under_way: list[Job] = []

    def _level(self, q: int) -> bool:
        """13.7, 4.48: return whether a job begins with cause wear."""
        superblocks = self.drive.superblocks
        worn = self.drive.wear.take_victim(q) if superblocks is None else superblocks.take_worn(q)
        if worn is None:
            return False
        if superblocks is not None:
            superblocks.begin(worn, Cause.WEAR)
        else:
            self.advance(self.begun(worn, Cause.WEAR))
        return True

    def consider(self, q: int, *, under_way: bool) -> None:
        """13.1, 4.48."""
        collection, superblocks = self.drive.collection, self.drive.superblocks
        if superblocks is not None:
            q = superblocks.first(q)
        if self._must_wait(q, under_way=under_way):
            return
        if not collection.wanted(q, under_way=under_way):
            self._fold(q)
            return
        emergency = self.drive.dies.is_stalled(q)
        if not emergency and not self.may_begin(q):
            self._defer(q, under_way=under_way)
            return
        if superblocks is not None:
            if not superblocks.collect(q, emergency=emergency):
                self._fold(q)
            return
        victim = collection.victim(q)
        if victim is None:
            self._fold(q)
            return
        if not self.drive.gc_buffer.admit(victim):  # 13.11
            self.drive.counters.gc_buffer.stalls += 1
            self._defer(q, under_way=under_way)
            return
        if emergency:  # 14.14
            self.drive.counters.concurrency.emergency_starts += not self.concurrency.would_allow(q)
        self.begin(victim, emergency=emergency)

    def may_begin(self, q: int) -> bool:
        """13.2, 14.14."""
        allowed = self.concurrency.allows(q)
        self.drive.counters.concurrency.refused_starts += not allowed and self.concurrency.lets_begin(q)
        return allowed

    def _must_wait(self, q: int, *, under_way: bool) -> bool:
        """4.48b: whether a scope is to be collected in which a block is folded."""
        superblocks, planes = self.drive.superblocks, self.space.planes
        if superblocks is None or self.drive.slc_cache is None:
            return False
        busy = any(planes[each].jobs for each in superblocks.scope(q))
        return busy and self.drive.trigger.wants(planes[q], under_way=under_way)

    def _fold(self, q: int) -> None:
        """4.41, 4.48b."""
        cache, superblocks = self.drive.slc_cache, self.drive.superblocks
        if cache is None:
            return
        for each in [q] if superblocks is None else superblocks.scope(q):
            block = cache.wanted(each)
            if block is not None:
                cache.take(block)
                self.advance(self.begun(block, Cause.FOLD))

    def begin(self, victim: Block, *, emergency: bool) -> None:
        """13.1: a job begins with cause GC."""
        self.drive.collection.take(victim)
        self.advance(self.begun(victim, Cause.GC, emergency=emergency))

    def _defer(self, q: int, *, under_way: bool) -> None:
        """13.1."""
        if all(q != plane for plane, _ in self.deferred):
            self.deferred.append((q, under_way))
            self.concurrency.deferred()

    def consider_deferred(self) -> None:
        """13.7, step 7: once each."""
        for _ in range(len(self.deferred)):
            q, under_way = self.deferred.pop(0)
            self.consider(q, under_way=under_way)

    def consider_deferred_again(self, *, emptied: bool) -> None:
        """8.5: after the triggers were run after an event."""
        stalled, self.stall_began = self.stall_began, False
        changed = isinstance(self.concurrency, Own) and self.concurrency.sees_changes()
        if self.deferred:
            more = self.concurrency.allows_more(emptied=emptied, stalled=stalled)
            if more or changed:
                self.consider_deferred()

    def consider_stalled(self) -> None:
        """8.4: after top-up; `all` holds no plane back."""
        stalled = self.stall_began and not isinstance(self.concurrency, AllPlanes)
        if stalled:
            self.stall_began = False
            self.consider_deferred()

    def use_room(self) -> None:
        """13.16: what begins may drop a program that waited, and make room once more."""
        buffer = self.drive.gc_buffer
        while buffer.fallen:
            buffer.fallen = False
            self.consider_deferred()
            self.drive.buffer.unpark()

    def begun(self, block: Block, cause: Cause, *, emergency: bool = False) -> Job:
        """13.2, 13.3: return a job that begins on a block."""
        job = Job(
            block,
            cause,
            start=self.drive.events.now,
            valid_pages=block.valid,
            used_pages=self.space.used_pages(),
            emergency=emergency,
            cursor=self.drive.geometry.pages_of(block.number)[0],
        )
        if self.drive.deferral is not None and self.drive.running:
            self.drive.deferral.job_begins(job)
        if self.drive.running:
            self.under_way.append(job)
        if cause is not Cause.FOLD:
            self.relocation.begin(job)
        self.drive.pace.begins(job)
        return job

    def next_step(self, job: Job) -> Step | Answer:
        """13.3: the cursor moves beyond a step."""
        step = self._fold_step(job) if job.cause is Cause.FOLD else self.relocation.next_step(job)
        if isinstance(step, Step):
            job.cursor = step.pages[-1] + 1
            job.pages_given += len(step.pages)
        return step

    def _fold_step(self, job: Job) -> Step | Answer:
        """4.41: over the channel, whatever way others are moved."""
        pages = valid_pages_left(self.drive, job)[: self.drive.program_units.size]
        return Step(pages, Way.CONTROLLER) if pages else Answer.NONE_LEFT

    def advance(self, job: Job) -> None:
        """13.3."""
        while not job.erasing and job.steps < self.pages_in_flight:
            if self.drive.pace.holds(job):
                return
            step = self.next_step(job)
            if isinstance(step, Answer):
                if step is Answer.NONE_LEFT and job.steps == 0:
                    self._nothing_left(job)
                return
            job.steps += 1
            if self.drive.superblocks is not None:
                self.drive.superblocks.choose_way(step, job.plane, job.cause)
            if step.way is Way.COPYBACK:
                self.drive.dies.queue_unit([Copyback(job.plane, x, job, step) for x in step.pages])
                continue
            reads = [GcRead(job.plane, x, job, step) for x in step.pages]
            if self.drive.geometry.parts > 1:
                self.drive.dies.queue_unit(reads)
            else:
                for read in reads:
                    self.drive.dies.queue(read)

    def _nothing_left(self, job: Job) -> None:
        """13.3, 4.48: the block is erased."""
        job.erasing = True
        if self.drive.slc_cache is not None:
            self.drive.slc_cache.nothing_left(job.plane, job.cause)
        self.drive.gc_buffer.all_lifted(job)
        if self.drive.superblocks is not None and job.cause is not Cause.FOLD:
            self.drive.superblocks.nothing_left(job)
        else:
            self.drive.dies.queue(Erase(job.plane, job))

    def _moved_page(self, operation: GcRead | Copyback | GcWrite) -> int:
        """Return the logical page of a move."""
        source = operation.source if isinstance(operation, GcWrite) else operation.page
        logical = self.space.owner[source]
        assert logical is not None
        return logical

    def take_target(self, job: Job, source: int, plane: int | None = None) -> int:
        """Take a page for a move (4.10), in the plane of the job if no other is given."""
        logical = self.space.owner[source]
        assert logical is not None
        return self.space.take_gc_page(job.plane if plane is None else plane, logical, job.cause, source)

    def read_finished(self, read: GcRead) -> None:
        """13.4, 13.12."""
        if not self.space.valid[read.page]:
            self.drop_read(read)
        elif read.step.way is Way.LIFT:
            self.drive.gc_buffer.lift(read.job, read.page)
            self._move_ends(read)
        else:
            read.step.to_program.append(read.page)
            self._read_is_over(read)

    def drop_read(self, read: GcRead) -> None:
        """11.8, 13.4, 13.12."""
        if read.step.way is Way.LIFT:
            self.drive.gc_buffer.read_dropped(read.job)
        self.drop_move(read)
        self._read_is_over(read)

    def _read_is_over(self, read: GcRead) -> None:
        """13.4: after the last read of a step, what was not dropped is programmed as a unit."""
        job, step, target = read.job, read.step, None
        step.reads -= 1
        if step.reads > 0 or not step.to_program:
            return
        if self.space.pages_on_arrival:
            target = self.take_target(job, read.page)
            self.space.open_ahead_for_gc(job.plane, job.cause)
        sources = sorted(step.to_program)
        plane = job.plane
        if self.drive.superblocks is not None:  # 4.46
            plane = self.drive.superblocks.promise_step(step, plane, job.cause)
        self.drive.dies.queue_unit([GcWrite(plane, source, job, step, target) for source in sources])

    def drop_move(self, operation: GcRead | Copyback | GcWrite) -> None:
        """13.6: a move is given up."""
        step = operation.step
        if self.drive.superblocks is not None and step.moves == 1 and step.target is not None:  # 4.46
            self.drive.superblocks.keep_promise(step)
        self.drive.counters.gc.dropped_moves += 1
        self._move_ends(operation)

    def program_finished(self, operation: GcWrite | Copyback, target: int) -> None:
        """11.17."""
        source = operation.source if isinstance(operation, GcWrite) else operation.page
        if isinstance(operation, Copyback):
            self.relocation.copied(source, target)
        self.drive.mapping.commit_move(source, target)
        self._move_ends(operation)

    def _move_ends(self, operation: GcRead | Copyback | GcWrite) -> None:
        """13.5."""
        job, step = operation.job, operation.step
        step.moves -= 1
        if step.moves == 0:
            job.steps -= 1
        self.drive.blocked.let_go(self._moved_page(operation))
        if step.moves == 0:
            self.advance(job)

    def erase_finished(self, job: Job) -> None:
        """13.7."""
        block, plane, superblocks = job.block, self.space.planes[job.plane], self.drive.superblocks
        self.under_way.remove(job)
        is_free = True  # 4.48
        if superblocks is not None and job.cause is not Cause.FOLD:
            is_free = superblocks.erase(block, job.cause)
        else:
            self.space.erase(block, job.cause)
        if self.drive.deferral is not None:
            self.drive.deferral.erased(plane)
        self.drive.channels.end_task(job)
        self.drive.gc_buffer.write_back(job)
        self.drive.blocked.let_go(None)
        now = self.drive.events.now
        self.rows.append(
            JobOutcome(
                start_ns=job.start,
                end_ns=now,
                written_back_ns=now,
                plane=job.plane,
                victim_block=block.number,
                valid_pages=job.valid_pages,
                free_blocks_after=len(plane.free),
                cause=job.cause.value,
                emergency=int(job.emergency),
                used_pages=job.used_pages,
            )
        )
        job.row = self.rows[-1]
        if not is_free:
            return
        folded = job.cause is Cause.FOLD
        may_level = not (plane.urgent or folded)
        if not (may_level and self._level(job.plane)):
            self.consider(job.plane, under_way=not folded)
        if not folded:
            for q in [job.plane] if superblocks is None else superblocks.scope(job.plane):
                self.drive.measuring.job_ended(q)
        self.drive.buffer.unpark()
        self.consider_deferred()
