"""How often pages have been copied back one after the other (docs/model.md, 13.19)."""

from __future__ import annotations

from collections.abc import Iterable

from reference_model.configuration import Table

MOST = 255


class Copies:
    """The count of every page, and the limit."""

    def __init__(self, policy: Table | None) -> None:
        self.limit = None
        if policy is not None and policy.has("max_consecutive_copybacks"):
            self.limit = policy.whole("max_consecutive_copybacks")
        self.counts: dict[int, int] = {}  # 0 where there is none

    def is_due(self, page: int) -> bool:
        """Whether the page must go through the controller."""
        return self.limit is not None and self.counts.get(page, 0) >= self.limit

    def any_due(self, pages: Iterable[int]) -> bool:
        """Whether one of them must."""
        return any(self.is_due(page) for page in pages)

    def copied(self, source: int, target: int) -> None:
        """A move by copyback is committed."""
        self.counts[target] = min(MOST, self.counts.get(source, 0) + 1)

    def erased(self, pages: Iterable[int]) -> None:
        """A block is erased."""
        for page in pages:
            self.counts.pop(page, None)
