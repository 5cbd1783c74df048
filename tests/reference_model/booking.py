"""Where time is booked: sums and clocks (docs/model.md, section 15)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from enum import Enum
from typing import Protocol


@dataclass
class Times:
    """The four sums that an operation carries (15.1)."""

    queue: int = 0
    gc: int = 0
    transfer: int = 0
    array: int = 0

    def add(self, other: Times) -> None:
        """Take up those of another one."""
        for field in fields(self):
            setattr(self, field.name, getattr(self, field.name) + getattr(other, field.name))

    def wait(self, length: int, gc: int) -> None:
        """Book a wait, so much of it due to collection."""
        self.gc += gc
        self.queue += length - gc


@dataclass(frozen=True)
class Holds:
    """15.7b: how long those held something that hold it no more, and how much of it is gc."""

    time: int = 0
    gc: int = 0

    def and_one(self, length: int, gc: int, weight: int = 1) -> Holds:
        """Let one more end, of so much weight."""
        return Holds(self.time + weight * length, self.gc + weight * gc)

    def book_wait(self, times: Times, length: int, before: Holds) -> None:
        """Book a wait for those that have ended since it was `before`."""
        time, gc = self.time - before.time, self.gc - before.gc
        times.wait(length, length * gc // time if time else 0)


class _Pace(Enum):
    STANDS = 0
    RUNS = 1
    FOLLOWS_CHANNEL = 2


class DieClock:
    """How long collection has kept a die from other work (15.5)."""

    def __init__(self, channel_clock: Callable[[int], int]) -> None:
        self.channel_clock = channel_clock  # what that of the channel shows at a time (15.6)
        self.total = 0
        self.pace = _Pace.STANDS
        self.since = 0  # the time, or what the channel's clock showed

    def read(self, now: int) -> int:
        """What the clock shows."""
        if self.pace is _Pace.RUNS:
            return self.total + now - self.since
        if self.pace is _Pace.FOLLOWS_CHANNEL:
            return self.total + self.channel_clock(now) - self.since
        return self.total

    def stand(self, now: int) -> None:
        """Stop: the die is idle, or works for the host."""
        self._change(now, _Pace.STANDS, 0)

    def run(self, now: int) -> None:
        """Go on with the time: the die works for collection."""
        self._change(now, _Pace.RUNS, now)

    def follow_channel(self, now: int) -> None:
        """Go on with the channel's clock: the die waits to start."""
        self._change(now, _Pace.FOLLOWS_CHANNEL, self.channel_clock(now))

    def _change(self, now: int, pace: _Pace, since: int) -> None:
        self.total = self.read(now)
        self.pace = pace
        self.since = since


class Clock(Protocol):
    """What shows a time that was lost to collection."""

    def read(self, now: int) -> int:
        """What the clock shows."""
        ...


class Beside:
    """A clock that goes on from begin to end, as far as another one stands (15.5, 15.5a)."""

    def __init__(self, other: Clock) -> None:
        self.other = other
        self.begun: int | None = None
        self.other_showed = 0
        self.total = 0

    def clock(self, now: int) -> int:
        """What it shows."""
        if self.begun is None:
            return self.total
        return self.total + (now - self.begun) - (self.other.read(now) - self.other_showed)

    def read(self, now: int) -> int:
        """What it and the other one show together."""
        return self.other.read(now) + self.clock(now)

    def begin(self, now: int) -> None:
        """It goes on from now on."""
        self.begun = now
        self.other_showed = self.other.read(now)

    def end(self, now: int) -> int:
        """It stands: return how long it was since it began."""
        assert self.begun is not None
        self.total = self.clock(now)
        length = now - self.begun
        self.begun = None
        return length
