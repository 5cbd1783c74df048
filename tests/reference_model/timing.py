"""Times of an operation (docs/model.md, 3.4 to 3.6)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from reference_model.durations import Durations
from reference_model.job import Step
from reference_model.operations import (
    Copyback,
    Erase,
    GcRead,
    GcWrite,
    HostRead,
    HostWrite,
    Operation,
    ParityWrite,
    WriteBack,
)


class Timing:
    """Opening, array and closing time of operations."""

    def __init__(self, durations: Durations, erases: Callable[[int], int]) -> None:
        self.durations = durations
        self.erases = erases  # of the block of a page
        self.page_size = durations.geometry.page_size

    def openings(self, group: Sequence[Operation]) -> int:
        """11.16: the sum of the openings of active operations."""
        return sum(
            self.opening(
                operation, further=index > 0, goes_on=index > 0 and self._goes_on(group[index - 1], operation)
            )
            for index, operation in enumerate(group)
        )

    def _goes_on(self, before: Operation, operation: Operation) -> bool:
        """3.6, 11.24: whether it is of another part of the flash page that the one before it is of."""
        if isinstance(operation, Copyback | Erase) or isinstance(before, Copyback | Erase):
            return False
        assert operation.page is not None
        assert before.page is not None
        flash_page = self.durations.geometry.flash_page
        return flash_page(operation.page) == flash_page(before.page)

    def opening(self, operation: Operation, *, further: bool, goes_on: bool = False) -> int:
        """3.5: the transfer with which it begins, as the first or a further one of a group."""
        d = self.durations
        match operation:
            case HostRead() | GcRead() | Copyback():
                if goes_on:
                    return 0
                return d.read_further if further else d.read_command
            case HostWrite() | GcWrite() | WriteBack() | ParityWrite():
                of_host = d.host_buffer if isinstance(operation, HostWrite) else 0
                command = d.program_further if further else d.program_command
                if goes_on:
                    command = 0
                return command + self._program_data(operation) + of_host
            case Erase():
                return d.erase_further if further else d.erase_command

    def _program_data(self, operation: HostWrite | GcWrite | WriteBack | ParityWrite) -> int:
        """3.4."""
        if isinstance(operation, HostWrite) and self.durations.partial_programs:
            return self.durations.data(operation.part.covered)
        return self.durations.data(self.page_size)

    def array(self, unit: Sequence[Operation], closed: int | None) -> int:
        """Return the array time of a unit or an operation; it may close the open unit of that page (3.6)."""
        first = unit[0]
        match first:
            case HostRead() | GcRead():
                return self._reading(first.page)
            case Copyback():
                reads = sum(self._reading(each.page) for each in unit if isinstance(each, Copyback))
                return reads + (0 if closed is None else self._programming(closed))
            case GcWrite(step=Step(loaded=True)):
                return 0
            case HostWrite() | GcWrite() | WriteBack() | ParityWrite():
                assert first.page is not None
                return self._programming(first.page)
            case Erase(job=job):
                return self.durations.erasing(job.block.erases)

    def _reading(self, page: int) -> int:
        return self.durations.reading(page, self.erases(page))

    def _programming(self, page: int) -> int:
        return self.durations.programming(page, self.erases(page))

    def read_data(self, operation: HostRead | GcRead) -> int:
        """Return the closing time of a read (3.4)."""
        if isinstance(operation, GcRead):
            return self.durations.data(self.page_size)
        covered = operation.part.covered
        data = self.durations.data(self.page_size - covered if operation.rest else covered)
        return data + self.durations.host_buffer

    def copyback_program(self, operation: Copyback) -> int:
        """Return the second array time of a copyback, or of the unit that it is the first of."""
        assert operation.target is not None
        return self._programming(operation.target)
