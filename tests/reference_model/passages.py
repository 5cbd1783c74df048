"""Pages that pass the buffer memory of the controller off the channel (docs/model.md, 9.21)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reference_model.delays import Delay
from reference_model.request import PagePart

if TYPE_CHECKING:
    from reference_model.drive import Drive


class Passages(Delay):
    """The line of pages under way, each with the time of its end."""

    def __init__(self, drive: Drive) -> None:
        super().__init__(drive, drive.timing.durations.passage, drive.geometry.planes)

    def pass_read(self, part: PagePart) -> None:
        """9.21, 15.7a: the data of a page for the host has left the die."""

        def ends() -> None:
            part.times.transfer += self.length
            self.drive.requests.release_part(part.request, part.times)

        self.begin(ends)

    def pass_write(self, part: PagePart) -> None:
        """9.21: a page of a write is accepted."""
        self.begin(lambda: self.drive.buffer.has_passed(part))

    def end(self) -> None:
        """All that end now leave the line."""
        drive = self.drive
        drive.dies.begin_gathering()
        while self.waiting and self.waiting[0][0] == drive.events.now:
            _, follows = self.waiting.pop(0)
            follows()
        if self.waiting:
            self.schedule()
        drive.dies.end_gathering()
