"""A fixed stripe over the planes (docs/model.md, 4.22)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reference_model.geometry import Geometry

if TYPE_CHECKING:
    from reference_model.drive import Drive


def stripe(order: str, geometry: Geometry) -> list[int]:
    """Return the plane at each position of the stripe."""
    sizes = {"C": geometry.channels, "W": geometry.chips, "D": geometry.luns, "P": geometry.planes_per_lun}
    if sorted(order) != sorted(sizes):
        raise ValueError(f"ftl.allocation.order = {order!r} does not name each of C, W, D and P once")
    planes = []
    for position in range(geometry.planes):
        i, index = position, {}
        for dimension in order:
            index[dimension] = i % sizes[dimension]
            i //= sizes[dimension]
        planes.append(geometry.plane(index["C"], index["W"], index["D"], index["P"]))
    return planes


class Striping:
    """`striping`."""

    def __init__(self, drive: Drive) -> None:
        policy = drive.config.allocation
        self.space = drive.space
        planes = stripe(str(policy.take("order", "CWDP")), drive.geometry)
        self.planes = [plane for plane in planes for _ in range(drive.geometry.parts)]
        self.by_page = policy.choice("by", ("lpn", "arrival"), "lpn") == "lpn"
        self.position = 0

    def choose(self, logical: int) -> int | None:
        """By page, a plane whether it has room or not; by arrival, the next one with room."""
        if self.by_page:
            return self.planes[logical % len(self.planes)]
        for step in range(len(self.planes)):
            position = (self.position + step) % len(self.planes)
            if self.space.has_room(self.planes[position], logical):
                self.position = (position + 1) % len(self.planes)
                return self.planes[position]
        return None
