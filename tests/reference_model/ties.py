"""Where a choice goes among several that are as good as each other (docs/model.md, section 19)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from reference_model.randomness import Stream

RULES = ("rotating", "lowest", "random")


class Ties:
    """The rule of one place, and what it remembers."""

    def __init__(self, rule: str, seed: int, stream: str) -> None:
        self.rule = rule
        self.stream = Stream(seed, stream)
        self.taken: list[int] = []

    def choose(self, candidates: Iterable[tuple[Any, int]]) -> int | None:
        """19.1: of (rank, number), the number of one of the least rank."""
        all_of_them = sorted(candidates)
        equals = [number for rank, number in all_of_them if rank == all_of_them[0][0]]
        if not equals:
            return None
        if self.rule == "random":
            return equals[self.stream.below(len(equals))] if len(equals) > 1 else equals[0]
        if self.rule == "lowest":
            return equals[0]
        chosen = min(equals, key=lambda number: self.taken.index(number) if number in self.taken else -1)
        if chosen in self.taken:
            self.taken.remove(chosen)
        self.taken.append(chosen)
        return chosen
