"""A share of the channels collects at once (docs/model.md, 13.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reference_model.units import share

if TYPE_CHECKING:
    from reference_model.drive import Drive


class Channels:
    """`channels`."""

    def __init__(self, drive: Drive) -> None:
        self.drive = drive
        self.most = max(1, share(drive.config.concurrency.ppm("share", "50%"), drive.geometry.channels))

    def allows(self, plane: int) -> bool:
        """Jobs of any cause count."""
        geometry = self.drive.geometry
        busy = {geometry.channel_of_plane(p.number) for p in self.drive.space.planes if p.jobs > 0}
        return len(busy) < self.most or geometry.channel_of_plane(plane) in busy
