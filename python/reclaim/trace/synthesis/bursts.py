"""Arrivals whose counts in windows have a given mean, variance and peak."""

from __future__ import annotations

import math
from typing import Any

from reclaim.trace.synthesis.targets import Targets

WINDOW_NS = (100_000_000, 1_000_000_000)
"""Lengths of the windows through which bursts are looked at, by their place in the characteristics."""


def windows(
    targets: Targets, requests: int, interval_ns: float, spread: float, peak: float
) -> dict[str, Any]:
    """Describe the arrivals.

    Where bursts were measured, every window gets one of at most four rates: none (as many windows as were
    idle), the peak (one window), and two between them that leave the variance as measured.
    """
    if interval_ns == 0:
        return {"kind": "closed-loop"}
    interval = f"{max(1, round(interval_ns))}ns"
    if targets.window is None:
        if targets.characteristics is None:
            note = "burstiness: not published; bursts of 1 s, pauses of 9 s on average, Poisson in bursts"
            if note not in targets.chosen:
                targets.chosen.append(note)
            burst = f"{max(1, round(interval_ns / 10))}ns"
            return {"kind": "on-off", "interval": burst, "on": "1s", "off": "9s"}
        note = (
            "burstiness: the trace is too short to tell (fewer than 30 windows of 100 ms); Poisson arrivals"
        )
        if note not in targets.chosen:
            targets.chosen.append(note)
        return {"kind": "poisson", "interval": interval}
    place = f"arrivals.burstiness.{targets.window}"
    length = WINDOW_NS[targets.window]
    count = max(1, math.ceil(requests * interval_ns / length))
    mean = length / interval_ns
    dispersion = targets.figures[f"{place}.index_of_dispersion"] * spread
    peak_to_mean = targets.figures[f"{place}.peak_to_mean"] * peak
    found = (
        targets.characteristics["arrivals"]["burstiness"][targets.window] if targets.characteristics else {}
    )
    levels = _levels(count, dispersion / mean, peak_to_mean, found.get("idle_share", 0.0))
    return {"kind": "windows", "interval": interval, "window": f"{length}ns", "levels": levels}


def _levels(count: int, variance: float, peak: float, idle: float) -> list[dict[str, float]]:
    """Rates in units of the mean, with the number of windows of each."""
    none = min(round(idle * count), count - 2)
    rest = count - none - 1
    if rest < 1 or peak <= 0:
        return [{"rate": 1.0, "weight": 1.0}]
    # What the others must have so that all have a mean of 1 and the variance.
    mean = (count - peak) / rest
    if mean <= 0:
        return [{"rate": 0.0, "weight": float(count - 1)}, {"rate": peak, "weight": 1.0}]
    squares = count * (variance + 1) - peak * peak
    spread = max(0.0, squares / rest - mean * mean)
    levels = [{"rate": peak, "weight": 1.0}]
    if none > 0:
        levels.append({"rate": 0.0, "weight": float(none)})
    if spread == 0 or rest < 2:
        return [*levels, {"rate": mean, "weight": float(rest)}]
    # Two rates, mean - below and mean + spread / below: not under 0, and not above the peak.
    below = min(max(math.sqrt(spread), spread / max(peak - mean, 1e-9)), mean)
    high = max(1, round(rest * below * below / (below * below + spread)))
    high = min(high, rest - 1)
    # Whole windows: the rates that leave mean and variance as they are.
    step = math.sqrt(spread * rest * rest / (high * (rest - high)))
    low = max(0.0, mean - step * high / rest)
    return [*levels, {"rate": low, "weight": float(rest - high)}, {"rate": low + step, "weight": float(high)}]
