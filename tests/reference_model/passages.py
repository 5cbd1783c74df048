"""Pages that pass the buffer memory of the controller off the channel (docs/model.md, 9.21)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reference_model.events import Kind
from reference_model.request import PagePart

if TYPE_CHECKING:
    from reference_model.drive import Drive


class Passages:
    """The line of pages under way, each with the time of its end."""

    def __init__(self, drive: Drive) -> None:
        self.drive = drive
        self.length = drive.timing.durations.passage
        self.event = drive.geometry.planes
        """The timers before it are those of the planes."""
        self.line: list[tuple[int, PagePart]] = []

    def begin(self, part: PagePart) -> None:
        """Let a page pass."""
        end = self.drive.events.now + self.length
        if not self.line:
            self.drive.events.schedule(end, Kind.TIMER, self.event)
        self.line.append((end, part))

    def end(self) -> None:
        """All that end now leave the line."""
        drive = self.drive
        drive.dies.begin_gathering()
        while self.line and self.line[0][0] == drive.events.now:
            _, part = self.line.pop(0)
            if part.request.op == "read":
                part.times.transfer += self.length
                drive.requests.release_part(part.request, part.times)
            else:
                drive.buffer.has_passed(part)
        if self.line:
            drive.events.schedule(self.line[0][0], Kind.TIMER, self.event)
        drive.dies.end_gathering()
