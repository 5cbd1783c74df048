"""What calibration turns."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Knobs:
    """What calibration turns."""

    write_space: float = 1.0
    """Factor on the size of zones."""
    swept: float = 1.0
    """Factor on the size of swept regions, and on what is written to them."""
    read_space: float = 1.0
    """Factor on the region only read."""
    hot_window: float = 1.0
    """Share of the hot zones in use at a time."""
    cold_window: float = 1.0
    """The same of the others."""
    sequential: dict[str, float] = field(default_factory=dict)
    """Correction to the share of sequential requests, by operation."""
    interleaved: dict[str, float] = field(default_factory=dict)
    """Correction to the share of interleaved requests, by operation."""
    streaming_size: dict[str, float] = field(default_factory=dict)
    """Factor on the mean size of sequential and interleaved requests, by operation."""
    run: float = 8.0
    """Mean length of runs of writes in one zone of a history."""
    in_turn: float = 0.0
    """Share of runs that are followed by one in the next zone of a history's slot, not in one drawn."""
    in_order: float = 0.0
    """Share of a history's slots in which each zone gets all its requests at once."""
    adjacent: float = 0.5
    """Share of a history's streams that go on right after the request that they continue."""
    favour: float = 0.0
    """How much a history prefers places written often."""
    draw: int = 0
    """Added to the seed: which of the possible stand-ins it is."""
    spread: float = 1.0
    """Factor on the variance of arrivals in a window."""
    peak: float = 1.0
    """Factor on the peak of arrivals in a window."""


def clamped(value: float, low: float, high: float) -> float:
    """The value, or the nearer of the ends of what is allowed."""
    return max(low, min(high, value))
