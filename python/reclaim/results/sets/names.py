"""Names that users choose and that columns have: one must not take the place of the other."""

from __future__ import annotations

import json
from functools import cache

from reclaim import _core
from reclaim.results.histograms import CLASSES
from reclaim.results.result import SUMMARY_SECTIONS

IDENTITY = ("point", "experiment", "device", "trace", "scheme", "repeat", "perturbation", "vary")
"""What tells points from one another; the axes of the experiment follow, then what was measured."""
OF_RUNS = (
    "format",
    "seed",
    "remap",
    "reclaim_version",
    "settings",
    "trace_hash",
    "verdict",
    "simulated_ns",
    "mean_latency_ns",
)
"""Columns of `points.parquet` that say of a run what it was, beside those that begin like a section."""
OF_ANSWERS = ("metric", "value", "low", "high", "count", "repeats", "error", "command")
"""Columns of what `intervals` and `normalize` give, and what is noted of a failure."""
RENAMED = "result_"
"""How columns begin that say of a run what the experiment says, too."""
ALL_TRACES = "geometric mean"
"""What stands beside the traces of a figure."""


@cache
def _beginnings() -> tuple[str, ...]:
    """How the columns of sections of the results begin, and those of policies."""
    kinds = [str(kind["key"]).replace(".", "_") for kind in json.loads(_core.catalogue())]
    return (*(f"{name}_" for name in (*CLASSES, *SUMMARY_SECTIONS, *kinds)), RENAMED, "_")


def taken(name: str) -> str | None:
    """Say why no axis can have this name; None if one can. SQL does not tell Load from load.

    >>> taken("verdict"), taken("load")
    ('is what a column of the results is called', None)
    >>> taken("Read_p99_ns")
    'begins with read_, as columns of the results do'
    """
    small = name.lower()
    if not name.strip():
        return "is empty"
    if small in (*IDENTITY, *OF_RUNS, *OF_ANSWERS):
        return "is what a column of the results is called"
    found = next((each for each in _beginnings() if small.startswith(each)), None)
    if found is not None:
        return f"begins with {found}, as columns of the results do"
    return "has a = in it, which stands between an axis and its value" if "=" in name else None
