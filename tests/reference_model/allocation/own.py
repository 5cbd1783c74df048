"""A function of the user's places each page (docs/own-policies.md)."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING

import numpy as np

from reference_model.own import Named

if TYPE_CHECKING:
    from reference_model.drive import Drive


class Own:
    """`python`."""

    def __init__(self, drive: Drive) -> None:
        self.drive = drive
        self.named = Named(drive, drive.config.allocation, "place")
        self.waits = False

    def choose(self, logical: int) -> int | None:
        """What it returns; noted is whether that is no plane although one has room."""
        drive, planes = self.drive, range(self.drive.geometry.planes)
        room = [int(drive.space.has_room(q, logical)) for q in planes]
        seen = SimpleNamespace(
            drive=self.named.shown,
            logical_page=logical,
            pending=np.array([drive.dies.load(drive.geometry.die_of_plane(q)) for q in planes]),
            has_room=np.array(room),
        )
        found = self.named.decide(seen)
        self.waits = found is None and any(room)
        return None if found is None else int(found)
