"""To the plane that the stripe names (docs/model.md, 16.2)."""

from __future__ import annotations

from reference_model.redundancy.layout import Layout


class Home:
    """Every page of a stripe, parity included, has its plane."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout

    def choose(self, logical: int) -> int:
        """Whether it has room or not."""
        return self.layout.home(logical)
