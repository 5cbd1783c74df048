"""GC bypass: the success of scouts, its figures and its parts."""

from __future__ import annotations

from reclaim.papers.gc_bypass.drawings import drawings
from reclaim.papers.gc_bypass.scouts import figures
from reclaim.papers.gc_bypass.statements import of_runs, of_variations

__all__ = ["drawings", "figures", "of_runs", "of_variations"]
