"""What many runs measured: tables over all of them, intervals, ratios, figures, SQL, and a report.

A set is the folder that a sweep wrote (docs/result-sets.md). `result_set` is where to begin; `cells` knows
which points are repeats of the same thing and which are compared in pairs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from reclaim.result.sets.result_set import ResultSet
    from reclaim.statistics.intervals import Interval, median_interval, ratio_interval

__all__ = ["Interval", "ResultSet", "median_interval", "ratio_interval"]


def __getattr__(name: str) -> Any:
    """Import what needs polars and DuckDB when it is asked for: studies take names alone from here."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from reclaim.result.sets import result_set
    from reclaim.statistics import intervals

    return getattr(result_set if name == "ResultSet" else intervals, name)
