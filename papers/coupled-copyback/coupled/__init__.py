"""CoupledCB: what no ratio says of its figures, and how its regression is trained beforehand."""

from __future__ import annotations

from reclaim.paper.toolkit import LevelRuns, PageTable

from . import separation
from .cells import cells_of
from .statements import of_runs, of_variations

__all__ = ["of_runs", "of_variations", "tables"]


def tables(runs: LevelRuns) -> list[PageTable]:
    """How well blocks are told apart, beside what that is worth."""
    return separation.tables() if cells_of(runs, "learning", "coin") else []
