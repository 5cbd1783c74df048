"""GC bypass: scouts, figures, orders at the die and other choices, parts, and what its buffer bounds."""

from __future__ import annotations

from reclaim.paper.toolkit import Brought, LevelRuns, PageTable

from . import acting, bounds, choices, orders, parts, sizes, statements, tails
from .drawings import drawings
from .scouts import figures
from .statements import of_variations

__all__ = ["drawings", "figures", "of_runs", "of_variations", "tables"]


def of_runs(runs: LevelRuns) -> Brought:
    """Every figure that the level has."""
    modules = (statements, orders, acting, sizes, tails, bounds, choices, parts)
    return {name: figure for module in modules for name, figure in dict(module.of_runs(runs)).items()}


def tables(runs: LevelRuns) -> list[PageTable]:
    """Further tables of the page."""
    return [table for module in (orders, bounds, choices, parts) for table in module.tables(runs)]
