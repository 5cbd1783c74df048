"""Which open block takes a page of the host: `ftl.placement` (docs/model.md, 4.29 to 4.33)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reference_model.placement.levels import Levels
from reference_model.placement.lifetimes import ByFuture, ByHistory

if TYPE_CHECKING:
    from reference_model.drive import Drive


def make(drive: Drive) -> Levels | None:
    """Return the placement by level that the configuration names, or none for `append`."""
    table = drive.config.placement
    kind = table.choice("kind", ("append", "level-by-history", "level-by-future"))
    if kind == "append":
        return None
    return Levels(drive, ByHistory() if kind == "level-by-history" else ByFuture(drive))
