"""CoupledCB: what its figures show of our runs, and how its regression is trained beforehand."""

from __future__ import annotations

from reclaim.papers.coupled.statements import drawings, of_runs, of_variations
from reclaim.papers.coupled.tables import tables

__all__ = ["drawings", "of_runs", "of_variations", "tables"]
