"""Adaptive channel-aware GC: what no gain says, figures over time, our workloads beside the paper's."""

from __future__ import annotations

from reclaim.paper.toolkit import Brought, LevelRuns, PageTable

from . import printed, readings, statements, workloads

__all__ = ["of_runs", "tables"]


def of_runs(runs: LevelRuns) -> Brought:
    """Every figure that the level has, beside those of measures.toml."""
    return dict(statements.of_runs(runs)) | dict(readings.of_runs(runs))


def tables(_runs: LevelRuns) -> list[PageTable]:
    """Tables of the page that no run changes."""
    return [printed.table(), workloads.table()]
