"""What a variation has in common with its base: when requests arrive, or how busy the host keeps the dies."""

from __future__ import annotations

from typing import Literal

from reclaim.bench.parts import Setting, Settings
from reclaim.instruments.comparison import KEPT_PATH, PACE, TARGET, TOTAL, Comparison, Load
from reclaim.instruments.moves import BASE, SIDES, Cell
from reclaim.instruments.runs import Runs

Kept = Literal["arrivals", "utilisation"]
MILLION = 1_000_000


def hold(comparison: Comparison, kept: Kept, runs: Runs, repeats: int) -> Load:
    """Say which settings hold the load of the base, by workload, scheme and repeat.

    Arrivals are kept by the pace of the base; where that was solved for a utilisation, by the solution. A
    utilisation is kept by solving the pace anew, for what the pages of the host alone cause in the base.

    Args:
        comparison: whose base ran.
        kept: what is held.
        runs: what ran it.
        repeats: of the base; those beyond have the pace of these.
    """
    found: Load = {}
    for trace in comparison.traces:
        for side in SIDES:
            host = comparison.config(trace, side)["host"]
            solved = any(host.get(key.rpartition(".")[2]) is not None for key in (TARGET, TOTAL))
            if host["mode"] != "open-loop" or solved == (kept == "utilisation"):
                # Nothing to hold: a pace that is given stays, one that is solved for is solved for anew.
                continue
            for repeat in range(repeats):
                if kept == "arrivals":
                    pace = comparison.pace(runs, Cell(trace, side, BASE, repeat))
                    settings = _setting(PACE, repr(pace))
                elif repeat == 0:
                    settings = _utilisation(comparison, Cell(trace, side, BASE, 0), host["time_scale"])
                for again in (repeat, repeat + repeats):
                    found[trace, side, again] = settings
    return found


def _utilisation(comparison: Comparison, cell: Cell, pace: float) -> Settings:
    """The utilisation that the pages of the host cause at a pace; nothing where the trace has no time."""
    point = comparison.point(cell)
    if point.drive is None or point.opened is None:
        return {}
    demand = point.drive.demand(point.drive.transformed(point.opened))["utilisation"]
    if not demand:
        return {}
    share = min(MILLION, round(MILLION * demand * pace))
    return _setting(TARGET, f"{share / 10_000:.4f}%")


def _setting(key: str, value: str) -> Settings:
    return {key: Setting(value, KEPT_PATH)}
