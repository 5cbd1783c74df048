"""Who may use which wires: `interconnect` (docs/model.md, 12.1)."""

from __future__ import annotations

from reference_model.configuration import Table
from reference_model.geometry import Geometry
from reference_model.interconnects.bus import Bus
from reference_model.interconnects.ideal import Ideal
from reference_model.interconnects.serialized_channel import SerializedChannel
from reference_model.interconnects.wires import Refusal, Wires

__all__ = ["Refusal", "Wires", "make"]


def make(policy: Table, geometry: Geometry) -> list[Wires]:
    """Return the wires of each contention domain: of each channel, or of each die."""
    kind = policy.choice("kind", ("bus", "serialized-channel", "ideal"))
    if kind == "ideal":
        return [Ideal() for _ in range(geometry.dies)]
    if kind == "bus":
        return [Bus() for _ in range(geometry.channels)]
    return [SerializedChannel() for _ in range(geometry.channels)]
