"""Limits that only the end of a job changes (docs/model.md, 13.2)."""

from __future__ import annotations


class Fixed:
    """What `all` and `channels` have in common."""

    def deferred(self) -> None:
        """No matter."""

    def allows_more(self) -> bool:
        """Never."""
        return False
