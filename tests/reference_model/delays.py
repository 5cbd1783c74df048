"""What the controller itself takes time for (docs/model.md, 9.2 and 16.8)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from reference_model.booking import Times
from reference_model.events import Kind

if TYPE_CHECKING:
    from reference_model.drive import Drive


class Delay:
    """A list of those who wait for the same length of time."""

    def __init__(self, drive: Drive, length: int, index: int) -> None:
        self.drive = drive
        self.length = length
        self.index = index
        self.waiting: list[tuple[int, Callable[[], None]]] = []

    def begin(self, follows: Callable[[], None]) -> None:
        """Let something happen after that time; at once, if that is none."""
        if self.length == 0:
            follows()
            return
        self.waiting.append((self.drive.events.now + self.length, follows))
        if len(self.waiting) == 1:
            self.schedule()

    def schedule(self) -> None:
        """Set the timer for the first."""
        self.drive.events.schedule(self.waiting[0][0], Kind.TIMER, self.index)

    def end(self) -> None:
        """The first has waited long enough."""
        _, follows = self.waiting.pop(0)
        if self.waiting:
            self.schedule()
        follows()


class Delays:
    """Lookups and sums."""

    def __init__(self, drive: Drive) -> None:
        planes = drive.geometry.planes
        layout = drive.geometry.layout
        self.lookup = Delay(drive, drive.config.controller.time("lookup", "0ns"), planes + 1)
        self.xor = Delay(drive, 0 if layout is None else layout.xor, planes + 2)

    def end(self, index: int) -> None:
        """Handle a timer event of one of them."""
        (self.lookup if index == self.lookup.index else self.xor).end()

    def looked_up(self) -> Times:
        """Return the account of what has been looked up."""
        return Times(queue=self.lookup.length)
