"""Data kept apart: `ftl.separation` (docs/model.md, 4.34 to 4.37)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reference_model.separation.classes import ByLifetime, ByStream
from reference_model.separation.open_blocks import Separation

if TYPE_CHECKING:
    from reference_model.drive import Drive


def make(drive: Drive) -> Separation | None:
    """Return the separation that the configuration names; none for `none`."""
    table = drive.config.separation
    kind = table.choice("kind", ("none", "by-stream", "by-lifetime"))
    if kind == "none":
        return None
    count = table.whole("open_blocks", 4)
    if not 2 <= count <= 8:
        raise ValueError("ftl.separation has from 2 to 8 open blocks")
    base = table.whole("base") if table.has("base") else None
    if base is not None and base < 2:
        raise ValueError("ftl.separation.base is at least 2")
    if kind == "by-stream":
        return Separation(drive, count, ByStream())
    return Separation(drive, count, ByLifetime(count, base, drive.geometry.user_pages))
