"""Heads of the lists of the same class join (docs/model.md, 11.15)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from reference_model.choosing import has_page
from reference_model.dies import Die
from reference_model.multi_plane.page_numbers import page_number
from reference_model.operations import Class, Copyback, HostWrite, Operation

if TYPE_CHECKING:
    from reference_model.drive import Drive


class Heads:
    """`same-page` and `any-page`."""

    def __init__(self, drive: Drive, *, same_page: bool) -> None:
        self.drive = drive
        self.same_page = same_page

    def join(self, die: Die, first: Operation) -> Iterator[Operation]:
        """Stale heads are dropped on the way."""
        of_class, choosing = first.of_class, self.drive.choosing
        for q in self.drive.geometry.partners(first.plane):
            if q == first.plane:
                continue
            waiting = die.queues[q][of_class]
            if not waiting:
                continue
            if of_class is Class.HOST_WRITE and not self._host_may_write(die, q):
                continue
            while waiting and choosing.is_stale(waiting[0]):
                choosing.drop(die, waiting[0])
            head = waiting[0] if waiting else None
            if of_class is Class.HOST_WRITE:
                head = self.drive.program_units.unit(die, q)[0]
            if head is not None and not isinstance(head, Copyback) and self._fits(first, head):
                yield head

    def _host_may_write(self, die: Die, q: int) -> bool:
        first = die.queues[q][Class.HOST_WRITE][0]
        assert isinstance(first, HostWrite)
        return self.drive.program_units.ready(die, q) and (
            has_page(first) or self.drive.space.host_can_take(q, first.part.logical)
        )

    def _fits(self, first: Operation, head: Operation) -> bool:
        if not self.same_page or first.of_class is Class.ERASE:
            return True
        return page_number(self.drive, head) == page_number(self.drive, first)
