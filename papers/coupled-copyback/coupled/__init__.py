"""CoupledCB: what its figures show of our runs, and how its regression is trained beforehand."""

from __future__ import annotations

from reclaim.paper.toolkit import Brought, LevelRuns

from . import statements
from .statements import of_variations
from .tables import of_page, tables

__all__ = ["of_runs", "of_variations", "tables"]


def of_runs(runs: LevelRuns) -> Brought:
    """What claims ask for, and what the page's prose takes by name."""
    return dict(statements.of_runs(runs)) | dict(of_page(runs))
