"""The SLC cache (docs/model.md, 2.9, 3.9, 4.38 to 4.42)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from reference_model import units
from reference_model.space import Block, Cause, Plane, State

if TYPE_CHECKING:
    from reference_model.drive import Drive


@dataclass
class CachePlane:
    """4.38."""

    free: list[int]
    open_block: int | None = None
    full: list[int] = field(default_factory=list)


class SlcCache:
    """Cache blocks of every plane."""

    def __init__(self, drive: Drive) -> None:
        self.drive = drive
        geometry, durations, table = drive.geometry, drive.timing.durations, drive.config.slc_cache
        # 2.9
        text = table.take("blocks", "5%")
        self.blocks = units.level(text, geometry.blocks_per_plane)
        self.pages = geometry.flash_pages_per_block // durations.levels * geometry.parts
        if not 1 <= self.blocks <= geometry.blocks_per_plane or self.pages == 0:
            raise ValueError("ftl.slc_cache has no block, more than a plane has, or blocks without a page")
        # 4.41
        self.start = units.level(table.take("start", "1 block"), self.blocks)
        if not 1 <= self.start <= self.blocks:
            raise ValueError("ftl.slc_cache.start is beyond the cache")
        self.rested = table.switch("rested", True)
        # 3.9
        self.t_read = table.time("t_read", f"{durations.t_read[0]}ns")
        self.t_program = table.time("t_program", f"{durations.t_program[0]}ns")
        of_planes = (geometry.blocks_of(q) for q in range(geometry.planes))
        self.planes = [CachePlane([k for k in blocks if self.has(k)]) for blocks in of_planes]

    def has(self, k: int) -> bool:
        """2.9: whether it is a cache block."""
        geometry = self.drive.geometry
        return k % geometry.blocks_per_plane >= geometry.blocks_per_plane - self.blocks

    def left(self, q: int) -> int:
        """4.39."""
        cache = self.planes[q]
        left = len(cache.free) * self.pages
        if cache.open_block is not None:
            left += self.pages - self.drive.space.blocks[cache.open_block].taken
        return left

    def block_for_host(self, q: int) -> int | None:
        """4.39: the cache open block, opened if there is none; none if nothing is left."""
        cache, space = self.planes[q], self.drive.space
        if self.left(q) == 0:
            self.drive.counters.slc_cache.host_pages_past_full_cache += 1
            return None
        if cache.open_block is None:
            cache.open_block = cache.free.pop(0)
            space.blocks[cache.open_block].state = State.OPEN
            self.drive.collection.signal(space.planes[q])
        self.drive.counters.slc_cache.cached_pages += 1
        return cache.open_block

    def filling(self, block: Block) -> None:
        """4.39: it is no open block any more."""
        self.planes[block.plane].open_block = None

    def sealed(self, block: Block) -> None:
        """4.40."""
        block.state = State.CACHED
        self.planes[block.plane].full.append(block.number)
        self.drive.collection.signal(self.drive.space.planes[block.plane])

    def _next(self, plane: Plane) -> Block | None:
        """4.41: the first of the full blocks, if it fits and there is no job."""
        full, space = self.planes[plane.number].full, self.drive.space
        if not full or plane.jobs > 0:
            return None
        block = space.blocks[full[0]]
        beyond = max(0, self._owed(block) - space.left_for_gc(plane))
        needed = -(-beyond // self.drive.geometry.pages_per_block)
        if self.drive.superblocks is not None:  # 4.48b
            needed = self.drive.superblocks.owing(plane.number, self._owed(block))
        return block if needed <= max(0, len(plane.free) - self.drive.trigger.host_stop) else None

    def _owed(self, block: Block) -> int:
        """4.41: the pages that folding takes at most, in whole units."""
        unit = self.drive.program_units.size
        return -(-block.valid // unit) * unit

    def wanted(self, q: int) -> Block | None:
        """4.41: the block that is to be folded, if the plane wants folding."""
        few = len(self.planes[q].free) < self.start
        return self._next(self.drive.space.planes[q]) if few else None

    def resting(self, q: int) -> Block | None:
        """4.42: the block that is folded when the warm-up has ended."""
        return self._next(self.drive.space.planes[q]) if self.rested else None

    def take(self, block: Block) -> None:
        """4.41: it is a victim."""
        plane = self.drive.space.planes[block.plane]
        assert self.planes[block.plane].full.pop(0) == block.number
        block.state = State.VICTIM
        plane.jobs += 1
        plane.victim = block.number
        plane.owed = self._owed(block)
        self.drive.counters.slc_cache.folds += 1

    def page_taken(self, plane: Plane) -> None:
        """4.41: for a page that is folded."""
        self.drive.counters.slc_cache.folded_pages += 1
        if self.drive.superblocks is None:
            plane.owed -= 1

    def nothing_left(self, q: int, cause: Cause) -> None:
        """4.41: the block begins to erase."""
        if cause is Cause.FOLD:
            self.drive.space.planes[q].owed = 0

    def erased(self, block: Block) -> None:
        """4.41, in the place of 4.26."""
        assert block.state is State.VICTIM
        assert block.valid == 0
        plane = self.drive.space.planes[block.plane]
        block.state, block.taken = State.FREE, 0
        block.erases += 1
        self.planes[block.plane].free.append(block.number)
        plane.jobs -= 1
        plane.victim = None
        self.drive.versions.erased(self.drive.geometry.pages_of(block.number))


def make(drive: Drive) -> SlcCache | None:
    """4.38: return the cache that the configuration names; none for `none`."""
    kind = drive.config.slc_cache.choice("kind", ("none", "static"))
    return None if kind == "none" else SlcCache(drive)
