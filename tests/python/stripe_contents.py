"""What the pages of a drive with stripes hold: the reference model counts pages, this follows contents.

Parity is computed from nothing but what was read for it, so a stripe write that reads too little is found
out, and at rest every stripe must be whole.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from reference_model.drive import Drive
from reference_model.mapping import Slot
from reference_model.operations import HostRead, Operation
from reference_model.redundancy.accesses import (
    Access,
    Restore,
    StripeProgram,
    StripeRead,
    StripeWrite,
    TrimInPart,
)


class Contents:
    """A number for each page in flash; a logical page that is nowhere holds 0."""

    def __init__(self, drive: Drive) -> None:
        self.drive = drive
        self.layout = drive.stripes.layout
        self.draw = random.Random(0)  # noqa: S311
        self.content: dict[int, int] = {}
        """By flash page."""
        self.read: dict[Access, dict[int, int]] = {}
        """By logical page, for each that holds a stripe."""
        self.written: dict[StripeWrite | TrimInPart | Restore, dict[int, int]] = {}
        self.before_loss: dict[int, int] = {}
        """By logical page, what was there before a chip was lost."""
        before(drive.mapping, "untimed_write", self.warmed)
        before(drive.mapping, "commit_move", self.moved)
        before(drive.dies, "queue", self.queued)
        before(drive.stripes, "_read_finished", self.was_read)
        before(drive.stripes, "_write", self.computed)
        before(drive.stripes, "_program_ended", self.programmed)
        if drive.stripes.rebuild is not None:
            before(drive.stripes.rebuild, "lose", self.loses)
        after(drive.stripes, "_commit", self.committed)

    def warmed(self, logical: int, page: int) -> None:
        if self.layout.is_parity(logical):
            stripe = self.layout.data(self.layout.stripe(logical))
            self.content[page] = self.sum(self.found(data) for data in stripe)
        else:
            self.content[page] = self.draw.getrandbits(64)

    def moved(self, source: int, target: int) -> None:
        self.content[target] = self.content[source]

    def queued(self, operation: Operation) -> None:
        if isinstance(operation, HostRead):
            chip = operation.plane // self.layout.planes_of_chip
            assert chip != self.layout.unreadable_chip

    def loses(self) -> None:
        where = self.drive.mapping.where
        self.before_loss = {
            logical: self.content[page] for logical, page in where.items() if isinstance(page, int)
        }

    def was_read(self, read: StripeRead) -> None:
        self.read.setdefault(read.access, {})[read.part.logical] = self.content[read.page]

    def computed(self, write: StripeWrite | TrimInPart | Restore) -> None:
        """What a stripe write, or a trim in part, programs, as far as what it has read tells."""
        if isinstance(write, Restore):
            rebuilt = self.sum(self.read.pop(write, {}).values())
            assert rebuilt == self.before_loss[write.logical] or self.layout.is_parity(write.logical)
            self.written[write] = {write.logical: rebuilt}
            return
        parity, data = self.layout.parity(write.stripe), self.layout.data(write.stripe)
        known = self.read.pop(write, {})
        mapping = self.drive.mapping
        pages = (*data, parity)
        there = [page for page in pages if mapping.flash_copy(page) is not None or page in mapping.lost]
        unread = [page for page in there if page not in known]
        if len(unread) == 1 and parity in there:
            known[unread[0]] = self.sum(known.values())
        known |= {page: 0 for page in (*data, parity) if page not in there}
        trims = isinstance(write, TrimInPart)
        new = {page: 0 if trims else self.draw.getrandbits(64) for page in write.pages}
        for part in write.parts:
            assert not part.partial or part.logical in known
        if all(page in known for page in data if page not in new):
            new[parity] = self.sum([*new.values(), *(known[page] for page in data if page not in new)])
        else:
            new[parity] = self.sum([*new.values(), known[parity], *(known[page] for page in new)])
        self.written[write] = {parity: new[parity]} if trims else new

    def programmed(self, program: StripeProgram) -> None:
        assert program.page is not None
        self.content[program.page] = self.written[program.access][program.slot.logical]

    def committed(self, write: StripeWrite | TrimInPart | Restore, _: object) -> None:
        for logical, content in self.written.pop(write).items():
            place = self.drive.mapping.where.get(logical)
            # The next holder may have its slots by now, the old copies behind them; or have trimmed it.
            page = getattr(place, "old_copy", None) if isinstance(place, Slot) else place
            assert page is None or self.content[page] == content

    def found(self, logical: int) -> int:
        """What a logical page in flash holds."""
        page = self.drive.mapping.flash_copy(logical)
        return 0 if page is None else self.content[page]

    def sum(self, contents: Any) -> int:
        total = 0
        for content in contents:
            total ^= content
        return total

    def check_at_rest(self) -> None:
        """Nothing is held, waits or is left anywhere, and every stripe is whole."""
        drive, stripes, where = self.drive, self.drive.stripes, self.drive.mapping.where
        assert drive.requests.outstanding == 0
        assert drive.buffer.used == 0
        assert [*stripes.outside, *stripes.for_room, *stripes.programs, *stripes.lock.lines] == []
        assert [plane.reserved for plane in drive.space.planes] == [0] * len(drive.space.planes)
        assert [die.load for die in drive.dies.all] == [0] * len(drive.dies.all)
        assert sum(drive.space.valid) == len(where) == len(set(where.values()))
        for logical, page in where.items():
            assert isinstance(page, int)
            assert drive.space.valid[page]
            assert drive.space.owner[page] == logical
            home = drive.geometry.plane_of_page(page) == self.layout.home(logical)
            assert home or drive.deferral is not None
        for stripe in range(self.layout.stripes):
            pages = self.layout.pages(stripe)
            assert self.sum(self.found(page) for page in pages) == 0
            assert (pages[-1] in where) == any(page in where for page in pages[:-1])


def before(thing: object, name: str, note: Callable[..., None]) -> None:
    """Have a method say what it is about to do."""
    does = getattr(thing, name)

    def noted(*arguments: Any, **named: Any) -> Any:
        note(*arguments)
        return does(*arguments, **named)

    setattr(thing, name, noted)


def after(thing: object, name: str, note: Callable[..., None]) -> None:
    """Have a method say what it has done."""
    does = getattr(thing, name)

    def noted(*arguments: Any, **named: Any) -> Any:
        result = does(*arguments, **named)
        note(*arguments)
        return result

    setattr(thing, name, noted)
