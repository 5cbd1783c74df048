"""Circuits that scouts find, and that rest between programs of a batch (docs/model.md, 12.22, 12.22a)."""

from __future__ import annotations

from dataclasses import dataclass

from reference_model.configuration import Table
from reference_model.counters import Counters
from reference_model.geometry import Geometry
from reference_model.interconnects.channel import Refusal
from reference_model.interconnects.circuit_mesh import CircuitMesh
from reference_model.interconnects.router_grid import Link, RouterGrid


@dataclass(frozen=True)
class Transfer:
    """What a transfer is that asks for a circuit."""

    low: bool
    kept: bool = False  # whether its circuit is to rest when it ends (13.33)
    free: int = 0  # blocks of the plane of the operation
    start: int = 1  # free blocks at which the trigger starts


@dataclass(eq=False)
class Circuit:
    """A circuit, in use or at rest."""

    controller: int
    chip: int
    way: list[Link]
    distance: int
    kept: bool
    end: int | None = None  # none while it is not known


class VenicePriority(CircuitMesh):
    """`venice-priority`."""

    def __init__(self, policy: Table, geometry: Geometry, seed: int) -> None:
        super().__init__(_grid(policy, geometry), policy, geometry, seed)
        self.by_scout = policy.choice("distance", ("way", "scout"), "way") == "scout"
        elevate = policy.choice("elevate", ("constant", "free-space"), "constant")
        self.by_free_space = elevate == "free-space"
        self.elevate_after = policy.whole("elevate_after", 3)
        if self.elevate_after < 1:
            raise ValueError("interconnect.elevate_after must be at least 1")
        self.failures = [0] * len(self.grid.chips)
        self.in_use: list[Circuit] = []
        self.resting: dict[int, Circuit] = {}  # by chip
        self.of_die: dict[int, Circuit] = {}
        self.asking = Transfer(low=False)  # who comes next to `take`
        self.counters = Counters()  # the drive's, once there is one

    def take(self, die: int, now: int, *, for_gc: bool) -> Refusal | None:
        """12.22a."""
        self._note_ended(now)
        chip, low, before = self.chip[die], self.asking.low, self._goes_before(self.chip[die])
        ends = [each.end for each in self.in_use if each.end is not None]
        refusal = Refusal(min(ends, default=None))
        if any(each.chip == chip for each in self.in_use):
            return refusal
        if low and chip in self.resting:
            self._use(die, self.resting.pop(chip))
            self.counters.network.circuits_resumed += 1
            return None
        candidates = self._candidates(for_gc=for_gc, before=before)
        if not candidates:
            return refusal
        too_early = self._may_not_send((chip, before), now, refusal)
        if too_early is not None:
            return too_early
        controller = self._sender(candidates, chip)
        self._remove([each for each in self.resting.values() if each.controller == controller])
        taken = {link for each in self.in_use for link in each.way}
        if not before:
            taken |= {link for each in self.resting.values() for link in each.way}
        scout = self.scouts.send(self.place_of[controller], self.grid.chips[chip], taken)
        gone_over = set(scout.gone_over)
        self._remove([each for each in self.resting.values() if not gone_over.isdisjoint(each.way)])
        if scout.way is None:
            if low:
                self.failures[chip] += 1
            return self._turned((chip, before), now, scout, refusal)
        self._remove([each for each in self.resting.values() if each.chip == chip])
        if low and before:
            self.counters.network.elevations += 1
        distance = scout.travelled if self.by_scout else len(scout.way)
        self._use(die, Circuit(controller, chip, scout.way, distance, kept=False))
        return None

    def _goes_before(self, chip: int) -> bool:
        """Whether who asks is high or elevated."""
        asking, after = self.asking, self.elevate_after
        if not asking.low:
            return True
        if self.by_free_space:
            after = (2 * after * asking.free + asking.start) // (2 * asking.start)
            after = min(max(after, 1), 2 * self.elevate_after)
        return self.failures[chip] >= after

    def _candidates(self, *, for_gc: bool, before: bool) -> list[int]:
        """Return the controllers that may send a scout: idle ones, else those of circuits at rest."""
        busy = {each.controller for each in self.in_use}
        held = {each.controller for each in self.resting.values()}
        allowed = [number for number in self.allowed[for_gc] if number not in busy]
        idle = [number for number in allowed if number not in held]
        return idle or (allowed if before else [])

    def _note_ended(self, now: int) -> None:
        """Circuits whose transfers have ended rest or are free."""
        for circuit in [each for each in self.in_use if each.end is not None and each.end <= now]:
            self.in_use.remove(circuit)
            self.ended += 1
            if circuit.kept:
                assert circuit.chip not in self.resting
                self.resting[circuit.chip] = circuit

    def _remove(self, circuits: list[Circuit]) -> None:
        """Take circuits that rest away."""
        for circuit in circuits:
            del self.resting[circuit.chip]
            self.ended += 1
            self.failures[circuit.chip] += 1
            self.counters.network.preemptions += 1

    def _use(self, die: int, circuit: Circuit) -> None:
        circuit.kept, circuit.end = self.asking.kept, None
        self.of_die[die] = circuit
        self.in_use.append(circuit)
        if self.asking.low:
            self.failures[circuit.chip] = 0

    def none_to_come(self, chip: int, now: int) -> bool:
        """13.33: nothing is kept at a chip any more; return whether a circuit that rested is free."""
        self._note_ended(now)
        for circuit in self.in_use:
            if circuit.chip == chip:
                circuit.kept = False
        freed = self.resting.pop(chip, None) is not None
        self.ended += freed
        return freed

    def holds_any(self, now: int) -> bool:
        """Whether any circuit is in use or at rest."""
        self._note_ended(now)
        return bool(self.in_use or self.resting)

    def carry(self, die: int, now: int, length: int, *, for_gc: bool) -> int:
        """12.16."""
        circuit = self.of_die[die]
        lasts = length + circuit.distance * self.hop
        circuit.end = now + lasts
        if for_gc:
            self._run_clock(circuit.chip, circuit.controller, now, lasts)
        return lasts


def _grid(policy: Table, geometry: Geometry) -> RouterGrid:
    """12.22: the routers, with the collector's own controller as the only one that is not the host's."""
    grid = RouterGrid(policy, geometry, for_gc=False)
    kind = policy.choice("gc_controller", ("extra", "dedicated", "shared"), "extra")
    given = policy.has("gc_at")
    if kind == "shared":
        if given:
            raise ValueError("interconnect.gc_at does not go with gc_controller = shared")
        return grid
    own = grid.controllers.pop() if kind == "dedicated" else (grid.rows - 1, grid.columns - 1)
    if not grid.controllers:
        raise ValueError("interconnect.gc_controller = dedicated needs two controllers")
    if given:
        own = policy.pair("gc_at")
        if own not in grid.routers:
            raise ValueError(f"gc_at: {own} is outside the mesh")
    grid.gc_controllers = [own]
    return grid
