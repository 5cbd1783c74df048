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
    spread: float = 1.0
    """Factor on the variance of arrivals in a window."""
    peak: float = 1.0
    """Factor on the peak of arrivals in a window."""


def clamped(value: float, low: float, high: float) -> float:
    """The value, or the nearer of the ends of what is allowed."""
    return max(low, min(high, value))
