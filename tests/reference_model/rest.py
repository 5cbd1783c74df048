"""What must be so when nothing is left to happen: whoever still waits then would wait for ever."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from reference_model.interconnects.venice_priority import VenicePriority
from reference_model.mapping import Slot

if TYPE_CHECKING:
    from reference_model.drive import Drive


def check(drive: Drive) -> None:
    """Raise if the drive has not come to rest."""
    found = [*_unfinished(drive), *_held(drive)]
    if found:
        raise RuntimeError(f"the drive does not come to rest: {', '.join(found)}")


def _unfinished(drive: Drive) -> Iterator[str]:
    """Requests, writes and collection."""
    if drive.requests.outstanding or drive.left:
        yield f"{drive.requests.outstanding + len(drive.left)} requests are not answered"
    if drive.buffer.used or drive.buffer.outside or drive.buffer.parked or drive.blocked.parts:
        yield "pages wait"
    if any(isinstance(place, Slot) for place in drive.mapping.where.values()):
        yield "pages are in slots"
    if any(die.load or die.line is not None or not die.idle for die in drive.dies.all):
        yield "dies have operations"
    if any(domain.anybody_waits() for domain in drive.channels.domains):
        yield "dies wait for a channel"
    if any(plane.reserved or plane.owed or plane.jobs for plane in drive.space.planes):
        yield "planes are to be programmed or collected"


def _held(drive: Drive) -> Iterator[str]:
    """Places and circuits."""
    if drive.gc_buffer.occupied or drive.gc_buffer.fallen:
        yield f"{drive.gc_buffer.occupied} places of the GC buffer are occupied"
    if any(drive.held_circuits.to_come):
        yield "programs are to come"
    network = drive.channels.domains[0].channel
    if isinstance(network, VenicePriority) and network.holds_any(drive.events.now):
        yield "circuits are held"
