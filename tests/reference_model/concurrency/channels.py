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
        self.memory = policy.choice("gate_memory", ("none", "until-drained", "two-thresholds"), "none")
        if policy.has("gate_close") != (self.memory == "two-thresholds"):
            raise ValueError("gc.concurrency.gate_close goes with two-thresholds and with that alone")
        self.gate_close = policy.ppm("gate_close") if self.memory == "two-thresholds" else self.gate
        if self.gate_close > self.gate or (self.memory != "none" and self.gate == 0):
            raise ValueError("gc.concurrency needs gate_close <= gate, and a gate to remember")
        self.open = False
        self.usage = Usage(drive, policy)
        self.growth = Growth(lambda: self.most if self._is_open() else 0)

    def _is_open(self) -> bool:
        used, pages = self.usage.pages() * MILLION, self.drive.geometry.pages
        if used >= self.gate * pages or self.memory == "none":
            return used >= self.gate * pages
        if self.memory == "until-drained":
            return self.open
        return self.open and used >= self.gate_close * pages

    def look(self) -> None:
        """13.2a: after an event or an untimed write."""
        if self.memory == "until-drained" and self._is_drained():
            self.open = False
        self.open = self._is_open()

    def _is_drained(self) -> bool:
        jobs, trigger = self.drive.jobs, self.drive.trigger
        return not (self.usage.busy_channels() or jobs.deferred or trigger.has_listed())

    def allows(self, plane: int) -> bool:
        """Jobs of any cause count; the gate is looked at before (13.2a)."""
        self.open = self._is_open()
        return self.would_allow(plane)

    def would_allow(self, plane: int) -> bool:
        """The same, without looking."""
        busy = self.usage.busy_channels()
        few = len(busy) < self.most or self.drive.geometry.channel_of_plane(plane) in busy
        return self._is_open() and few and self.usage.lets_begin(plane)

    def lets_begin(self, plane: int) -> bool:
        """Whether the plane's channel is idle, where that matters."""
        return self.usage.lets_begin(plane)

    def most_channels(self) -> int:
        """14.11."""
        return self.most if self._is_open() else 0

    def deferred(self) -> None:
        """Note G."""
        self.growth.note()

    def allows_more(self, *, emptied: bool, stalled: bool) -> bool:
        """With a gate above 0 the limit can grow; a plane may be stalled."""
        has_grown = self.gate > 0 and self.growth.has_grown()
        return has_grown or (emptied and self.usage.waits_for_idle) or stalled
