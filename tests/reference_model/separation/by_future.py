"""`future-knowledge`: classes of what is left of a lifetime (docs/model.md, 4.37c)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reference_model.placement.lifetimes import ByFuture
from reference_model.request import Request
from reference_model.separation.classes import Classes

if TYPE_CHECKING:
    from reference_model.drive import Drive


class FutureKnowledge(Classes):
    """Read off the trace."""

    def __init__(self, drive: Drive, count: int, span: int) -> None:
        self.unwritten = count - 1
        self.span = span
        self.future = ByFuture(drive)

    def begin(self, requests: list[Request]) -> None:
        """4.33."""
        self.future.begin(requests)

    def of_write(self, logical: int, stream: int) -> int:  # noqa: ARG002
        """4.37c."""
        self.future.written(logical)
        return self._class(logical)

    def of_relocated(self, logical: int, written_as: int, block: int) -> int:  # noqa: ARG002
        """4.37c."""
        return self._class(logical)

    def _class(self, logical: int) -> int:
        lifetime = self.future.of(logical)
        return self.unwritten if lifetime is None else min(lifetime // self.span, self.unwritten)
