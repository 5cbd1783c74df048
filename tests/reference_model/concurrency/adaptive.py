"""The fuller the drive, the more channels collect at once (docs/model.md, 13.2 and 8.5)."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, floor
from typing import TYPE_CHECKING

from reference_model.concurrency.growth import Growth
from reference_model.concurrency.usage import Usage
from reference_model.configuration import Table
from reference_model.units import MILLION

if TYPE_CHECKING:
    from collections.abc import Callable

    from reference_model.drive import Drive

ROUNDINGS: dict[str, Callable[[Fraction], int]] = {
    "ceil": ceil,
    "floor": floor,
    "nearest": lambda g: floor(g + Fraction(1, 2)),
}


class Adaptive:
    """`adaptive`."""

    def __init__(self, drive: Drive, policy: Table) -> None:
        self.drive = drive
        self.theta1 = policy.ppm("theta1", "50%")
        self.theta2 = policy.ppm("theta2", "85%")
        if not self.theta1 <= self.theta2 <= MILLION:
            raise ValueError("gc.concurrency needs theta1 <= theta2 <= 100%")
        self.max_channels = policy.whole("max_channels", 4)
        if self.max_channels < 1:
            raise ValueError("gc.concurrency.max_channels must be at least 1")
        self.rounding = ROUNDINGS[policy.choice("rounding", ROUNDINGS, "ceil")]
        self.usage = Usage(drive, policy)
        self.growth = Growth(lambda: self.limit(self.usage.pages()))

    def limit(self, pages: int) -> int:
        """Return G for so many pages."""
        all_pages = self.drive.geometry.pages
        if pages * MILLION < self.theta1 * all_pages:
            return 0
        if pages * MILLION >= self.theta2 * all_pages:
            return self.max_channels
        above = pages * MILLION - self.theta1 * all_pages
        return self.rounding(Fraction(self.max_channels * above, (self.theta2 - self.theta1) * all_pages))

    def allows(self, plane: int) -> bool:
        """It looks at nothing else than `would_allow`."""
        return self.would_allow(plane)

    def would_allow(self, plane: int) -> bool:
        """The plane's channel counts whether it has a job or not."""
        busy = self.usage.busy_channels() | {self.drive.geometry.channel_of_plane(plane)}
        return len(busy) <= self.limit(self.usage.pages()) and self.usage.lets_begin(plane)

    def lets_begin(self, plane: int) -> bool:
        """Whether the plane's channel is idle, where that matters."""
        return self.usage.lets_begin(plane)

    def most_channels(self) -> int:
        """14.11."""
        return self.limit(self.usage.pages())

    def deferred(self) -> None:
        """Note G."""
        self.growth.note()

    def look(self) -> None:
        """There is no gate."""

    def allows_more(self, *, emptied: bool, stalled: bool) -> bool:
        """Whether G has grown, a channel may be idle, or a plane may be stalled."""
        return self.growth.has_grown() or (emptied and self.usage.waits_for_idle) or stalled
