"""Jobs that relocate in exchange for pages that the host writes (docs/model.md, 13.35)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reference_model.job import Job
from reference_model.space import Cause
from reference_model.units import MILLION, parts_per_million

if TYPE_CHECKING:
    from reference_model.drive import Drive


class Pace:
    """Who waits for the host, and what the host has written meanwhile."""

    def __init__(self, drive: Drive) -> None:
        self.drive = drive
        kind = drive.config.gc.take("pace", "off")
        self.active = kind != "off"
        self.ppm = None if kind in ("off", "by-victim") else parts_per_million(kind)
        planes = drive.geometry.planes
        self.written = [0] * planes  # host pages taken since the plane's job began
        self.waiting: list[Job | None] = [None] * planes
        self.noted: list[int] = []

    def begins(self, job: Job) -> None:
        """A job begins."""
        self.written[job.plane] = 0

    def sent(self, plane: int) -> None:
        """A write is sent to a plane."""
        if self.active and plane not in self.noted:
            self.noted.append(plane)

    def taken(self, plane: int) -> None:
        """The host has taken a page of a plane."""
        self.written[plane] += 1
        self.sent(plane)

    def holds(self, job: Job) -> bool:
        """Whether a job must wait before it asks for a step; that is kept in mind."""
        if not self.active or not self.drive.running:
            return False
        plane = self.drive.space.planes[job.plane]
        free_to_go = (
            job.cause is not Cause.GC
            or job.block.valid == 0
            or plane.urgent
            or not self.drive.space.has_room(job.plane)
            or self.drive.dies.of_plane(job.plane).stalls[job.plane].begun is not None
            or bool(self.drive.buffer.parked)
            or self._host_rests()
            or self._within(job, len(plane.free))
        )
        self.waiting[job.plane] = None if free_to_go else job
        return not free_to_go

    def _host_rests(self) -> bool:
        return self.drive.requests.outstanding == 0 and self.drive.buffer.used == 0

    def _within(self, job: Job, free: int) -> bool:
        written, given, valid = self.written[job.plane], job.pages_given, job.valid_pages
        if self.ppm is not None:
            return given * MILLION < written * self.ppm
        start = max(1, self.drive.trigger.start)
        invalid = self.drive.geometry.pages_per_block - valid
        return given * invalid * (3 * start + min(free + 1, start)) < written * valid * 4 * start

    def look(self) -> None:
        """After an event, or after a top-up."""
        if self._host_rests():
            for plane in range(len(self.waiting)):
                self._wake(plane)
        while self.noted:
            self._wake(self.noted.pop(0))

    def _wake(self, plane: int) -> None:
        job = self.waiting[plane]
        if job is not None:
            self.drive.jobs.advance(job)
