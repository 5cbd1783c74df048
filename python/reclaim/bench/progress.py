"""How far a sweep has come."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Progress:
    """The state of a sweep at one moment."""

    total: int
    """Points of the experiment."""
    done: int
    """Of them stored, those of earlier runs included."""
    before: int
    """Of them stored before this run began."""
    failed: int
    running: tuple[str, ...]
    """Labels of what runs now."""
    seconds: float
    """Since this run began."""
    seconds_left: float | None
    """Estimated from the points that ended so far; None before the first."""

    @property
    def rate(self) -> float:
        """Points per second."""
        return (self.done + self.failed - self.before) / self.seconds if self.seconds > 0 else 0.0


Report = Callable[[Progress], object]


class Meter:
    """Counts points and tells who wants to know."""

    def __init__(self, total: int, before: int, report: Report | None) -> None:
        self._total = total
        self._before = before
        self._report = report
        self._began = time.monotonic()
        self.done = before
        self.failed = 0

    def now(self, running: tuple[str, ...]) -> Progress:
        """Give the present state."""
        seconds = time.monotonic() - self._began
        ended = self.done + self.failed - self._before
        left = self._total - self.done - self.failed
        remaining = seconds / ended * left if ended else None
        return Progress(self._total, self.done, self._before, self.failed, running, seconds, remaining)

    def tell(self, running: tuple[str, ...]) -> None:
        """Report the present state."""
        if self._report is not None:
            self._report(self.now(running))
