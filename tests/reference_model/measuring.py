"""From when on the run is measured: `measure.after` (docs/model.md, 8.8)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reference_model.units import parts_per_million, share

if TYPE_CHECKING:
    from reference_model.drive import Drive


class Measuring:
    """Whether what happens counts yet."""

    def __init__(self, drive: Drive, requests: int) -> None:
        self.drive = drive
        after = drive.config.measure.take("after", "start")
        self.began: int | None = 0 if after == "start" else None
        self.left = set(range(drive.geometry.planes)) if after == "first-round" else None
        self.requests_before = (
            None if self.began == 0 or self.left else share(parts_per_million(after), requests)
        )
        self.taken = 0
        self.taken_before = 0

    def counts_next(self) -> bool:
        """Whether the request that is about to be taken gets a row."""
        if self.began is None and self.requests_before is not None and self.taken >= self.requests_before:
            self._begin()
        self.taken += 1
        return self.began is not None

    def job_ended(self, q: int) -> None:
        """13.7, step 5."""
        deferred = any(q == plane for plane, _ in self.drive.jobs.deferred)
        if self.began is None and self.left and self.drive.space.planes[q].jobs == 0 and not deferred:
            self.left.discard(q)
            if not self.left:
                self._begin()

    def run_ends(self) -> None:
        """Begin now if that has not happened."""
        if self.began is None:
            self._begin()
            self.drive.activity.begun = None

    def part(self, length: int) -> int:
        """Return what lies in the measured part of a time that ends now."""
        return 0 if self.began is None else min(length, self.drive.events.now - self.began)

    def _begin(self) -> None:
        self.began = self.drive.events.now
        self.taken_before = self.taken
        self.drive.requests.rows.clear()
        self.drive.jobs.rows.clear()
        self.count_afresh()
        self.drive.requests.most_outstanding = 0
        self.drive.activity.begin()

    def count_afresh(self) -> None:
        """Count from zero (7.4, 8.8)."""
        self.drive.counters.reset()
        for plane in self.drive.space.planes:
            plane.low_water = len(plane.free)
