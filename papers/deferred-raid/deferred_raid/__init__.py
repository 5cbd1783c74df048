"""Deferred collection on chip-level RAID-5: its example, what no ratio says of runs, their arithmetic."""

from __future__ import annotations

from reclaim.paper.toolkit import Brought, LevelRuns

from . import statements, weeks
from .example import figures
from .gains import variations as tables

__all__ = ["figures", "of_runs", "tables"]


def of_runs(runs: LevelRuns) -> Brought:
    """Every figure that the level has, beside those of measures.toml."""
    return {**dict(statements.of_runs(runs)), **dict(weeks.of_runs(runs))}
