"""Routers, chips and controllers of a mesh that may have more routers than chips (docs/model.md, 12.15)."""

from __future__ import annotations

from reference_model.configuration import Table
from reference_model.geometry import Geometry

Router = tuple[int, int]
"""Row and column."""
Link = frozenset[Router]
"""The two routers that it joins."""

STEPS = ((0, 1), (-1, 0), (1, 0), (0, -1))
"""East, north, south, west (12.18)."""


class RouterGrid:
    """Where everything is."""

    def __init__(self, policy: Table, geometry: Geometry, *, for_gc: bool) -> None:
        number = geometry.channels * geometry.chips
        self.rows = policy.whole("rows", geometry.channels)
        self.columns = policy.whole("columns", geometry.chips)
        if self.rows * self.columns < number:
            raise ValueError(f"{self.rows} x {self.columns} routers are too few for {number} chips")
        in_order = [[n // self.columns, n % self.columns] for n in range(number)]
        self.chips = self._places(policy, "chips", in_order)
        if len(self.chips) != number:
            raise ValueError(f"{len(self.chips)} places for {number} chips")
        self.controllers = self._places(policy, "controllers", [[row, 0] for row in range(self.rows)])
        if not self.controllers:
            raise ValueError("a mesh needs a controller")
        self.gc_controllers = self._places(policy, "gc_controllers", []) if for_gc else []
        self.routers = [(row, column) for row in range(self.rows) for column in range(self.columns)]

    def _places(self, policy: Table, key: str, default: list[list[int]]) -> list[Router]:
        places = policy.pair_list(key, default)
        for row, column in places:
            if row not in range(self.rows) or column not in range(self.columns):
                raise ValueError(f"{key}: [{row}, {column}] is outside the mesh")
        if len(set(places)) < len(places):
            raise ValueError(f"{key}: a place is given twice")
        return places

    def neighbour(self, router: Router, step: tuple[int, int]) -> Router | None:
        """Return the next router in a direction, if there is one."""
        there = (router[0] + step[0], router[1] + step[1])
        return there if there[0] in range(self.rows) and there[1] in range(self.columns) else None

    @staticmethod
    def distance(one: Router, other: Router) -> int:
        """12.15."""
        return abs(one[0] - other[0]) + abs(one[1] - other[1])

    def nearest(self, controllers: list[int], place_of: list[Router], chip: int) -> int:
        """Return the controller of least distance to a chip, the lowest number among equals."""
        goal = self.chips[chip]
        return min(controllers, key=lambda number: (self.distance(place_of[number], goal), number))
