"""What limits of channels look at (docs/model.md, 13.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reference_model.configuration import Table

if TYPE_CHECKING:
    from reference_model.drive import Drive


class Usage:
    """Pages in use, and whether a channel is idle."""

    def __init__(self, drive: Drive, policy: Table) -> None:
        self.drive = drive
        self.of_valid = policy.choice("usage", ("programmed", "valid"), "programmed") == "valid"
        self.waits_for_idle = policy.switch("idle", False)

    def pages(self) -> int:
        """Return p."""
        space = self.drive.space
        return sum(block.valid for block in space.blocks) if self.of_valid else space.used_pages()

    def lets_begin(self, plane: int) -> bool:
        """Whether the plane's channel is idle, where that matters."""
        dies, geometry = self.drive.dies.all, self.drive.geometry
        channel = geometry.channel_of_plane(plane)
        return not self.waits_for_idle or all(
            die.load == 0 for die in dies if geometry.channel_of_die(die.number) == channel
        )

    def busy_channels(self) -> set[int]:
        """Return the channels that have jobs, of any cause."""
        planes = self.drive.space.planes
        return {self.drive.geometry.channel_of_plane(plane.number) for plane in planes if plane.jobs > 0}
