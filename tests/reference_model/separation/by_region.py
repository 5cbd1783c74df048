"""`dac`: regions by how often a page is written (docs/model.md, 4.37a)."""

from __future__ import annotations

from reference_model.separation.classes import Classes


class Dac(Classes):
    """Up with a write, down with a relocation."""

    unwritten = 0

    def __init__(self, count: int) -> None:
        self.hottest = count - 1
        self.region: dict[int, int] = {}

    def of_write(self, logical: int, stream: int) -> int:  # noqa: ARG002
        """4.37a."""
        region = self.region.get(logical)
        self.region[logical] = 0 if region is None else min(region + 1, self.hottest)
        return self.region[logical]

    def of_relocated(self, logical: int, written_as: int, block: int) -> int:  # noqa: ARG002
        """4.37a."""
        self.region[logical] = max(self.region.get(logical, 0) - 1, 0)
        return self.region[logical]
