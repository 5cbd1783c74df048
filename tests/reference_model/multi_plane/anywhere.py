"""Reads join from anywhere in a list, and from the partner class (docs/model.md, 11.15)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from reference_model.dies import Die
from reference_model.multi_plane.page_numbers import page_number
from reference_model.operations import PARTNER, Class, Copyback, Operation

if TYPE_CHECKING:
    from reference_model.drive import Drive


class Anywhere:
    """`same-page-anywhere`."""

    def __init__(self, drive: Drive) -> None:
        self.drive = drive

    def join(self, die: Die, first: Operation) -> Iterator[Operation]:
        """Nothing is dropped."""
        classes = [first.of_class]
        if first.of_class in PARTNER:
            classes.append(PARTNER[first.of_class])
        for q in self.drive.geometry.partners(first.plane):
            if q == first.plane:
                continue
            for of_class in classes:
                if of_class is Class.HOST_WRITE and not self.drive.program_units.ready(die, q):
                    continue
                waiting = die.queues[q][of_class]
                if of_class is Class.HOST_WRITE:
                    waiting = self.drive.program_units.unit(die, q)
                joining = self._from(waiting, of_class, first)
                if joining is not None:
                    yield joining
                    break

    def _from(self, waiting: list[Operation], of_class: Class, first: Operation) -> Operation | None:
        if of_class is Class.ERASE:
            return waiting[0] if waiting else None
        if of_class in (Class.HOST_WRITE, Class.GC_WRITE):
            waiting = waiting[:1]
        number = page_number(self.drive, first)
        for operation in waiting:
            if (
                not isinstance(operation, Copyback)
                and page_number(self.drive, operation) == number
                and not self.drive.choosing.is_stale(operation)
            ):
                return operation
        return None
