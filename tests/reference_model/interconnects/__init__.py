"""Who may use which channel, when: `interconnect` (docs/model.md, 12.1)."""

from __future__ import annotations

from collections.abc import Callable

from reference_model.configuration import Table
from reference_model.geometry import Geometry
from reference_model.interconnects.bus import Bus
from reference_model.interconnects.channel import Channel, Refusal
from reference_model.interconnects.ideal import Ideal
from reference_model.interconnects.mesh import Mesh
from reference_model.interconnects.nossd import PacketMesh
from reference_model.interconnects.pnssd import CrossedBuses
from reference_model.interconnects.pssd import PacketBus
from reference_model.interconnects.serialized_channel import SerializedChannel
from reference_model.interconnects.venice import Venice
from reference_model.interconnects.venice_priority import VenicePriority

__all__ = ["Channel", "Refusal", "make"]


ONE_FOR_ALL: dict[str, Callable[[Table, Geometry, int], Channel]] = {
    "mesh": Mesh,
    "pnssd": CrossedBuses,
    "nossd": lambda policy, geometry, _: PacketMesh(policy, geometry),
    "venice": lambda policy, geometry, seed: Venice(policy, geometry, seed, split=False),
    "smartnetssd": lambda policy, geometry, seed: Venice(policy, geometry, seed, split=True),
    "venice-priority": VenicePriority,
}
"""Those whose dies are one contention domain."""
KINDS = ("bus", "pssd", "serialized-channel", "ideal", *ONE_FOR_ALL)


def make(policy: Table, geometry: Geometry, seed: int) -> list[Channel]:
    """Return a channel for each contention domain: the dies of a channel, each die, or all."""
    kind = policy.choice("kind", KINDS)
    if kind in ONE_FOR_ALL:
        return [ONE_FOR_ALL[kind](policy, geometry, seed)]
    if kind == "ideal":
        return [Ideal() for _ in range(geometry.dies)]
    if kind == "bus":
        return [Bus() for _ in range(geometry.channels)]
    if kind == "pssd":
        speed, header = policy.whole("speed", 2), policy.time("packet_header", "0ns")
        return [PacketBus(speed, header) for _ in range(geometry.channels)]
    whole = policy.choice("gc_tasks", ("interleaved", "whole"), "interleaved") == "whole"
    return [SerializedChannel(whole_tasks=whole) for _ in range(geometry.channels)]
