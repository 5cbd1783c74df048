"""Two buses to each chip (docs/model.md, 12.24)."""

from __future__ import annotations

from reference_model.configuration import Table
from reference_model.geometry import Geometry
from reference_model.interconnects.channel import Refusal
from reference_model.interconnects.circuit_clock import CircuitClock
from reference_model.ties import RULES, Ties


class CrossedBuses:
    """`pnssd`."""

    in_turn = False
    wakes_after_transfer = True

    def __init__(self, policy: Table, geometry: Geometry, seed: int) -> None:
        self.split = bool(policy.take("split", default=False))
        self.spatial = bool(policy.take("spatial_gc", default=False))
        if self.split and self.spatial:
            raise ValueError("a transfer has one bus only, and cannot be split")
        self.ties = Ties(policy.choice("ties", RULES, "lowest"), seed, "controller")
        self.buses = []
        for die in range(geometry.dies):
            channel, way = divmod(geometry.chip_of_die(die), geometry.chips)
            self.buses.append((channel, geometry.channels + way))
        number = geometry.channels + geometry.chips
        self.ends: list[int | None] = [0] * number
        self.clocks = [CircuitClock() for _ in range(number)]
        self.taken: dict[int, list[int]] = {}

    def take(self, die: int, now: int, *, for_gc: bool) -> Refusal | None:
        """Take a bus, or both."""
        allowed = list(self.buses[die])
        if self.spatial:
            allowed = [allowed[1 if for_gc else 0]]
        ends = {bus: self.ends[bus] for bus in allowed}
        free = [bus for bus, end in ends.items() if end is not None and end <= now]
        if not free:
            return Refusal(min((end for end in ends.values() if end is not None), default=None))
        if len(free) > 1 and not self.split:
            chosen = self.ties.choose((0, bus) for bus in free)
            free = [bus for bus in free if bus == chosen]
        self.taken[die] = free
        for bus in self.taken[die]:
            self.ends[bus] = None
        return None

    def carry(self, die: int, now: int, length: int, *, for_gc: bool) -> int:
        """Half of it each over two."""
        buses = self.taken[die]
        lasts = -(-length // len(buses))
        for bus in buses:
            self.ends[bus] = now + lasts
            if for_gc:
                self.clocks[bus].carry(now, lasts)
        return lasts

    def holds(self, die: int) -> bool:  # noqa: ARG002
        """Never."""
        return False

    def give_back(self, die: int, now: int) -> bool:  # noqa: ARG002
        """Nothing to give back."""
        return False

    def gc_clock(self, die: int, now: int) -> int:
        """That of the channel's bus."""
        return self.clocks[self.buses[die][0]].read(now)
