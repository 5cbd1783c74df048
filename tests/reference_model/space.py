"""Blocks, planes and the taking of pages (docs/model.md, 4.2 to 4.12, 4.15 to 4.17, 4.25 to 4.27, 16.4)."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from reference_model.drive import Drive


class State(Enum):
    """4.3."""

    FREE = "free"
    OPEN = "open"
    FILLING = "filling"
    SEALED = "sealed"
    VICTIM = "victim"
    CACHED = "cached"  # 4.40
    FAILED = "failed"  # 4.26a


class Cause(Enum):
    """Why a block is emptied."""

    GC = 0
    WEAR = 1
    FOLD = 2  # 4.41


@dataclass
class Block:
    """4.3."""

    number: int
    plane: int
    state: State = State.FREE
    taken: int = 0
    valid: int = 0
    programming: int = 0
    erases: int = 0
    sealed_at: int = 0  # pages programmed when it was sealed last (7.5)


@dataclass
class Plane:
    """4.4."""

    number: int
    free: list[int] = field(default_factory=list)
    host_block: int | None = None
    parity_block: int | None = None  # with blocks for parity alone (16.4)
    gc_block: int | None = None
    reclaimable: int = 0
    reserved: int = 0
    owed: int = 0  # lifted pages that will be programmed here and have no page yet (13.10)
    jobs: int = 0
    victim: int | None = None
    erases_since_check: int = 0
    urgent: bool = False
    starved: bool = False
    low_water: int = 0


class Space:
    """The state of the flash."""

    def __init__(self, drive: Drive) -> None:
        self.drive = drive
        self.geometry = drive.geometry
        ftl = drive.config.ftl
        self.shared = ftl.choice("gc_frontier", ("separate", "shared"), "separate") == "shared"
        self.pages_on_arrival = (
            ftl.choice("assign_pages", ("at-start", "on-arrival"), "at-start") == "on-arrival"
        )
        layout = drive.geometry.layout
        self.own_parity_blocks = layout is not None and layout.own_blocks
        self.dynamic_wear = drive.config.wear.switch("dynamic", False)

        geometry = self.geometry
        erases = drive.timing.durations.wear.initial_erases
        self.blocks = [Block(k, geometry.plane_of_block(k), erases=erases) for k in range(geometry.blocks)]
        self.planes = [Plane(q, self.ordinary(q)) for q in range(geometry.planes)]
        for plane in self.planes:
            plane.low_water = len(plane.free)
        self.valid = [False] * geometry.pages
        self.owner: list[int | None] = [None] * geometry.pages
        self.programmed = 0
        self.valid_pages = 0

    def ordinary(self, q: int) -> list[int]:
        """2.9."""
        cache = self.drive.slc_cache
        return [k for k in self.geometry.blocks_of(q) if cache is None or not cache.has(k)]

    def _is_cached(self, k: int) -> bool:
        """2.9: whether it is a cache block."""
        cache = self.drive.slc_cache
        return cache is not None and cache.has(k)

    def block_of(self, page: int) -> Block:
        """Return the block that a page lies in."""
        return self.blocks[self.geometry.block_of_page(page)]

    # Taking a page

    def _open(self, plane: Plane, *, most_erased: bool) -> int:
        """4.7."""
        chosen = self.open_part(plane, most_erased=most_erased)
        self.drive.collection.opened(plane)
        return chosen

    def open_part(self, plane: Plane, *, most_erased: bool = False) -> int:
        """4.7, without a signal (4.44)."""
        if not plane.free:
            raise RuntimeError(f"plane {plane.number} has no free block left")

        def erases(k: int) -> int:
            return self.blocks[k].erases

        if most_erased and self.dynamic_wear:
            chosen = max(plane.free, key=lambda k: (erases(k), k))
        elif most_erased:
            chosen = max(plane.free, key=erases)  # the one nearest the front among equals
        else:
            chosen = self.next_free(plane)
        plane.free.remove(chosen)
        self.blocks[chosen].state = State.OPEN
        if self.drive.separation is not None:  # 4.37b: for which class, others say
            self.drive.separation.classes.block_opened(chosen, None)
        plane.low_water = min(plane.low_water, len(plane.free))
        self.decide_urgent(plane)
        return chosen

    def next_free(self, plane: Plane) -> int:
        """4.7: the block that is opened next."""
        if self.dynamic_wear:
            return min(plane.free, key=lambda k: (self.blocks[k].erases, k))
        return plane.free[0]

    def free_blocks(self) -> int:
        """Return how many blocks are free in all planes together (5.2a)."""
        return sum(len(plane.free) for plane in self.planes)

    def decide_urgent(self, plane: Plane) -> None:
        """5.4."""
        plane.urgent = self.drive.trigger.urgent(len(plane.free))

    def open_block(self, plane: Plane) -> int:
        """4.30: one more block for the host."""
        return self._open(plane, most_erased=False)

    def open_block_for(self, plane: Plane, cause: Cause) -> int:
        """4.37: one more block for collection."""
        return self._open(plane, most_erased=cause is Cause.WEAR)

    def _open_for_host(self, plane: Plane) -> None:
        plane.host_block = self._open(plane, most_erased=False)
        if self.shared:
            plane.gc_block = plane.host_block

    def is_parity(self, logical: int) -> bool:
        """16.2."""
        layout = self.geometry.layout
        return layout is not None and layout.is_parity(logical)

    def own_parity(self, logical: int | None) -> bool:
        """16.4: whether a page goes to a block of parity."""
        layout = self.geometry.layout
        return logical is not None and layout is not None and layout.own_blocks and layout.is_parity(logical)

    def host_block_for(self, plane: Plane, logical: int | None) -> int | None:
        """16.4: the open block that a page of the host, or parity, is taken from."""
        return plane.parity_block if self.own_parity(logical) else plane.host_block

    def needed_blocks(self) -> int:
        """2.5, 16.3, 16.10: without the one that a plane needs for the copies of stripe writes."""
        placement = self.drive.placement
        of_host = 1 if placement is None else placement.open_blocks
        open_blocks = of_host + (0 if self.shared else 1) + (1 if self.own_parity_blocks else 0)
        if self.drive.separation is not None:
            open_blocks = self.drive.separation.open_blocks() + (1 if self.own_parity_blocks else 0)
        unit = self.drive.timing.durations.program_unit
        cached = 0 if self.drive.slc_cache is None else self.drive.slc_cache.blocks  # 2.9
        return self.geometry.needed_spare(self.drive.trigger.kept, open_blocks, unit) + cached

    def _open_for_gc(self, plane: Plane, cause: Cause) -> None:
        plane.gc_block = self._open(plane, most_erased=cause is Cause.WEAR)
        if self.shared:
            plane.host_block = plane.gc_block

    def room(self, q: int, *, logical: int | None = None, more_owed: int = 0) -> int:
        """4.8; also what it would be with more pages owed (13.14)."""
        plane, pages = self.planes[q], self.geometry.pages_per_block
        free = len(plane.free)
        block = self.host_block_for(plane, logical)
        left = 0 if block is None else pages - self.blocks[block].taken
        if self.drive.placement is not None:
            left = self.drive.placement.left(q)
        if self.drive.separation is not None and not self.own_parity(logical):
            left = self.drive.separation.left(q, self.drive.separation.host)
        if self.shared:
            kept = pages if plane.victim is None else self.blocks[plane.victim].valid
            return left + free * pages - kept
        if self.drive.slc_cache is not None:
            left += self.drive.slc_cache.left(q)  # 4.39
        return left + max(0, self.free_for_host(plane, more_owed) * pages)

    def free_for_host(self, plane: Plane, more_owed: int = 0) -> int:
        """4.8: blocks that the host may open, if that is above 0."""
        pages = self.geometry.pages_per_block
        owing = -(-max(0, plane.owed + more_owed - self.left_for_gc(plane)) // pages)
        return len(plane.free) - max(self.drive.trigger.host_stop, plane.jobs) - owing

    def left_for_gc(self, plane: Plane) -> int:
        """Return the pages not yet taken of the GC open block, or of all of them (4.37)."""
        separation = self.drive.separation
        if separation is not None and separation.gc is not None:
            return separation.left(plane.number, separation.gc)
        if plane.gc_block is None:
            return 0
        return self.geometry.pages_per_block - self.blocks[plane.gc_block].taken

    def gc_room(self, q: int) -> int:
        """Return how many pages collection can take as things are (13.14)."""
        plane = self.planes[q]
        return self.left_for_gc(plane) + len(plane.free) * self.geometry.pages_per_block

    def host_can_take(self, q: int, logical: int | None = None) -> bool:
        """4.8, 4.45; which logical page it is matters where parity has blocks of its own (16.4)."""
        return self.drive.superblocks is not None or self.room(q, logical=logical) > 0

    def has_room(self, q: int, logical: int = 0) -> bool:
        """4.8, 4.45: for one more write than those that have no page yet."""
        if self.drive.superblocks is not None:
            return self.drive.superblocks.has_room(q, logical)
        return self.room(q) > self.planes[q].reserved

    def take_host_page(self, q: int, logical: int, *, stream: int | None = None) -> int | None:
        """4.9, 4.45, 16.4."""
        if not self.host_can_take(q, logical):
            return None
        plane, flash, layout = self.planes[q], self.drive.counters.flash, self.geometry.layout
        superblocks = self.drive.superblocks
        if superblocks is not None:
            stream = superblocks.stream_with_room(q, logical) if stream is None else stream
            self._count_host_program(q, logical)
            return self._take(plane, superblocks.block_for_host(plane, stream), logical)
        if self.drive.slc_cache is not None:
            cached = self.drive.slc_cache.block_for_host(q)
            if cached is not None:  # 4.39
                self._count_host_program(q, logical)
                return self._take(plane, cached, logical)
        if self.drive.placement is not None:
            plane.host_block = self.drive.placement.choose(plane, logical)
        if self.drive.separation is not None and not self.own_parity(logical):
            plane.host_block = self.drive.separation.choose_host(plane, logical)
        if self.host_block_for(plane, logical) is None:
            if self.own_parity(logical):
                plane.parity_block = self._open(plane, most_erased=False)
            else:
                self._open_for_host(plane)
        block = self.host_block_for(plane, logical)
        assert block is not None
        rebuilt = self.drive.raid is not None and self.drive.raid.is_rebuilding(logical)
        if layout is not None and (rebuilt or layout.is_parity(logical)):
            flash.parity_programs += 1
            self.drive.counters.planes[q].parity_programs += 1
        else:
            self._count_host_program(q, logical)
        return self._take(plane, block, logical)

    def _count_host_program(self, q: int, logical: int) -> None:
        pages = self.geometry.translation
        if pages is not None and pages.has(logical):
            self.drive.counters.mapping_cache.translation_programs += 1
            return
        self.drive.counters.flash.host_programs += 1
        self.drive.counters.planes[q].host_programs += 1
        self.drive.mapping.streams.host_program(logical)

    def take_gc_page(self, q: int, logical: int, cause: Cause, source: int | None = None) -> int:
        """4.10; a page that waits in a buffer comes from nowhere."""
        plane, flash = self.planes[q], self.drive.counters.flash
        separation = self.drive.separation
        if separation is not None and separation.gc is not None and self.drive.superblocks is None:
            assert source is not None
            plane.gc_block = separation.choose_gc(plane, logical, source, cause)
        block = self.open_gc_block(q, cause)
        if cause is Cause.GC:
            flash.gc_programs += 1
        elif cause is Cause.WEAR:
            flash.wear_programs += 1
        elif self.drive.slc_cache is not None:
            self.drive.slc_cache.page_taken(plane)
        self.drive.counters.planes[q].relocated_pages += 1
        self.drive.mapping.streams.relocation(logical)
        return self._take(plane, block.number, logical)

    def open_gc_block(self, q: int, cause: Cause) -> Block:
        """Return the GC open block of a plane, opened for the cause if there is none (11.13)."""
        plane = self.planes[q]
        if plane.gc_block is None:
            self._open_for_gc(plane, cause)
        assert plane.gc_block is not None
        return self.blocks[plane.gc_block]

    def skip(self, block: Block, pages: int) -> None:
        """4.27."""
        for _ in range(pages):
            self.settle(self._take(self.planes[block.plane], block.number, None))

    def _take(self, plane: Plane, k: int, logical: int | None) -> int:
        """4.11; nobody owns a page that is skipped."""
        block = self.blocks[k]
        page = self.geometry.pages_of(k)[block.taken]
        block.taken += 1
        block.programming += 1
        cache = self.drive.slc_cache
        if cache is not None and cache.has(k):
            if block.taken == cache.pages:
                block.state = State.FILLING
                cache.filling(block)
        elif block.taken == self.geometry.pages_per_block:
            block.state = State.FILLING
            self._full(plane, k)
        self.owner[page] = logical
        self.programmed += 1
        if self.drive.parity is not None:
            self.drive.parity.taken(block)
        return page

    def _full(self, plane: Plane, k: int) -> None:
        """No page is taken of a block that has none left."""
        if plane.host_block == k:
            plane.host_block = None
        if plane.gc_block == k:
            plane.gc_block = None
        if plane.parity_block == k:
            plane.parity_block = None
        if self.drive.superblocks is not None:
            self.drive.superblocks.full(plane, k)
        if self.drive.placement is not None:
            self.drive.placement.full(plane.number, k)
        if self.drive.separation is not None:
            self.drive.separation.full(plane.number, k)

    def take_parity_page(self, block: Block) -> int:
        """4.48d."""
        self.drive.counters.flash.parity_programs += 1
        self.drive.counters.planes[block.plane].parity_programs += 1
        return self._take(self.planes[block.plane], block.number, None)

    def open_ahead_for_host(self, q: int) -> None:
        """4.12."""
        plane = self.planes[q]
        if not self.shared and plane.host_block is None and self.host_can_take(q):
            self._open_for_host(plane)
            self.drive.collection.run_triggers()

    def open_ahead_for_gc(self, q: int, cause: Cause) -> None:
        """4.12."""
        plane = self.planes[q]
        if not self.shared and plane.gc_block is None and plane.free:
            self._open_for_gc(plane, cause)
            self.drive.collection.run_triggers()

    def used_pages(self) -> int:
        """Return the pages taken and not erased since (13.2)."""
        return sum(block.taken for block in self.blocks)

    # Valid and not

    def make_valid(self, page: int) -> None:
        """Count a page whose program ended with data that is wanted (4.2)."""
        self.valid[page] = True
        self.block_of(page).valid += 1
        self.valid_pages += 1

    def make_invalid(self, page: int) -> None:
        """Count a page out, without telling anybody (4.14, 4.16)."""
        assert self.valid[page]
        self.valid[page] = False
        self.block_of(page).valid -= 1
        self.valid_pages -= 1

    def settle(self, page: int) -> None:
        """4.15: a program in the page's block has ended."""
        block = self.block_of(page)
        block.programming -= 1
        if block.state is State.FILLING and block.programming == 0:
            if self.drive.slc_cache is not None and self._is_cached(block.number):
                self.drive.slc_cache.sealed(block)
                return
            block.state = State.SEALED
            block.sealed_at = self.programmed
            if self.drive.superblocks is not None:
                self.drive.superblocks.sealed(block)
                return
            self.tell_sealed(block)

    def tell_sealed(self, block: Block) -> None:
        """4.15: the block is a candidate."""
        self.drive.victims.sealed(block)
        self.drive.trigger.sealed(block)
        self._more_reclaimable(block, self.yield_of(block.valid))

    def invalidate(self, page: int) -> None:
        """4.16."""
        self.make_invalid(page)
        block = self.block_of(page)
        if block.state is State.SEALED:
            self.tell_lost(block)

    def tell_lost(self, block: Block) -> None:
        """4.16: a sealed block has lost a valid page."""
        if self.drive.superblocks is not None:
            self.drive.superblocks.lost_page(block)
            return
        self.drive.victims.lost_page(block)
        self.drive.trigger.lost_page(block)
        self._more_reclaimable(block, self.yield_of(block.valid) - self.yield_of(block.valid + 1))

    def yield_of(self, valid: int) -> int:
        """4.4: what collecting a block with so many valid pages wins, in whole units."""
        unit = self.drive.timing.durations.program_unit
        return (self.geometry.pages_per_block - valid) // unit * unit

    def _more_reclaimable(self, block: Block, pages: int) -> None:
        """4.17."""
        plane = self.planes[block.plane]
        plane.reclaimable += pages
        if pages > 0 and plane.starved:
            plane.starved = False
            self.drive.collection.signal(plane)

    # Victims

    def withdraw(self, block: Block) -> None:
        """4.25: take a sealed block out of circulation."""
        assert block.state is State.SEALED
        plane = self.planes[block.plane]
        self.drive.victims.taken(block)
        self.drive.trigger.taken(block)
        block.state = State.VICTIM
        plane.reclaimable -= self.yield_of(block.valid)
        plane.jobs += 1
        plane.victim = block.number

    def lose(self, block: Block) -> list[int]:
        """18.2: a block of a lost chip, and the logical pages that were in flash there."""
        if block.state is State.FREE:
            return []
        plane, lost = self.planes[block.plane], []
        for page in self.geometry.pages_of(block.number):
            if self.valid[page]:
                logical = self.owner[page]
                assert logical is not None
                self.invalidate(page)
                lost.append(logical)
        if block.state is State.SEALED:
            self.withdraw(block)
            plane.jobs, plane.victim = 0, None
        for role in ("host_block", "gc_block", "parity_block"):
            if getattr(plane, role) == block.number:
                setattr(plane, role, None)
        if self.drive.separation is not None:
            self.drive.separation.full(plane.number, block.number)
        block.state, block.taken = State.FREE, 0
        block.erases += 1
        plane.free.append(block.number)
        self.drive.versions.erased(self.drive.geometry.pages_of(block.number))
        self.decide_urgent(plane)
        self.drive.jobs.relocation.erased(block)
        self.drive.trigger.erased(block)
        return lost

    def erase(self, block: Block, cause: Cause) -> None:
        """4.26."""
        self.drive.counters.planes[block.plane].erases += 1
        if self.drive.slc_cache is not None and cause is Cause.FOLD:
            self.drive.slc_cache.erased(block)
            return
        assert block.state is State.VICTIM
        assert block.valid == 0
        plane, flash = self.planes[block.plane], self.drive.counters.flash
        block.state = State.FREE
        block.taken = 0
        block.erases += 1
        plane.jobs -= 1
        if plane.jobs == 0:
            plane.victim = None
        self.drive.failing.free_or_fail(block)
        plane.erases_since_check += 1
        self.drive.versions.erased(self.drive.geometry.pages_of(block.number))
        self.decide_urgent(plane)
        if cause is Cause.GC:
            flash.erases += 1
        else:
            flash.wear_erases += 1
        self.drive.jobs.relocation.erased(block)
        self.drive.trigger.erased(block)
