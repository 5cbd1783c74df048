"""Blocks that fail (docs/model.md, 4.26a)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reference_model.configuration import Table
from reference_model.randomness import Stream
from reference_model.space import Block, State
from reference_model.units import MILLION

if TYPE_CHECKING:
    from reference_model.drive import Drive


class Failing:
    """The life of every block, where blocks fail."""

    def __init__(self, drive: Drive) -> None:
        self.drive = drive
        endurance = Table("flash.endurance", drive.config.flash.take("endurance", {}))
        self.rows = [(0, 0), *(_row(each) for each in endurance.take("failures", []))]
        self.most = 0
        self.lives: dict[int, int] = {}
        for name in ("erases", "single_level_erases", "warranty_years"):
            endurance.take(name, None)
        endurance.finish()

    def begin(self) -> None:
        """The drive is made."""
        drive = self.drive
        if len(self.rows) == 1:
            return
        if drive.raid is not None:
            raise ValueError("flash.endurance.failures does not go with raid5")
        self._draw_lives()
        geometry = drive.geometry
        spare = (geometry.pages - geometry.stored_pages) // geometry.planes // geometry.pages_per_block
        self.most = spare - drive.space.needed_blocks()
        if self.most < 1:
            raise ValueError("no block may fail")
        for plane in drive.space.planes:
            for k in list(plane.free):
                if self._fails(drive.space.blocks[k]):
                    plane.free.remove(k)
            plane.low_water = len(plane.free)
        if self.worn_out():
            raise ValueError("worn out before it begins")
        drive.counters.flash.failed = 0

    def _draw_lives(self) -> None:
        drive = self.drive
        stream = Stream(drive.config.seed, "endurance")
        for plane in drive.space.planes:
            for k in drive.space.ordinary(plane.number):
                self.lives[k] = self._life(stream.below(MILLION))
        if drive.superblocks is not None:
            for k in list(self.lives):
                parts = drive.superblocks.parts(drive.superblocks.of(k))
                least = min(self.lives[part.number] for part in parts)
                self.lives |= {part.number: least for part in parts}

    def _life(self, u: int) -> int:
        for (a, s), (b, t) in zip(self.rows, self.rows[1:], strict=False):
            if t > u:
                return a + (u - s) * (b - a) // (t - s) + 1
        return 1 << 40

    def _failed(self, q: int) -> int:
        blocks = self.drive.space.blocks
        return sum(blocks[k].state is State.FAILED for k in self.drive.geometry.blocks_of(q))

    def _fails(self, block: Block) -> bool:
        fails = block.erases >= self.lives[block.number] and self._failed(block.plane) < self.most
        if fails:
            block.state = State.FAILED
            self.drive.counters.flash.failed += 1
        return fails

    def worn_out(self) -> bool:
        """No block of some plane may fail any more."""
        planes = self.drive.space.planes if self.lives else ()
        return any(self._failed(plane.number) == self.most for plane in planes)

    def figures(self) -> dict[str, int]:
        """What results say of it."""
        if not self.lives:
            return {}
        failed = [self._failed(plane.number) for plane in self.drive.space.planes]
        left = self.most - max(failed)
        return {"failed_blocks": sum(failed), "available_spare": -(-100 * left // self.most)}

    def free_or_fail(self, block: Block) -> None:
        """In the place of joining the free list."""
        drive, plane = self.drive, self.drive.space.planes[block.plane]
        if self.lives:
            if drive.superblocks is not None:
                stop = max(drive.trigger.host_stop, plane.jobs)
                spares = len(plane.free) >= stop + drive.superblocks.owing(plane.number)
            else:
                spares = drive.space.free_for_host(plane) >= 0
            if spares and self._fails(block):
                return
        plane.free.append(block.number)


def _row(content: object) -> tuple[int, int]:
    table = Table("flash.endurance.failures", content)
    row = table.whole("erases"), table.ppm("failed")
    table.finish()
    return row
