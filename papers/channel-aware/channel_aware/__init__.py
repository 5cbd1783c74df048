"""Adaptive channel-aware GC: gains over all cells and under every reading, and its figures over time."""

from __future__ import annotations

from reclaim.paper.toolkit import Brought, LevelRuns, PageTable

from . import choices, printed, readings, statements, workloads

__all__ = ["of_runs", "tables"]


def of_runs(runs: LevelRuns) -> Brought:
    """Every figure that the level has."""
    return dict(statements.of_runs(runs)) | dict(readings.of_runs(runs)) | dict(choices.of_runs(runs))


def tables(runs: LevelRuns) -> list[PageTable]:
    """Further tables of the page."""
    return [printed.table(), workloads.table(), *readings.tables(runs), *choices.table(runs)]
