"""The class of a write (docs/model.md, 4.35, 4.36)."""

from __future__ import annotations

from typing import Protocol

WRAP = 2**32


class Classes(Protocol):
    """Which class a write is of."""

    @property
    def unwritten(self) -> int:
        """The class of pages that were never written."""

    def of_write(self, logical: int, stream: int) -> int:
        """The class of a write that is heard of."""


class ByStream:
    """`by-stream`."""

    unwritten = 0

    def of_write(self, logical: int, stream: int) -> int:  # noqa: ARG002
        """4.35."""
        return stream


class ByLifetime:
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
