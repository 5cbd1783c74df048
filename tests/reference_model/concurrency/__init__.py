"""How many planes collect at once: `gc.concurrency` (docs/model.md, 13.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from reference_model.concurrency.adaptive import Adaptive
from reference_model.concurrency.all_planes import AllPlanes
from reference_model.concurrency.channels import Channels
from reference_model.concurrency.own import Own

if TYPE_CHECKING:
    from reference_model.drive import Drive


class Concurrency(Protocol):
    """What the rest of the model asks."""

    def allows(self, plane: int) -> bool:
        """Whether a job may begin in the plane now."""

    def would_allow(self, plane: int) -> bool:
        """The same; nothing changes by that (14.14)."""

    def lets_begin(self, plane: int) -> bool:
        """Whether the plane's channel is idle, where that matters."""

    def most_channels(self) -> int:
        """How many channels may have jobs now (14.11)."""

    def deferred(self) -> None:
        """Hear that a plane is deferred (13.1)."""

    def look(self) -> None:
        """Look at the gate, after an event or an untimed write (13.2a)."""

    def allows_more(self, *, emptied: bool, stalled: bool) -> bool:
        """Whether deferred planes are to be considered although no job has ended (8.5).

        `emptied`: the load of a die has fallen to 0; `stalled`: a write stall or the parking of a write.
        """


def make(drive: Drive) -> Concurrency:
    """Return the policy that the configuration names."""
    kind = drive.config.concurrency.choice("kind", ("all", "channels", "adaptive", "python"))
    if kind == "python":
        return Own(drive, drive.config.concurrency)
    if kind == "all":
        return AllPlanes(drive.geometry.channels)
    return (Channels if kind == "channels" else Adaptive)(drive, drive.config.concurrency)
