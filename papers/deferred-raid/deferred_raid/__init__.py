"""Deferred collection on chip-level RAID-5: its example, its figures and its parts."""

from __future__ import annotations

from .example import figures
from .statements import of_runs
from .tables import tables

__all__ = ["figures", "of_runs", "tables"]
