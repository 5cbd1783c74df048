"""Which operation a die starts, and stale ones (docs/model.md, 11.7 to 11.9)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reference_model.dies import Die
from reference_model.operations import (
    CLASSES,
    GC_CLASSES,
    Class,
    Copyback,
    Erase,
    GcRead,
    GcWrite,
    HostRead,
    HostWrite,
    Operation,
    ParityWrite,
    TranslationRead,
    WriteBack,
    task_of,
)
from reference_model.redundancy.accesses import StripeRead

if TYPE_CHECKING:
    from reference_model.drive import Drive


def has_page(operation: Operation) -> bool:
    """Whether a host write has its page already."""
    return isinstance(operation, HostWrite) and operation.page is not None


class Choosing:
    """The choice of a die."""

    def __init__(self, drive: Drive) -> None:
        self.drive = drive
        self.most_reads = drive.config.controller.whole("reads_before_write", 0)

    def begins(self, die: Die, choice: Operation) -> None:
        """11.7a."""
        if choice.of_class is Class.HOST_READ:
            writes_wait = any(die.queues[q][Class.HOST_WRITE] for q in die.planes)
            die.reads_in_a_row = die.reads_in_a_row + 1 if writes_wait else 0
        elif choice.of_class is Class.HOST_WRITE:
            reads_wait = any(die.queues[q][Class.HOST_READ] for q in die.planes)
            self.drive.counters.flash.write_turns += reads_wait and self._turn_of_write(die)
            die.reads_in_a_row = 0

    def _turn_of_write(self, die: Die) -> bool:
        return 0 < self.most_reads <= die.reads_in_a_row

    def choose(self, die: Die) -> Operation | None:
        """11.7; what is chosen stays in its list."""
        while True:
            candidates, gc_urgent = self._of_task(die)
            for q in () if candidates else die.planes:
                classes = self._startable(die, q)
                if self.drive.space.planes[q].urgent and any(c in GC_CLASSES for c in classes):
                    gc_urgent = True
                for c in classes:
                    first = die.queues[q][c][0]
                    if die.aside is not None and first.number >= die.aside.reads_before:
                        continue
                    if c not in candidates or first.number < candidates[c].number:
                        candidates[c] = first
            if Class.HOST_WRITE in candidates and self._turn_of_write(die):
                candidates.pop(Class.HOST_READ, None)
            picked = self.drive.scheduler.pick(candidates, gc_urgent=gc_urgent)
            if picked is None:
                self.drive.plane_reads.chosen(die, None)
                return None
            choice = candidates[picked]
            if not self.is_stale(choice):
                waits = self.drive.plane_reads.chosen(die, choice)  # 11.22
                waits |= not self.drive.cache_programs.may_begin(die, choice)
                return None if waits else choice
            self.drop(die, choice)

    def _of_task(self, die: Die) -> tuple[dict[Class, Operation], bool]:
        """12.3a: what there is of the job that the channel is kept for."""
        job = die.domain.kept_for
        if job is None or job.plane not in die.planes:
            return {}, False
        queues = die.queues[job.plane]
        heads = {c: queues[c][0] for c in GC_CLASSES if queues[c] and task_of(queues[c][0]) is job}
        return heads, bool(heads) and self.drive.space.planes[job.plane].urgent

    def _startable(self, die: Die, q: int) -> list[Class]:
        queues = die.queues[q]
        possible = CLASSES if die.aside is None else (Class.HOST_READ,)
        classes = [c for c in possible if queues[c]]
        if not self.drive.plane_reads.may_begin(q):  # 11.22
            classes = [c for c in classes if c not in (Class.HOST_READ, Class.GC_READ)]
        if Class.HOST_WRITE in classes and not (
            self.drive.program_units.ready(die, q)
            and (
                has_page(queues[Class.HOST_WRITE][0]) or self._note_room(die, q, queues[Class.HOST_WRITE][0])
            )
        ):
            classes.remove(Class.HOST_WRITE)
        return classes

    def _note_room(self, die: Die, q: int, first: Operation) -> bool:
        """11.9."""
        assert isinstance(first, HostWrite)
        room = self.drive.space.host_can_take(q, first.part.logical)
        stall, now, gc = die.stalls[q], self.drive.events.now, self.drive.counters.gc
        if not room and stall.begun is None:
            stall.begin(now)
            gc.stalled_writes += 1
            self.drive.jobs.stall_began = True
        elif room and stall.begun is not None:
            gc.host_write_stall_ns += self.drive.measuring.part(stall.end(now))
        return room

    def is_stale(self, operation: Operation) -> bool:
        """11.8."""
        space = self.drive.space
        match operation:
            case HostRead():
                page = operation.page
                return not space.valid[page] or space.owner[page] != operation.part.logical
            case GcRead() | Copyback():
                return not space.valid[operation.page]
            case GcWrite():
                return operation.page is None and not space.valid[operation.source]
            case WriteBack():
                return self.drive.gc_buffer.is_stale(operation)
            case HostWrite() | ParityWrite() | Erase():
                return False

    def drop(self, die: Die, operation: Operation) -> None:
        """11.8."""
        assert not die.dropping
        die.dropping = True
        self.drive.dies.leave_list(die, operation)
        self.drive.dies.lose_load(die)
        match operation:
            case StripeRead():
                self.drive.stripes.drop_read(operation)
            case TranslationRead():
                assert self.drive.mapping_cache is not None
                self.drive.mapping_cache.route(operation.part)
            case HostRead():
                self.drive.requests.route(operation.part, rest=operation.rest)
            case GcRead():
                self.drive.jobs.drop_read(operation)
            case Copyback() | GcWrite():
                self.drive.jobs.drop_move(operation)
            case WriteBack():
                self.drive.gc_buffer.drop(operation)
            case HostWrite() | ParityWrite() | Erase():
                raise AssertionError("these are never stale")
        die.dropping = False
