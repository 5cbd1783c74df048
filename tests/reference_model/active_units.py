"""How a unit of operations begins: out of its list, and to its pages (docs/model.md, 11.13 and 11.20)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reference_model.dies import Die
from reference_model.operations import (
    Copyback,
    GcRead,
    GcWrite,
    HostRead,
    HostWrite,
    Operation,
    WriteBack,
    step_of_unit,
)
from reference_model.read_retries import ReadRetries

if TYPE_CHECKING:
    from reference_model.drive import Drive


class ActiveUnits:
    """Programs and copybacks begin in units, reads with parts of their page, everything else alone."""

    def __init__(self, drive: Drive) -> None:
        self.drive = drive
        self.read_retries = ReadRetries(drive)

    def begin(self, die: Die, first: Operation) -> tuple[list[Operation], int]:
        """Return the operations that begin, and their array time."""
        unit = self._leave_list(die, first)
        closed = None
        if isinstance(first, Copyback):
            closed = self.drive.jobs.relocation.make_way(first.job, first.page)
        for operation in unit:
            self._take_page(operation)
        self._finish_unit(unit[-1])
        array = self.drive.timing.array(unit, closed)
        return unit, array + self.read_retries.longer(first, array)

    def _leave_list(self, die: Die, first: Operation) -> list[Operation]:
        """11.20; stale operations of the unit are dropped on the way."""
        waiting = die.queues[first.plane][first.of_class]
        if isinstance(first, HostWrite):
            unit = self.drive.program_units.unit(die, first.plane)
            for operation in unit:
                self.drive.dies.leave_list(die, operation)
            self.drive.program_units.first_changed(die, first.plane)
            return unit
        unit = [first]
        self.drive.dies.leave_list(die, first)
        if isinstance(first, HostRead | GcRead):
            self._followers(die, unit)
            return unit
        step = step_of_unit(first)
        while step is not None and waiting and step_of_unit(waiting[0]) is step:
            operation = waiting[0]
            if self.drive.choosing.is_stale(operation):
                self.drive.choosing.drop(die, operation)
            else:
                self.drive.dies.leave_list(die, operation)
                unit.append(operation)
        return unit

    def _followers(self, die: Die, unit: list[Operation]) -> None:
        """11.24: reads of other parts of the same flash page."""
        first, geometry = unit[0], self.drive.geometry
        assert isinstance(first, HostRead | GcRead)
        waiting = die.queues[first.plane][first.of_class]
        while waiting and len(unit) < geometry.parts:
            head = waiting[0]
            if not isinstance(head, HostRead | GcRead) or self.drive.choosing.is_stale(head):
                return
            if geometry.flash_page(head.page) != geometry.flash_page(first.page):
                return
            self.drive.dies.leave_list(die, head)
            unit.append(head)

    def _take_page(self, operation: Operation) -> None:
        """11.13, 13.15."""
        space, jobs = self.drive.space, self.drive.jobs
        match operation:
            case HostWrite(page=None):
                space.planes[operation.plane].reserved -= 1
                stream, logical = operation.stream, operation.part.logical
                if self.drive.superblocks is not None and stream is not None:  # 4.45
                    self.drive.superblocks.promised[stream][operation.plane] -= 1
                operation.page = space.take_host_page(operation.plane, logical, stream=stream)
                assert operation.page is not None
                self.drive.pace.taken(operation.plane)
                self.drive.buffer.program_has_page(operation.slot)
            case GcWrite(page=None):
                if self.drive.superblocks is not None and operation.step.target is not None:  # 4.46
                    self.drive.superblocks.keep_promise(operation.step)
                operation.page = jobs.take_target(operation.job, operation.source, operation.plane)
            case WriteBack(page=None):
                operation.page = self.drive.gc_buffer.take_page(operation)
            case Copyback():
                if self.drive.superblocks is not None and operation.step.target is not None:  # 4.46
                    self.drive.superblocks.keep_promise(operation.step)
                self.drive.counters.flash.copybacks += 1
                operation.target = jobs.take_target(operation.job, operation.page)
            case _:
                pass

    def _finish_unit(self, last: Operation) -> None:
        """11.20: what follows the page taken last is skipped, unless the next job goes on there."""
        units, relocation = self.drive.program_units, self.drive.jobs.relocation
        match last:
            case HostWrite(page=int(page)):
                units.finish(page, "padded_pages")
            case GcWrite(page=int(page)) | Copyback(target=int(page)):
                if not last.step.loaded:
                    units.finish(page, relocation.skipped)
            case _:
                pass
