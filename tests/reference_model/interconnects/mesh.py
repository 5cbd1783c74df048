"""A mesh of routers, over which transfers hold circuits (docs/model.md, 12.10 to 12.14)."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from reference_model.configuration import Table
from reference_model.geometry import Geometry
from reference_model.interconnects.channel import Refusal
from reference_model.interconnects.circuit_clock import CircuitClock
from reference_model.ties import RULES, Ties

Router = tuple[int, int]
"""Row and column."""
Thing = tuple[str, object]
"""What a transfer may need: a controller, a link between two routers, the port of a chip."""


@dataclass(frozen=True)
class Circuit:
    """A controller and the way from it to a chip, with all that a transfer needs (12.11)."""

    controller: int
    hops: int
    needs: tuple[Thing, ...]


class Mesh:
    """`mesh`."""

    in_turn = False
    wakes_after_transfer = True

    def __init__(self, policy: Table, geometry: Geometry, seed: int) -> None:
        chips = geometry.channels * geometry.chips
        self.rows = policy.whole("rows", geometry.channels)
        self.columns = policy.whole("columns", geometry.chips)
        if self.rows < 1 or self.columns < 1 or self.rows * self.columns != chips:
            raise ValueError(
                f"a mesh of {self.rows} x {self.columns} is not one router for each of {chips} chips"
            )
        shared = policy.pair_list("controllers", [[row, 0] for row in range(self.rows)])
        for_gc_only = policy.pair_list("gc_controllers", [])
        if not shared:
            raise ValueError("a mesh needs a controller")
        self.controllers = [*shared, *for_gc_only]
        self._check_controllers()
        self.hop = policy.time("hop", "1ns")
        own = policy.choice("entry", ("own", "nearest-free"), "own") == "own"
        self.ties = Ties(policy.choice("ties", RULES, "lowest"), seed, "controller")
        self.chip = [geometry.chip_of_die(die) for die in range(geometry.dies)]
        of_host = [self._circuits(chip, range(len(shared))) for chip in range(chips)]
        of_gc = of_host
        if for_gc_only:
            only = range(len(shared), len(self.controllers))
            of_gc = [self._circuits(chip, only) for chip in range(chips)]
        self.possible = {
            for_gc: [circuits[:1] if own else circuits for circuits in nearest]
            for for_gc, nearest in ((False, of_host), (True, of_gc))
        }
        self.ends: dict[Thing, int | None] = {}  # of what was taken ever; none while it is not known yet
        self.circuit_of: dict[int, Circuit] = {}  # what each die took last
        # Of each chip what its clock watches (12.14).
        self.watched = [
            set(nearest.needs) - {("controller", nearest.controller)}
            if for_gc_only
            else {("controller", nearest.controller)}
            for nearest, *_ in of_host
        ]
        self.clocks = [CircuitClock() for _ in range(chips)]

    def _check_controllers(self) -> None:
        """12.10."""
        if len(set(self.controllers)) < len(self.controllers):
            raise ValueError("a router of the mesh has two controllers")
        for row, column in self.controllers:
            if row not in range(self.rows) or column not in range(self.columns):
                raise ValueError(f"the controller [{row}, {column}] is outside the mesh")

    def _circuits(self, chip: int, numbers: range) -> list[Circuit]:
        """12.12: those from some controllers to a chip, by hops and number."""
        router = divmod(chip, self.columns)
        circuits = []
        for number in numbers:
            links = _way(self.controllers[number], router)
            needs = [("controller", number), *(("link", link) for link in links), ("port", chip)]
            circuits.append(Circuit(number, len(links), tuple(needs)))
        return sorted(circuits, key=lambda circuit: (circuit.hops, circuit.controller))

    def _taken(self, circuit: Circuit, now: int) -> list[int | None]:
        """Return the ends of what is taken of what it needs."""
        ends = [self.ends.get(thing, now) for thing in circuit.needs]
        return [end for end in ends if end is None or end > now]

    def take(self, die: int, now: int, *, for_gc: bool) -> Refusal | None:
        """12.12."""
        latest, free = [], {}
        for circuit in self.possible[for_gc][self.chip[die]]:
            taken = self._taken(circuit, now)
            if not taken:
                free[circuit.controller] = circuit
                continue
            known = [end for end in taken if end is not None]
            latest.append(max(known) if len(known) == len(taken) else None)
        chosen = self.ties.choose((circuit.hops, number) for number, circuit in free.items())
        if chosen is not None:
            self.circuit_of[die] = free[chosen]
            self.ends |= dict.fromkeys(free[chosen].needs)
            return None
        times = [end for end in latest if end is not None]
        return Refusal(min(times) if len(times) == len(latest) else None)

    def carry(self, die: int, now: int, length: int, *, for_gc: bool) -> int:
        """12.11: each link on the way adds its time."""
        circuit = self.circuit_of[die]
        lasts = length + circuit.hops * self.hop
        self.ends |= dict.fromkeys(circuit.needs, now + lasts)
        if for_gc:
            for clock, watched in zip(self.clocks, self.watched, strict=True):
                if not watched.isdisjoint(circuit.needs):
                    clock.carry(now, lasts)
        return lasts

    def holds(self, die: int) -> bool:  # noqa: ARG002
        """Never."""
        return False

    def give_back(self, die: int, now: int) -> bool:  # noqa: ARG002
        """Nothing to give back."""
        return False

    def gc_clock(self, die: int, now: int) -> int:
        """12.14."""
        return self.clocks[self.chip[die]].read(now)


def _way(controller: Router, chip: Router) -> list[frozenset[Router]]:
    """Return the links on the way: along the row of the controller, then along the column of the chip."""
    row, column = controller
    stops = [controller]
    while column != chip[1]:
        column += 1 if column < chip[1] else -1
        stops.append((row, column))
    while row != chip[0]:
        row += 1 if row < chip[0] else -1
        stops.append((row, column))
    return [frozenset(link) for link in pairwise(stops)]
