"""Adaptive channel-aware GC: gains over all cells and under every reading, and its figures over time."""

from __future__ import annotations

from reclaim.papers.custom import Custom, PageTable, Ran

from . import choices, printed, readings, statements, workloads

__all__ = ["of_runs", "tables"]


def of_runs(ran: Ran) -> dict[str, Custom]:
    """Every figure; those that the level does not have say so."""
    return statements.of_runs(ran) | readings.of_runs(ran) | choices.of_runs(ran)


def tables(ran: Ran) -> list[PageTable]:
    """Further tables of the page."""
    return [printed.table(), workloads.table(), *readings.tables(ran), *choices.table(ran)]
