"""Circuits that scouts find in a mesh of router chips (docs/model.md, 12.15 to 12.21)."""

from __future__ import annotations

from dataclasses import dataclass

from reference_model.configuration import Table
from reference_model.geometry import Geometry
from reference_model.interconnects.channel import Refusal
from reference_model.interconnects.circuit_mesh import CircuitMesh
from reference_model.interconnects.router_grid import Link, RouterGrid


@dataclass
class Transfer:
    """A circuit in use, or several that one transfer has."""

    controller: int
    chip: int
    ways: list[list[Link]]
    distance: int
    end: int | None = None  # none while it is not known


class Venice(CircuitMesh):
    """`venice` and `smartnetssd`."""

    def __init__(self, policy: Table, geometry: Geometry, seed: int, *, split: bool) -> None:
        super().__init__(RouterGrid(policy, geometry, for_gc=True), policy, geometry, seed)
        self.paths = policy.whole("paths", 2) if split else 1
        if self.paths not in range(1, 5):
            raise ValueError(f"{self.paths} paths")
        self.by_scout = not split and policy.choice("distance", ("way", "scout"), "way") == "scout"
        self.transfers: list[Transfer] = []
        self.of_die: dict[int, Transfer] = {}

    def _forget_ended(self, now: int) -> None:
        in_use = [each for each in self.transfers if each.end is None or each.end > now]
        self.ended += len(self.transfers) - len(in_use)
        self.transfers = in_use

    def take(self, die: int, now: int, *, for_gc: bool) -> Refusal | None:
        """12.17."""
        self._forget_ended(now)
        chip = self.chip[die]
        ends = [each.end for each in self.transfers if each.end is not None]
        refusal = Refusal(min(ends, default=None))
        busy = {each.controller for each in self.transfers}
        idle = [number for number in self.allowed[for_gc] if number not in busy]
        if not idle or any(each.chip == chip for each in self.transfers):
            return refusal
        too_early = self._may_not_send(chip, now, refusal)
        if too_early is not None:
            return too_early
        controller = self._sender(idle, chip)
        taken = {link for each in self.transfers for way in each.ways for link in way}
        begin, goal = self.place_of[controller], self.grid.chips[chip]
        scout = self.scouts.send(begin, goal, taken)
        if scout.way is None:
            return self._turned(chip, now, scout, refusal)
        ways = [scout.way]
        while scout.way and len(ways) < self.paths:
            taken |= set(ways[-1])
            further = self.scouts.send(begin, goal, taken)
            if further.way is None:
                break
            ways.append(further.way)
        distance = scout.travelled if self.by_scout else max(len(each) for each in ways)
        self.of_die[die] = Transfer(controller, chip, ways, distance)
        self.transfers.append(self.of_die[die])
        return None

    def carry(self, die: int, now: int, length: int, *, for_gc: bool) -> int:
        """12.16, 12.21."""
        transfer = self.of_die[die]
        lasts = -(-length // len(transfer.ways)) + transfer.distance * self.hop
        transfer.end = now + lasts
        if for_gc:
            self._run_clock(transfer.chip, transfer.controller, now, lasts)
        return lasts
