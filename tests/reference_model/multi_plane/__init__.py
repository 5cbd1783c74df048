"""Which operations of other planes share an array operation: `flash.multi_plane` (docs/model.md, 11.15)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Protocol

from reference_model.dies import Die
from reference_model.multi_plane.anywhere import Anywhere
from reference_model.multi_plane.heads import Heads
from reference_model.operations import Operation

if TYPE_CHECKING:
    from reference_model.drive import Drive

KINDS = ("off", "same-page", "same-page-anywhere", "any-page")


class MultiPlane(Protocol):
    """What the rest of the model asks."""

    def join(self, die: Die, first: Operation) -> Iterator[Operation]:
        """Give the operations that join the first, each still in its list when it is given.

        A unit is given by its first operation; it leaves the list as a whole (11.20).
        """


class Off:
    """`off`."""

    def join(self, die: Die, first: Operation) -> Iterator[Operation]:  # noqa: ARG002
        """Nobody."""
        return iter(())


def make(drive: Drive) -> MultiPlane:
    """Return the kind that the configuration names."""
    kind = drive.config.flash.choice("multi_plane", KINDS, "off")
    if kind == "off":
        return Off()
    if kind == "same-page-anywhere":
        return Anywhere(drive)
    return Heads(drive, same_page=kind == "same-page")
