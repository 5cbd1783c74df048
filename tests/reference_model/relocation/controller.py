"""Pages are read over the channel and written back over the channel (docs/model.md, 13.3 and 13.4)."""

from __future__ import annotations

from reference_model.job import Way
from reference_model.relocation.in_order import InOrder


class Controller(InOrder):
    """`controller`."""

    over_channel_only = True
    way = Way.CONTROLLER
