"""Packets that wait for links on their way (docs/model.md, 12.25)."""

from __future__ import annotations

from itertools import pairwise

from reference_model.configuration import Table
from reference_model.geometry import Geometry
from reference_model.interconnects.channel import Refusal
from reference_model.interconnects.circuit_clock import CircuitClock
from reference_model.interconnects.router_grid import Router, RouterGrid

Thing = tuple[str, object]
"""What a packet needs: the port of a controller or chip, a link."""


class PacketMesh:
    """`nossd`."""

    in_turn = False
    wakes_after_transfer = True

    def __init__(self, policy: Table, geometry: Geometry) -> None:
        self.grid = RouterGrid(policy, geometry, for_gc=False)
        self.hop = policy.time("hop", "1ns")
        self.chip = [geometry.chip_of_die(die) for die in range(geometry.dies)]
        everybody = list(range(len(self.grid.controllers)))
        self.controller_of = [
            self.grid.nearest(everybody, self.grid.controllers, chip) for chip in range(len(self.grid.chips))
        ]
        self.free: dict[Thing, int | None] = {}
        self.clocks = [CircuitClock() for _ in everybody]
        self.leaving = False  # whether what asks next is data that leave
        self.way: dict[int, list[Thing]] = {}

    def _way(self, die: int) -> list[Thing]:
        """All that a packet needs, one after the other."""
        chip = self.chip[die]
        controller = self.controller_of[chip]
        ends: list[tuple[Thing, Router]] = [
            (("controller", controller), self.grid.controllers[controller]),
            (("chip", chip), self.grid.chips[chip]),
        ]
        (first, begin), (last, end) = reversed(ends) if self.leaving else ends
        stops = [begin]
        while stops[-1] != end:
            row, column = stops[-1]
            if column != end[1]:
                stops.append((row, column + (1 if column < end[1] else -1)))
            else:
                stops.append((row + (1 if row < end[0] else -1), column))
        links: list[Thing] = [("link", frozenset(pair)) for pair in pairwise(stops)]
        return [first, *links, last]

    def take(self, die: int, now: int, *, for_gc: bool) -> Refusal | None:  # noqa: ARG002
        """Take the first port."""
        way = self._way(die)
        free = self.free.get(way[0], 0)
        if free is None or free > now:
            return Refusal(free)
        self.free[way[0]] = None
        self.way[die] = way
        return None

    def carry(self, die: int, now: int, length: int, *, for_gc: bool) -> int:
        """Send the packet; return how long it is on its way."""
        first, *rest = self.way[die]
        self.free[first] = now + length
        head = now
        for thing in rest:
            free = self.free.get(thing, 0)
            assert free is not None, "a port that is taken sends, and receives nothing before that"
            begin = max(head, free)
            self.free[thing] = begin + length
            head = begin + (self.hop if thing[0] == "link" else 0)
        if for_gc:
            self.clocks[self.controller_of[self.chip[die]]].carry(now, head + length - now)
        return head + length - now

    def holds(self, die: int) -> bool:  # noqa: ARG002
        """Never."""
        return False

    def give_back(self, die: int, now: int) -> bool:  # noqa: ARG002
        """Nothing to give back."""
        return False

    def gc_clock(self, die: int, now: int) -> int:
        """That of the chip's controller."""
        return self.clocks[self.controller_of[self.chip[die]]].read(now)
