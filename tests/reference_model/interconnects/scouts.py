"""Scouts that look for a way through a mesh of routers (docs/model.md, 12.18 and 12.19)."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from reference_model.configuration import Table
from reference_model.interconnects.router_grid import STEPS, Link, Router, RouterGrid
from reference_model.randomness import Stream


@dataclass(frozen=True)
class Scout:
    """What has become of a scout."""

    way: list[Link] | None
    """None if it has turned."""
    travelled: int
    """Links, forwards and back."""
    gone_over: list[Link]
    """Links by which it went out, also those that it took back."""


class Scouts:
    """Routers, and the registers by which they pick a port."""

    def __init__(self, grid: RouterGrid, policy: Table, seed: int) -> None:
        self.grid = grid
        self.ports_tried = policy.whole("ports_tried", 3)
        if self.ports_tried < 1:
            raise ValueError("a scout needs a port")
        self.first = policy.choice("picks", ("register", "first"), "register") == "first"
        stream = Stream(seed, "interconnect")
        self.register = {router: 1 + stream.below(65535) for router in grid.routers}

    def send(self, begin: Router, goal: Router, taken: set[Link]) -> Scout:
        """12.18: around the links that are taken."""
        visited, gone_out = [begin], {router: set[int]() for router in self.grid.routers}
        travelled, gone_over = 0, list[Link]()
        while visited[-1] != goal:
            at = visited[-1]
            port = self._next_port(at, goal, visited, taken, gone_out[at])
            if port is None:
                visited.pop()
                if not visited:
                    return Scout(None, travelled, gone_over)
            else:
                gone_out[at].add(port)
                there = self.grid.neighbour(at, STEPS[port])
                assert there is not None
                visited.append(there)
                gone_over.append(frozenset((at, there)))
            travelled += 1
        return Scout([frozenset(pair) for pair in pairwise(visited)], travelled, gone_over)

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
        if self.first:
            return 0
        register = self.register[router]
        self.register[router] = (register >> 1) ^ (0xB400 if register & 1 else 0)
        return self.register[router] % count
