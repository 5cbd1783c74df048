"""Adaptive channel-aware GC: gains over all cells, and what its figures show over time."""

from __future__ import annotations

from reclaim.papers.channel_aware.drawings import drawings
from reclaim.papers.channel_aware.statements import of_runs

__all__ = ["drawings", "of_runs"]
