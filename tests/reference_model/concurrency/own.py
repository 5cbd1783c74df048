"""A function of the user's says whether one more may begin (docs/own-policies.md)."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING

import numpy as np

from reference_model.concurrency.growth import Growth
from reference_model.configuration import Table
from reference_model.own import Named, channel_idle, jobs_of_channels, valid_pages

if TYPE_CHECKING:
    from reference_model.drive import Drive


class Own:
    """`python`."""

    def __init__(self, drive: Drive, policy: Table) -> None:
        self.drive = drive
        self.named = Named(drive, policy, "may_start")
        self.note = self.named.method("note")
        limit = self.named.method("limit")
        self.limit = None if limit is None else lambda: int(limit(self._activity(drained=False)))
        self.growth = None if self.limit is None else Growth(self.limit)
        self.seen: tuple[int, int, list[int]] | None = None

    def _activity(self, *, drained: bool) -> SimpleNamespace:
        used, valid, jobs = self._all()
        return SimpleNamespace(
            drive=self.named.shown,
            used_pages=used,
            valid_pages=valid,
            per_channel=np.array(jobs),
            drained=drained,
        )

    def _all(self) -> tuple[int, int, list[int]]:
        return self.drive.space.used_pages(), valid_pages(self.drive), jobs_of_channels(self.drive)

    def allows(self, plane: int) -> bool:
        """What it returns."""
        used, valid, jobs = self._all()
        seen = SimpleNamespace(
            drive=self.named.shown,
            plane=plane,
            channel=self.drive.geometry.channel_of_plane(plane),
            used_pages=used,
            valid_pages=valid,
            channel_idle=channel_idle(self.drive, plane),
            per_channel=np.array(jobs),
        )
        return bool(self.named.decide(seen))

    def would_allow(self, plane: int) -> bool:  # noqa: ARG002
        """It is not asked: every emergency counts."""
        return False

    def lets_begin(self, plane: int) -> bool:  # noqa: ARG002
        """Whether the channel is idle is for it to judge: every no counts."""
        return True

    def most_channels(self) -> int:
        """Its limit, if it has one."""
        return self.drive.geometry.channels if self.limit is None else self.limit()

    def deferred(self) -> None:
        """Note its limit, if it has one."""
        if self.growth is not None:
            self.growth.note()

    def look(self) -> None:
        """Tell it, if it wants to hear."""
        if self.note is not None:
            jobs, trigger = self.drive.jobs, self.drive.trigger
            idle = not (any(jobs_of_channels(self.drive)) or jobs.deferred or trigger.has_listed())
            self.note(self._activity(drained=idle))

    def sees_changes(self) -> bool:
        """Whether what it is told is other than after the event before; not asked of one with a limit."""
        if self.growth is not None:
            return False
        before, self.seen = self.seen, self._all()
        return before != self.seen

    def allows_more(self, *, emptied: bool, stalled: bool) -> bool:
        """Whether its limit has grown, a channel may be idle, or a plane may be stalled."""
        return (self.growth is not None and self.growth.has_grown()) or emptied or stalled
