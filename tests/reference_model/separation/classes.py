"""The class of a write (docs/model.md, 4.35, 4.36)."""

from __future__ import annotations

from abc import ABC, abstractmethod

from reference_model.request import Request

WRAP = 2**32


class Classes(ABC):
    """Which class a write is of, and a page that is relocated."""

    unwritten: int
    """The class of pages that were never written."""

    @abstractmethod
    def of_write(self, logical: int, stream: int) -> int:
        """The class of a write that is heard of."""

    def of_relocated(self, logical: int, written_as: int, block: int) -> int:  # noqa: ARG002
        """4.37: the class of a page that leaves a block; by default that it was written as."""
        return written_as

    def request(self, logical: int, pages: int) -> None:  # noqa: B027
        """4.37d: a write request is heard of."""

    def begin(self, requests: list[Request]) -> None:  # noqa: B027
        """Replays begin, or warm-up without them has ended."""

    def block_opened(self, block: int, label: int | None) -> None:  # noqa: B027
        """A block was opened for a class: the host's first; for none, if nobody said for which."""

    def victim(self, block: int) -> None:  # noqa: B027
        """A block becomes a victim of collection."""


class TranslationApart(Classes):
    """4.49: those of a drive that keeps nothing but translation pages apart."""

    unwritten = 0

    def of_write(self, logical: int, stream: int) -> int:  # noqa: ARG002
        """Return the class of a page of the user."""
        return 0


class ByStream(Classes):
    """`by-stream`."""

    unwritten = 0

    def of_write(self, logical: int, stream: int) -> int:  # noqa: ARG002
        """4.35."""
        return stream


class ByLifetime(Classes):
    """`by-lifetime`."""

    def __init__(self, count: int, base: int | None, pages: int) -> None:
        self.unwritten = count - 1
        self.base = smallest(pages, count - 1) if base is None else base
        self.now = 0
        self.written: dict[int, int] = {}

    def of_write(self, logical: int, stream: int) -> int:  # noqa: ARG002
        """4.36."""
        self.now = self.now + 1 if self.now < WRAP - 1 else 1
        last, self.written[logical] = self.written.get(logical), self.now
        if last is None:
            return self.unwritten
        t = (self.now - last) % WRAP
        return sum(self.base**k <= t for k in range(1, self.unwritten + 1))


def smallest(pages: int, power: int) -> int:
    """4.36: the base where none is given."""
    b = 2
    while b**power < pages:
        b += 1
    return b
