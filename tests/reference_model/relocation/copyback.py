"""Pages move inside the plane (docs/model.md, 13.3)."""

from __future__ import annotations

from reference_model.job import Way
from reference_model.relocation.in_order import InOrder


class Copyback(InOrder):
    """`copyback`."""

    over_channel_only = False
    way = Way.COPYBACK
