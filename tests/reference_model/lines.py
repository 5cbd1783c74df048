"""A contention domain and those who wait for its channel (docs/model.md, 12.6 and 12.13)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from reference_model.interconnects import Channel

if TYPE_CHECKING:
    from reference_model.dies import Die
    from reference_model.job import Job


class Domain:
    """A contention domain and its lines of waiting dies."""

    def __init__(self, number: int, channel: Channel) -> None:
        self.number = number
        self.channel = channel
        self.lines: list[list[Die]] = [[] for _ in range(6)]
        self.joinings = 0
        self.kept_for: Job | None = None  # 12.3a
        self.carried = 0  # 14.10
        self.walked = False  # whether those who wait are being walked over (12.13)

    def first(self) -> Die | None:
        """Return the first die of the first line that is not empty."""
        return next((line[0] for line in self.lines if line), None)

    def anybody_waits(self) -> bool:
        """Whether a die stands in any line."""
        return self.first() is not None

    def join(self, die: Die, line: int) -> None:
        """Stand at the end of a line."""
        self.joinings += 1
        die.joined = self.joinings
        self.lines[line].append(die)

    def leave(self, die: Die) -> None:
        """Stand in no line any more."""
        for line in self.lines:
            if die in line:
                line.remove(die)

    def walk(self) -> Iterator[Die]:
        """12.13: line by line, each from its front, through those who join behind the walk's place, too.

        Whoever is met may leave, and so may others: the place is that behind the joining of the one met last.
        """
        self.walked = True
        for line in self.lines:
            met = 0
            while (die := next((each for each in line if each.joined > met), None)) is not None:
                met = die.joined
                yield die
        self.walked = False
