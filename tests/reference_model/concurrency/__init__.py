"""How many planes collect at once: `gc.concurrency` (docs/model.md, 13.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from reference_model.concurrency.all_planes import AllPlanes
from reference_model.concurrency.channels import Channels

if TYPE_CHECKING:
    from reference_model.drive import Drive


class Concurrency(Protocol):
    """What the rest of the model asks."""

    def allows(self, plane: int) -> bool:
        """Whether a job may begin in the plane now."""


def make(drive: Drive) -> Concurrency:
    """Return the policy that the configuration names."""
    kind = drive.config.concurrency.choice("kind", ("all", "channels"))
    return AllPlanes() if kind == "all" else Channels(drive)
