"""Who may use which channel, when: `interconnect` (docs/model.md, 12.1)."""

from __future__ import annotations

from reference_model.configuration import Table
from reference_model.geometry import Geometry
from reference_model.interconnects.bus import Bus
from reference_model.interconnects.channel import Channel, Refusal
from reference_model.interconnects.ideal import Ideal
from reference_model.interconnects.mesh import Mesh
from reference_model.interconnects.serialized_channel import SerializedChannel

__all__ = ["Channel", "Refusal", "make"]


def make(policy: Table, geometry: Geometry) -> list[Channel]:
    """Return a channel for each contention domain: the dies of a channel, each die, or all."""
    kind = policy.choice("kind", ("bus", "serialized-channel", "ideal", "mesh"))
    if kind == "mesh":
        return [Mesh(policy, geometry)]
    if kind == "ideal":
        return [Ideal() for _ in range(geometry.dies)]
    if kind == "bus":
        return [Bus() for _ in range(geometry.channels)]
    whole = policy.choice("gc_tasks", ("interleaved", "whole"), "interleaved") == "whole"
    return [SerializedChannel(whole_tasks=whole) for _ in range(geometry.channels)]
