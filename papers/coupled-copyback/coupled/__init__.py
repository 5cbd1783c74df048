"""CoupledCB: what its figures show of our runs, and how its regression is trained beforehand."""

from __future__ import annotations

from reclaim.papers.custom import Custom, Ran

from . import controls, fullness, learning, one_pass, parts, statements
from .statements import of_variations
from .tables import of_page, tables

__all__ = ["of_runs", "of_variations", "tables"]


def of_runs(ran: Ran) -> dict[str, Custom]:
    """What claims ask for, and what the page's prose takes by name."""
    further = fullness.of_page(ran.cells("fullness")) | learning.of_page(ran.cells("learning"))
    further |= one_pass.of_page(ran.cells("one-pass")) | parts.of_page(ran.cells("parts"))
    return statements.of_runs(ran) | of_page(ran) | further | controls.of_page(ran)
