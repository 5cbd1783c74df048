"""A share of the channels collects at once (docs/model.md, 13.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reference_model.concurrency.fixed import Fixed
from reference_model.units import share

if TYPE_CHECKING:
    from reference_model.drive import Drive


def busy_channels(drive: Drive) -> set[int]:
    """Return the channels that have jobs, of any cause."""
    planes = drive.space.planes
    return {drive.geometry.channel_of_plane(plane.number) for plane in planes if plane.jobs > 0}


class Channels(Fixed):
    """`channels`."""

    def __init__(self, drive: Drive) -> None:
        self.drive = drive
        self.most = max(1, share(drive.config.concurrency.ppm("share", "50%"), drive.geometry.channels))

    def allows(self, plane: int) -> bool:
        """Jobs of any cause count."""
        busy = busy_channels(self.drive)
        return len(busy) < self.most or self.drive.geometry.channel_of_plane(plane) in busy
