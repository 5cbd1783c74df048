"""What meshes have in common in which scouts look for circuits (docs/model.md, 12.15 to 12.22)."""

from __future__ import annotations

from collections.abc import Hashable

from reference_model.configuration import Table
from reference_model.geometry import Geometry
from reference_model.interconnects.channel import Refusal
from reference_model.interconnects.circuit_clock import CircuitClock
from reference_model.interconnects.router_grid import RouterGrid
from reference_model.interconnects.scouts import Scout, Scouts
from reference_model.ties import RULES, Ties


class CircuitMesh:
    """Controllers, chips and scouts; which circuits there are is the networks' own matter."""

    in_turn = False
    wakes_after_transfer = True

    def __init__(self, grid: RouterGrid, policy: Table, geometry: Geometry, seed: int) -> None:
        self.grid = grid
        self.place_of = [*grid.controllers, *grid.gc_controllers]
        of_host = list(range(len(grid.controllers)))
        of_gc = list(range(len(grid.controllers), len(self.place_of)))
        self.allowed = {False: of_host, True: of_gc or of_host}
        self.hop = policy.time("hop", "1ns")
        self.ties = Ties(policy.choice("ties", RULES, "lowest"), seed, "controller")
        self.scouts = Scouts(grid, policy, seed)
        self.at_once = policy.choice("resend", ("on-change", "at-once"), "on-change") == "at-once"
        if self.at_once and self.hop == 0:
            raise ValueError("a scout needs time to go again at once")
        self.chip = [geometry.chip_of_die(die) for die in range(geometry.dies)]
        self.ended = 0
        self.turned_at: dict[Hashable, int] = {}  # of whom scouts were sent for: how many circuits had ended
        self.back_at: dict[Hashable, int] = {}
        self.clocks = [CircuitClock() for _ in range(max(len(self.place_of), len(grid.chips)))]

    def _may_not_send(self, sender: Hashable, now: int, refusal: Refusal) -> Refusal | None:
        """12.17, step 2: the refusal, if it is too early for another scout."""
        if self.at_once and self.back_at.get(sender, 0) > now:
            return Refusal(self.back_at[sender])
        if not self.at_once and self.turned_at.get(sender) == self.ended:
            return refusal
        return None

    def _turned(self, sender: Hashable, now: int, scout: Scout, refusal: Refusal) -> Refusal:
        """12.17: a scout has turned."""
        self.turned_at[sender] = self.ended
        self.back_at[sender] = now + (scout.travelled + 2) * self.hop
        return Refusal(self.back_at[sender]) if self.at_once else refusal

    def _sender(self, candidates: list[int], chip: int) -> int:
        """12.17, step 3, and 19.1."""
        goal = self.grid.chips[chip]
        ranked = [(self.grid.distance(self.place_of[number], goal), number) for number in candidates]
        chosen = self.ties.choose(ranked)
        assert chosen is not None
        return chosen

    def _run_clock(self, chip: int, controller: int, now: int, lasts: int) -> None:
        """12.20: a transfer for collection begins."""
        self.clocks[chip if self.grid.gc_controllers else controller].carry(now, lasts)

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
