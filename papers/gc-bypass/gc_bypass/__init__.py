"""GC bypass: scouts, what no ratio says of its figures, parts, drawings, and what its buffer risks."""

from __future__ import annotations

from reclaim.paper.toolkit import Brought, LevelRuns

from . import bounds, parts, statements
from .bounds import tables
from .drawings import drawings
from .scouts import figures
from .statements import of_variations

__all__ = ["drawings", "figures", "of_runs", "of_variations", "tables"]


def of_runs(runs: LevelRuns) -> Brought:
    """Every figure that the level has, beside those of measures.toml."""
    return {
        name: each for part in (statements, bounds, parts) for name, each in dict(part.of_runs(runs)).items()
    }
