"""Every plane collects when its trigger says so (docs/model.md, 13.2)."""

from __future__ import annotations


class AllPlanes:
    """`all`."""

    def __init__(self, channels: int) -> None:
        self.channels = channels

    def allows(self, plane: int) -> bool:  # noqa: ARG002
        """Always."""
        return True

    def would_allow(self, plane: int) -> bool:  # noqa: ARG002
        """Always."""
        return True

    def lets_begin(self, plane: int) -> bool:  # noqa: ARG002
        """Always."""
        return True

    def most_channels(self) -> int:
        """14.11."""
        return self.channels

    def deferred(self) -> None:
        """No matter."""

    def look(self) -> None:
        """There is no gate."""

    def allows_more(self, *, emptied: bool, stalled: bool) -> bool:  # noqa: ARG002
        """Never."""
        return False
