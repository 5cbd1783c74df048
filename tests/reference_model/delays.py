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


class Cores:
    """Take commands of the host one at a time each (9.2a)."""

    def __init__(self, drive: Drive, index: int) -> None:
        self.drive = drive
        self.command = drive.config.controller.time("command", "0ns")
        cores = drive.config.controller.whole("cores", 1)
        if cores < 1:
            raise ValueError("controller.cores must be at least 1")
        self.index = index
        self.done = [0] * cores  # when each is done with what it has got
        self.waiting: list[tuple[int, Callable[[], None]]] = []

    def begin(self, follows: Callable[[], None]) -> None:
        """Let something happen when a core has had the command."""
        if self.command == 0:
            follows()
            return
        core = self.done.index(min(self.done))
        self.done[core] = max(self.done[core], self.drive.events.now) + self.command
        self.waiting.append((self.done[core], follows))
        if len(self.waiting) == 1:
            self._schedule()

    def _schedule(self) -> None:
        self.drive.events.schedule(self.waiting[0][0], Kind.TIMER, self.index)

    def end(self) -> None:
        """The first leaves."""
        _, follows = self.waiting.pop(0)
        if self.waiting:
            self._schedule()
        follows()


class Delays:
    """Cores, lookups and sums."""

    def __init__(self, drive: Drive) -> None:
        planes = drive.geometry.planes
        layout = drive.geometry.layout
        self.lookup = Delay(drive, drive.config.controller.time("lookup", "0ns"), planes + 1)
        self.xor = Delay(drive, 0 if layout is None else layout.xor, planes + 2)

        self.cores = Cores(drive, planes + 3)
        self.at_cores = 0  # how long the request that is being split was there

    def end(self, index: int) -> None:
        """Handle a timer event of one of them."""
        if index == self.cores.index:
            self.cores.end()
        else:
            (self.lookup if index == self.lookup.index else self.xor).end()

    def looked_up(self) -> Times:
        """Return the account of what has been looked up."""
        return Times(queue=self.at_cores + self.lookup.length)
