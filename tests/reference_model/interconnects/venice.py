"""Circuits that scouts find in a mesh of router chips (docs/model.md, 12.15 to 12.21)."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from reference_model.configuration import Table
from reference_model.geometry import Geometry
from reference_model.interconnects.channel import Refusal
from reference_model.interconnects.circuit_clock import CircuitClock
from reference_model.interconnects.router_grid import STEPS, Link, Router, RouterGrid
from reference_model.randomness import Stream


@dataclass
class Transfer:
    """A circuit in use, or several that one transfer has."""

    controller: int
    chip: int
    ways: list[list[Link]]
    distance: int
    end: int | None = None  # none while it is not known


class Venice:
    """`venice` and `smartnetssd`."""

    in_turn = False
    wakes_after_transfer = True

    def __init__(self, policy: Table, geometry: Geometry, seed: int, *, split: bool) -> None:
        self.grid = RouterGrid(policy, geometry, for_gc=True)
        self.place_of = [*self.grid.controllers, *self.grid.gc_controllers]
        of_host = list(range(len(self.grid.controllers)))
        of_gc = list(range(len(self.grid.controllers), len(self.place_of)))
        self.allowed = {False: of_host, True: of_gc or of_host}
        self.hop = policy.time("hop", "1ns")
        self.ports_tried = policy.whole("ports_tried", 3)
        self.at_once = policy.choice("resend", ("on-change", "at-once"), "on-change") == "at-once"
        if self.ports_tried < 1 or (self.at_once and self.hop == 0):
            raise ValueError("a scout needs a port, and time to go again at once")
        self.paths = policy.whole("paths", 2) if split else 1
        if self.paths not in range(1, 5):
            raise ValueError(f"{self.paths} paths")
        self.by_scout = not split and policy.choice("distance", ("way", "scout"), "way") == "scout"
        self.chip = [geometry.chip_of_die(die) for die in range(geometry.dies)]
        stream = Stream(seed, "interconnect")
        self.register = {router: 1 + stream.below(65535) for router in self.grid.routers}
        self.transfers: list[Transfer] = []
        self.of_die: dict[int, Transfer] = {}
        self.ended = 0
        self.turned_at: dict[int, int] = {}  # by chip: how many transfers had ended
        self.back_at: dict[int, int] = {}
        self.clocks = [CircuitClock() for _ in range(max(len(self.place_of), len(self.grid.chips)))]

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
        if self.at_once and self.back_at.get(chip, 0) > now:
            return Refusal(self.back_at[chip])
        if not self.at_once and self.turned_at.get(chip) == self.ended:
            return refusal
        controller = self.grid.nearest(idle, self.place_of, chip)
        taken = {link for each in self.transfers for way in each.ways for link in way}
        begin, goal = self.place_of[controller], self.grid.chips[chip]
        way, went = self._scout(begin, goal, taken)
        if way is None:
            self.turned_at[chip] = self.ended
            self.back_at[chip] = now + (went + 2) * self.hop
            return Refusal(self.back_at[chip]) if self.at_once else refusal
        ways = [way]
        while way and len(ways) < self.paths:
            taken |= set(ways[-1])
            further, _ = self._scout(begin, goal, taken)
            if further is None:
                break
            ways.append(further)
        distance = went if self.by_scout else max(len(each) for each in ways)
        self.of_die[die] = Transfer(controller, chip, ways, distance)
        self.transfers.append(self.of_die[die])
        return None

    def _scout(self, begin: Router, goal: Router, taken: set[Link]) -> tuple[list[Link] | None, int]:
        """12.18: the way, if it finds one, and the links that it travelled."""
        visited, gone_out, went = [begin], {router: set[int]() for router in self.grid.routers}, 0
        while visited[-1] != goal:
            at = visited[-1]
            port = self._next_port(at, goal, visited, taken, gone_out[at])
            if port is None:
                visited.pop()
                if not visited:
                    return None, went
            else:
                gone_out[at].add(port)
                there = self.grid.neighbour(at, STEPS[port])
                assert there is not None
                visited.append(there)
            went += 1
        return [frozenset(pair) for pair in pairwise(visited)], went

    def _next_port(
        self, at: Router, goal: Router, visited: list[Router], taken: set[Link], gone_out: set[int]
    ) -> int | None:
        if len(gone_out) >= self.ports_tried:
            return None
        eligible, nearer = [], []
        for port, step in enumerate(STEPS):
            there = self.grid.neighbour(at, step)
            if there is None or port in gone_out or there in visited or frozenset((at, there)) in taken:
                continue
            eligible.append(port)
            if self.grid.distance(there, goal) < self.grid.distance(at, goal):
                nearer.append(port)
        choice = nearer or eligible
        if len(choice) > 1:
            return choice[self._pick(at, len(choice))]
        return choice[0] if choice else None

    def _pick(self, router: Router, count: int) -> int:
        """12.19."""
        register = self.register[router]
        self.register[router] = (register >> 1) ^ (0xB400 if register & 1 else 0)
        return self.register[router] % count

    def carry(self, die: int, now: int, length: int, *, for_gc: bool) -> int:
        """12.16, 12.21."""
        transfer = self.of_die[die]
        lasts = -(-length // len(transfer.ways)) + transfer.distance * self.hop
        transfer.end = now + lasts
        if for_gc:
            clock = transfer.chip if self.grid.gc_controllers else transfer.controller
            self.clocks[clock].carry(now, lasts)
        return lasts

    def holds(self, die: int) -> bool:  # noqa: ARG002
        """Never."""
        return False

    def give_back(self, die: int, now: int) -> bool:  # noqa: ARG002
        """Nothing to give back."""
        return False

    def gc_clock(self, die: int, now: int) -> int:
        """12.20."""
        chip = self.chip[die]
        if self.grid.gc_controllers:
            return self.clocks[chip].read(now)
        return self.clocks[self.grid.nearest(self.allowed[False], self.place_of, chip)].read(now)
