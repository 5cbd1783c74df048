"""GC bypass: the success of scouts, its figures and parts, orders at the die, and what its buffer bounds."""

from __future__ import annotations

from reclaim.papers.custom import Custom, PageTable, Ran

from . import bounds, orders, statements
from .drawings import drawings
from .scouts import figures
from .statements import of_variations

__all__ = ["drawings", "figures", "of_runs", "of_variations", "tables"]


def of_runs(ran: Ran) -> dict[str, Custom]:
    """Every figure; those that the level does not have say so."""
    return statements.of_runs(ran) | orders.of_runs(ran) | bounds.of_runs(ran)


def tables(ran: Ran) -> list[PageTable]:
    """Further tables of the page."""
    return [*orders.tables(ran), *bounds.tables(ran)]
