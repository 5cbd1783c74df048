"""`sepbit`: by the age of what is replaced or relocated (docs/model.md, 4.37b)."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from reference_model.separation.classes import WRAP, Classes

if TYPE_CHECKING:
    from reference_model.drive import Drive


class SepBit(Classes):
    """Short-lived, long-lived, and what collection finds."""

    unwritten = 1

    def __init__(self, drive: Drive, lifespans: int) -> None:
        self.drive = drive
        self.lifespans = lifespans
        self.now = 0
        self.written: dict[int, int] = {}
        self.remembered = 0
        self.mean: Fraction | None = None  # l of the rule
        self.seen: list[int] = []
        self.opened: dict[int, tuple[int, int]] = {}  # by block: class, and now of then

    def of_write(self, logical: int, stream: int) -> int:  # noqa: ARG002
        """4.37b."""
        self.now = self.now + 1 if self.now < WRAP - 1 else 1
        last, self.written[logical] = self.written.get(logical), self.now
        t = None if last is None else (self.now - last) % WRAP
        short = t is not None and t < self.remembered and self._below(t, 1)
        self.remembered += 1
        if self.remembered > self.drive.space.valid_pages or not self._at_most_mean():
            self.remembered -= 1
            if not self._at_most_mean():
                self.remembered -= 1
        return 0 if short else 1

    def of_relocated(self, logical: int, written_as: int, block: int) -> int:  # noqa: ARG002
        """4.37b."""
        if block in self.opened and self.opened[block][0] == 0:
            return 0
        last = self.written.get(logical)
        age = WRAP - 1 if last is None else (self.now - last) % WRAP
        if self._below(age, 4):
            return 1
        return 2 if self._below(age, 16) else 3

    def block_opened(self, block: int, label: int | None) -> None:
        """4.37b."""
        if label is None:
            self.opened.pop(block, None)
        else:
            self.opened[block] = label, self.now

    def victim(self, block: int) -> None:
        """4.37b: it is collected."""
        label, opened = self.opened.get(block, (None, 0))
        if label != 0:
            return
        self.seen.append((self.now - opened) % WRAP)
        if len(self.seen) == self.lifespans:
            self.mean = Fraction(sum(self.seen), self.lifespans)
            self.seen = []

    def _below(self, age: int, times: int) -> bool:
        return self.mean is None or age < times * self.mean

    def _at_most_mean(self) -> bool:
        return self.mean is None or self.remembered <= self.mean
