"""The fewest valid pages (docs/model.md, 5.10)."""

from __future__ import annotations

from reference_model.configuration import Table
from reference_model.victims.by_valid_pages import ByValidPages


class Greedy(ByValidPages):
    """`greedy`."""

    def __init__(self, policy: Table, planes: int) -> None:
        super().__init__(planes)
        self.oldest = policy.choice("ties", ("oldest", "lowest-number"), "oldest") == "oldest"

    def choose(self, plane: int) -> int | None:
        """Among equals the head of the list, or the lowest number."""
        lists = self.lists[plane]
        if not lists:
            return None
        fewest = lists[min(lists)]
        return fewest[0].number if self.oldest else min(block.number for block in fewest)
