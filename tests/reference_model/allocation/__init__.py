"""Where a host write goes: `ftl.allocation` (docs/model.md, 4.22, 4.23 and 16.2)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from reference_model.allocation.dynamic import Dynamic
from reference_model.allocation.home import Home
from reference_model.allocation.ospada import Ospada
from reference_model.allocation.own import Own
from reference_model.allocation.striping import Striping

if TYPE_CHECKING:
    from reference_model.drive import Drive


class Allocation(Protocol):
    """What the rest of the model asks an allocation."""

    def choose(self, logical: int) -> int | None:
        """Return the plane for a write of a logical page, or no answer."""


def make(drive: Drive) -> Allocation:
    """Return the allocation that the configuration names."""
    kind = drive.config.allocation.choice("kind", ("striping", "dynamic", "ospada", "python"))
    kinds: dict[str, Callable[[Drive], Allocation]]
    kinds = {"striping": Striping, "dynamic": Dynamic, "ospada": Ospada, "python": Own}
    made = kinds[kind](drive)
    layout = drive.geometry.layout
    if layout is None:
        return made
    if not (isinstance(made, Striping) and made.by_page):  # 16.3
        raise ValueError("redundancy = raid5 needs ftl.allocation = striping by lpn")
    return Home(layout)
