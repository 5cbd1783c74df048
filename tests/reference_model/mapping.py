"""Where each logical page is (docs/model.md, 4.1, 4.13, 4.14, 4.18 to 4.21, 16.12)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from reference_model.space import State
from reference_model.streams import Streams

if TYPE_CHECKING:
    from reference_model.drive import Drive


@dataclass(eq=False)
class Slot:
    """A page of the write buffer.

    The backing is a flash page that it covers only in part (4.1).
    """

    logical: int
    backing: int | None = None

    def copy_moves(self, source: int, target: int) -> None:
        """4.14: the flash page that the slot refers to is now another."""
        assert self.backing == source
        self.backing = target


@dataclass(eq=False)
class LiftedSlot(Slot):
    """A page of the GC buffer (13.12)."""

    has_page: bool = False  # its program has taken a page (13.34)


@dataclass(eq=False)
class StripeSlot(Slot):
    """A page of a stripe write, which has two copies in flash before it is committed (16.11, 16.12)."""

    old_copy: int | None = None
    new_copy: int | None = None

    def copy_moves(self, source: int, target: int) -> None:
        """16.12: whichever it was."""
        if self.old_copy == source:
            self.old_copy = target
        else:
            assert self.new_copy == source
            self.new_copy = target


class TranslationSlot(Slot):
    """A translation page on its way to flash: no slot of the write buffer (4.52)."""


class Mapping:
    """Each logical page is nowhere (no entry), at a flash page (its number), or in a slot."""

    def __init__(self, drive: Drive) -> None:
        self.drive = drive
        self.space = drive.space
        self.counters = drive.counters
        self.where: dict[int, int | Slot] = {}
        self.streams = Streams(drive)
        self.lost: set[int] = set()  # pages of a lost chip that are not there again (18.2)

    def flash_copy(self, logical: int) -> int | None:
        """4.1."""
        place = self.where.get(logical)
        return place.backing if isinstance(place, Slot) else place

    def is_buffered(self, logical: int) -> bool:
        """Whether the page is in a slot."""
        return isinstance(self.where.get(logical), Slot)

    def is_in(self, slot: Slot) -> bool:
        """Whether the slot's logical page is still in it."""
        return self.where.get(slot.logical) is slot

    def lift(self, page: int) -> LiftedSlot | None:
        """13.12: return the lifted slot, if the page was no backing."""
        logical = self.space.owner[page]
        assert logical is not None
        self.space.make_invalid(page)
        place = self.where[logical]
        if isinstance(place, Slot):
            assert place.backing == page
            place.backing = None
            return None
        assert place == page
        self.where[logical] = slot = LiftedSlot(logical)
        self.drive.versions.was_lifted(slot, page)
        return slot

    def commit_host(self, slot: Slot, page: int) -> None:
        """4.13: the program of a slot has ended."""
        self.drive.versions.programmed(slot, page)
        if self.is_in(slot):
            self.where[slot.logical] = page
            self.space.make_valid(page)
        self.space.settle(page)

    def commit_move(self, source: int, target: int) -> None:
        """4.14."""
        space = self.space
        self.drive.versions.copied(source, target)
        if space.valid[source]:
            space.make_invalid(source)
            space.make_valid(target)
            logical = space.owner[source]
            assert logical is not None
            if self.drive.mapping_cache is not None:
                self.drive.mapping_cache.entry_changes(logical)
            place = self.where[logical]
            if isinstance(place, Slot):
                place.copy_moves(source, target)
            else:
                assert place == source
                self.where[logical] = target
            block = space.block_of(source)
            if block.state is State.SEALED:  # 13.21
                space.tell_lost(block)
                self.drive.jobs.relocation.lent(logical, block)
        space.settle(target)

    def commit_stripe_slot(self, slot: StripeSlot) -> None:
        """16.12, step 1."""
        assert self.is_in(slot)
        assert slot.new_copy is not None
        self.where[slot.logical] = slot.new_copy
        if slot.old_copy is not None:
            self.space.invalidate(slot.old_copy)

    def accept_write(self, logical: int, *, partial: bool) -> Slot:
        """4.18."""
        self.note_write(logical)
        place = self.where.get(logical)
        if isinstance(place, Slot):
            copy, place.backing = place.backing, None
        else:
            copy = place
        slot = Slot(logical, copy if partial else None)
        self.where[logical] = slot
        self.drive.versions.accepted(slot)
        if not partial and copy is not None:
            self.space.invalidate(copy)
        return slot

    def note_write(self, logical: int) -> None:
        """4.32: placement hears of a write before all else."""
        if self.drive.placement is not None:
            self.drive.placement.lifetimes.written(logical)
        self.streams.written(logical)  # 14.15
        if self.drive.separation is not None and not self.drive.space.is_parity(logical):  # 4.35
            self.drive.separation.written(logical)
        self.drive.jobs.relocation.written(logical, update=logical in self.where)

    def drop_backing(self, slot: Slot) -> None:
        """4.19."""
        if slot.backing is not None:
            page, slot.backing = slot.backing, None
            self.space.invalidate(page)

    def trim(self, logical: int, *, counts: bool = True) -> None:
        """4.20; parity does not count (16.13)."""
        place = self.where.pop(logical, None)
        if place is None and logical not in self.lost:
            return
        self.lost.discard(logical)
        self.drive.versions.trimmed(logical)
        if isinstance(place, Slot):
            self.drop_backing(place)
        elif place is not None:
            self.space.invalidate(place)
        if self.drive.placement is not None:
            self.drive.placement.lifetimes.trimmed(logical)
        if self.drive.mapping_cache is not None:
            self.drive.mapping_cache.entry_changes(logical)
        self.drive.jobs.relocation.trimmed(logical)
        if counts:
            self.counters.flash.trimmed_pages += 1

    def untimed_write(self, logical: int, page: int) -> None:
        """7.1, from `old = …` on."""
        old = self.where.get(logical)
        assert not isinstance(old, Slot)
        self.where[logical] = page
        self.drive.versions.written(logical, page)
        if self.drive.raid is not None and self.drive.raid.layout.is_parity(logical):
            self.drive.raid.name_parity_now(self.drive.raid.layout.stripe(logical))
        self.space.make_valid(page)
        if old is not None:
            self.space.invalidate(old)
        self.space.settle(page)
