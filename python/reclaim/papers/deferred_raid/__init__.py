"""Deferred collection on chip-level RAID-5: its example, its figures and its parts."""

from __future__ import annotations

from reclaim.papers.deferred_raid.drawings import drawings
from reclaim.papers.deferred_raid.example import figures
from reclaim.papers.deferred_raid.statements import of_runs
from reclaim.papers.deferred_raid.tables import tables

__all__ = ["drawings", "figures", "of_runs", "tables"]
