"""Reads that fail (docs/model.md, 3.7)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reference_model.array_times import worn
from reference_model.operations import GcRead, HostRead, Operation
from reference_model.randomness import Stream
from reference_model.units import MILLION

if TYPE_CHECKING:
    from reference_model.drive import Drive


class ReadRetries:
    """`flash.read_retry`."""

    def __init__(self, drive: Drive) -> None:
        self.drive = drive
        table = drive.config.read_retry
        self.rate = table.ppm("rate", "0%")
        self.most = table.whole("most", 8)
        self.length = table.time("t_retry") if table.has("t_retry") else None
        self.stream = Stream(drive.config.seed, "read retries")

    def longer(self, operation: Operation, t_read: int) -> int:
        """3.7: what the array time of a read that begins is longer."""
        if not isinstance(operation, HostRead | GcRead) or self.rate == 0:
            return 0
        times = 0
        while times < self.most and self.stream.below(MILLION) < self.rate:
            times += 1
        if self.length is None:
            return times * t_read
        timing = self.drive.timing
        factor = timing.durations.wear.of(timing.erases(operation.page)).read
        return times * worn(self.length, factor)
