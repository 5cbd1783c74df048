"""Names that users choose and that columns have: one must not take the place of the other."""

from __future__ import annotations

import json
from functools import cache

from reclaim import _core
from reclaim.result.histograms import CLASSES
from reclaim.result.result import SUMMARY_SECTIONS

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


LONGEST_NAME = 200
"""Bytes of a name, which a file or folder may be called by, with an ending."""


LONGEST_PATH = 4096
"""Bytes of a path."""


def unfit(name: str, longest: int = LONGEST_NAME) -> str | None:
    r"""Say why nothing can be called so, which tables and pages show and files are called by; None if it can.

    >>> unfit("a\0b"), unfit(" / ")
    ('has U+0000 in it, which cannot be shown', 'has nothing but spaces, slashes and dots in it')
    >>> unfit("x" * 300)
    'has 300 bytes; names have at most 200'
    """
    hidden = next((each for each in name if not each.isprintable()), None)
    if hidden is not None:
        return f"has U+{ord(hidden):04X} in it, which cannot be shown"
    size = len(name.encode("utf-8", "surrogatepass"))
    if size > longest:
        return f"has {size} bytes; names have at most {longest}"
    return None if name.strip(" ./\\") else "has nothing but spaces, slashes and dots in it"


@cache
def _beginnings() -> tuple[str, ...]:
    """How the columns of sections of the results begin, and those of policies."""
    kinds = [str(kind["key"]).replace(".", "_") for kind in json.loads(_core.catalogue())]
    return (*(f"{name}_" for name in (*CLASSES, *SUMMARY_SECTIONS, "fdp", "stream", *kinds)), RENAMED, "_")


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
    if (reason := unfit(name)) is not None:
        return reason
    if small in (*IDENTITY, *OF_RUNS, *OF_ANSWERS):
        return "is what a column of the results is called"
    found = next((each for each in _beginnings() if small.startswith(each)), None)
    if found is not None:
        return f"begins with {found}, as columns of the results do"
    return "has a = in it, which stands between an axis and its value" if "=" in name else None
