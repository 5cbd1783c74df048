"""Blocks of enough invalid pages are collected while their channel is idle (docs/model.md, 5.3a)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reference_model.configuration import Table
from reference_model.space import Block, Plane
from reference_model.units import MILLION, is_urgent, urgent_level

if TYPE_CHECKING:
    from reference_model.drive import Drive


class InvalidRatio:
    """`invalid-ratio`."""

    most_jobs = 1
    host_stop = 1
    all_asked_at: int | None = None

    def __init__(self, drive: Drive, policy: Table) -> None:
        self.drive = drive
        self.ratio = policy.ppm("ratio", "70%")
        self.hard = urgent_level(policy.take("hard", "0.5%"), drive.geometry.blocks_per_plane)
        self.start = 1 if self.hard is None else self.hard  # 5.3a: forced
        if self.start < 1:
            raise ValueError("gc.trigger needs 1 <= hard")
        self.waits_for_idle = policy.switch("idle", True)
        self.order = policy.choice("order", ("first-listed", "most-invalid"), "first-listed")
        self.kept = self.start
        self.lists: list[list[Block]] = [[] for _ in range(drive.geometry.channels)]

    def wants(self, plane: Plane, *, under_way: bool) -> bool:
        """If forced, or if the first block of an idle channel lies in the plane."""
        forced = len(plane.free) <= self.start
        if forced or under_way:
            return forced
        channel = self.drive.geometry.channel_of_plane(plane.number)
        return self._is_first(plane) and (not self.waits_for_idle or self._is_idle(channel))

    def _is_first(self, plane: Plane) -> bool:
        blocks = self._list(plane.number)
        return bool(blocks) and blocks[0].plane == plane.number

    def _is_idle(self, channel: int) -> bool:
        dies, geometry = self.drive.dies.all, self.drive.geometry
        return all(die.load == 0 for die in dies if geometry.channel_of_die(die.number) == channel)

    def urgent(self, free: int) -> bool:
        """At `hard` or below."""
        return is_urgent(free, self.hard)

    def victim(self, plane: Plane) -> int | None:
        """5.6: the first of the list, unless the victim policy is to choose."""
        if plane.urgent or not self._is_first(plane):
            return None
        return self._list(plane.number)[0].number

    def _list(self, plane: int) -> list[Block]:
        return self.lists[self.drive.geometry.channel_of_plane(plane)]

    def has_listed(self) -> bool:
        """Whether any list has a block."""
        return any(self.lists)

    def sealed(self, block: Block) -> None:
        """Perhaps it joins the list."""
        self._consider(block)

    def lost_page(self, block: Block) -> None:
        """Perhaps it joins the list."""
        self._consider(block)

    def _consider(self, block: Block) -> None:
        pages, blocks = self.drive.geometry.pages_per_block, self._list(block.plane)
        invalid = pages - block.valid
        unit = self.drive.timing.durations.program_unit
        if invalid < unit or invalid * MILLION < self.ratio * pages:
            return
        if self.order == "most-invalid":
            if block in blocks:
                blocks.remove(block)
            place = sum(other.valid <= block.valid for other in blocks)
            blocks.insert(place, block)
        elif block not in blocks:
            blocks.append(block)
        else:
            return
        self._signal_first(blocks)

    def taken(self, block: Block) -> None:
        """It leaves the list."""
        blocks = self._list(block.plane)
        if block in blocks:
            blocks.remove(block)

    def erased(self, block: Block) -> None:
        """The next may follow."""
        self._signal_first(self._list(block.plane))

    def emptied(self, channel: int) -> None:
        """The channel may be idle."""
        if self.waits_for_idle:
            self._signal_first(self.lists[channel])

    def _signal_first(self, blocks: list[Block]) -> None:
        if blocks:
            self.drive.collection.signal(self.drive.space.planes[blocks[0].plane])
