"""Triggers that look at free blocks only (docs/model.md, 5.2 and 5.3)."""

from __future__ import annotations

from reference_model.space import Block, Plane


class FreeLevels:
    """The victim policy chooses; what happens to blocks is no matter."""

    all_asked_at: int | None = None

    def victim(self, plane: Plane) -> int | None:
        """The victim policy's choice."""

    def has_listed(self) -> bool:
        """There are no lists."""
        return False

    def sealed(self, block: Block) -> None:
        """No matter."""

    def lost_page(self, block: Block) -> None:
        """No matter."""

    def taken(self, block: Block) -> None:
        """No matter."""

    def erased(self, block: Block) -> None:
        """No matter."""

    def emptied(self, channel: int) -> None:
        """No matter."""
