"""Pages blocked while their block is collected (docs/model.md, 9.5 and 9.12)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reference_model.request import PagePart
from reference_model.space import State

if TYPE_CHECKING:
    from reference_model.drive import Drive


class Blocked:
    """`gc.block_victim_access`."""

    def __init__(self, drive: Drive) -> None:
        self.drive = drive
        self.blocks_access = drive.config.gc.switch("block_victim_access", False)
        self.parts: list[PagePart] = []

    def concerns(self, part: PagePart) -> bool:
        """Whether a page is to be blocked (9.5)."""
        return self.blocks_access and self._in_victim(part)

    def _in_victim(self, part: PagePart) -> bool:
        copy = self.drive.mapping.flash_copy(part.logical)
        return copy is not None and self.drive.space.block_of(copy).state is State.VICTIM

    def add(self, part: PagePart) -> None:
        """Block it."""
        part.since = self.drive.events.now
        self.parts.append(part)

    def let_go(self, logical: int | None) -> None:
        """9.12."""
        i = 0
        while i < len(self.parts):
            part = self.parts[i]
            if (logical is not None and part.logical != logical) or self._in_victim(part):
                i += 1
                continue
            del self.parts[i]
            part.times.gc += self.drive.events.now - part.since
            self.drive.requests.handle_page(part)
