"""A share of the channels collects at once, from some usage on (docs/model.md, 13.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reference_model.concurrency.growth import Growth
from reference_model.concurrency.usage import Usage
from reference_model.configuration import Table
from reference_model.units import MILLION, share

if TYPE_CHECKING:
    from reference_model.drive import Drive


class Channels:
    """`channels`."""

    def __init__(self, drive: Drive, policy: Table) -> None:
        self.drive = drive
        self.most = max(1, share(policy.ppm("share", "50%"), drive.geometry.channels))
        self.gate = policy.ppm("gate", "0%")
        if self.gate > MILLION:
            raise ValueError("gc.concurrency.gate must be at most 100%")
        self.usage = Usage(drive, policy)
        self.growth = Growth(lambda: self.most if self._is_open() else 0)

    def _is_open(self) -> bool:
        return self.usage.pages() * MILLION >= self.gate * self.drive.geometry.pages

    def allows(self, plane: int) -> bool:
        """Jobs of any cause count."""
        busy = self.usage.busy_channels()
        few = len(busy) < self.most or self.drive.geometry.channel_of_plane(plane) in busy
        return self._is_open() and few and self.usage.lets_begin(plane)

    def deferred(self) -> None:
        """Note G."""
        self.growth.note()

    def allows_more(self, *, emptied: bool, stalled: bool) -> bool:
        """With a gate above 0 the limit can grow; a plane may be stalled."""
        has_grown = self.gate > 0 and self.growth.has_grown()
        return has_grown or (emptied and self.usage.waits_for_idle) or stalled
