"""GC bypass: scouts, figures, orders at the die and other choices, parts, and what its buffer bounds."""

from __future__ import annotations

from reclaim.papers.custom import Custom, PageTable, Ran

from . import acting, bounds, choices, orders, parts, sizes, statements, tails
from .drawings import drawings
from .scouts import figures
from .statements import of_variations

__all__ = ["drawings", "figures", "of_runs", "of_variations", "tables"]


def of_runs(ran: Ran) -> dict[str, Custom]:
    """Every figure; those that the level does not have say so."""
    found: dict[str, Custom] = {}
    for module in (statements, orders, acting, sizes, tails, bounds, choices, parts):
        found |= module.of_runs(ran)
    return found


def tables(ran: Ran) -> list[PageTable]:
    """Further tables of the page."""
    return [table for module in (orders, bounds, choices, parts) for table in module.tables(ran)]
