"""What a variation has in common with its base: when requests arrive, or how busy the host keeps the dies."""

from __future__ import annotations

from typing import Literal

from reclaim.bench.parts import Setting, Settings
from reclaim.instruments.comparison import KEPT_PATH, PACE, TARGET, Comparison
from reclaim.instruments.moves import BASE, SIDES, Cell, Side

Kept = Literal["arrivals", "utilisation"]
MILLION = 1_000_000


def hold(comparison: Comparison, kept: Kept) -> dict[tuple[str, Side], Settings]:
    """Say which settings hold the load of the base, by workload and scheme.

    Arrivals are kept by the pace of the base; where that was solved for a utilisation, by the solution. A
    utilisation is kept by solving the pace anew, for what the pages of the host alone cause in the base.
    """
    found: dict[tuple[str, Side], Settings] = {}
    for trace in comparison.traces:
        for side in SIDES:
            point = comparison.point(Cell(trace, side, BASE, 0))
            if point.drive is None or point.opened is None:
                continue
            host = point.drive.config["host"]
            target = host.get("target_utilisation")
            if host["mode"] != "open-loop" or (target is None) == (kept == "arrivals"):
                continue
            demand = point.drive.demand(point.drive.transformed(point.opened))["utilisation"]
            if not demand:
                continue
            if target is not None:
                pace = float(target.removesuffix("%")) / 100 / demand
                found[trace, side] = _setting(PACE, repr(pace))
            else:
                share = min(MILLION, round(MILLION * demand * host["time_scale"]))
                found[trace, side] = _setting(TARGET, f"{share / 10_000:.4f}%")
    return found


def _setting(key: str, value: str) -> Settings:
    return {key: Setting(value, KEPT_PATH)}
