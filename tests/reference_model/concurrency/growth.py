"""A limit that changes with the state of the drive (docs/model.md, 13.1 and 8.5)."""

from __future__ import annotations

from collections.abc import Callable


class Growth:
    """G, as it was noted last and as it is now."""

    def __init__(self, limit: Callable[[], int]) -> None:
        self.limit = limit
        self.noted = 0

    def note(self) -> None:
        """A plane was deferred."""
        self.noted = self.limit()

    def has_grown(self) -> bool:
        """Whether G is greater than noted; it is noted then."""
        now = self.limit()
        if now <= self.noted:
            return False
        self.noted = now
        return True
