"""What the figures of `points.parquet` are called, in which unit they are, and which of them come first."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from reclaim import _core
from reclaim.errors import InputError
from reclaim.result.stats import SAMPLES_BEYOND
from reclaim.result.table import BREAKDOWN, CLASSES, DRIVE, LATENCIES
from reclaim.suggestions import alike, did_you_mean
from reclaim.units import SUFFIXES, Kind, by_key

if TYPE_CHECKING:
    import polars as pl

IN_BYTES, IN_PAGES = AMPLIFICATION = ("gc_nand_write_amplification", "gc_write_amplification")
"""In bytes, as a drive counts it, comes first; results of an earlier day have it in pages alone."""
HEADLINE = (
    "read_mean_ns",
    "read_p99_ns",
    "read_p99_9_ns",
    "read_p99_99_ns",
    "write_mean_ns",
    "write_p99_ns",
    "write_p99_9_ns",
    "write_p99_99_ns",
    "mean_latency_ns",
    "read_iops",
    "write_iops",
    *AMPLIFICATION,
    "gc_padded_pages_per_host_page",
    "flash_erases",
    "utilisation_die_host_asked",
    "utilisation_die_asked",
    "utilisation_die_host",
    "utilisation_die",
)
"""What a report begins with, as far as it was measured."""
ASKED = ("utilisation_die_host_asked", "utilisation_die_asked")
BESIDE_ASKED = ("utilisation_die_host", "utilisation_die")
"""What the drive was busy with; it comes first only where the time scale was chosen for it."""
PADDED = "gc_padded_pages_per_host_page"
"""Of one scheme often none: what others have is then no ratio to it, and is shown itself."""
SAME = 0.01
"""Requests per second that differ by less than this share follow the trace and say nothing of the drive."""


@dataclass(frozen=True)
class Metric:
    """One column of measured numbers."""

    name: str
    label: str
    kind: Kind

    @property
    def more_is_better(self) -> bool:
        """Whether a ratio above 1 is good."""
        return self.kind in ("rate", "bandwidth")


def _known() -> dict[str, Metric]:
    found: dict[str, tuple[str, Kind]] = {}
    for name in CLASSES:
        found[f"{name}_count"] = (f"{name} requests", "count")
        found[f"{name}_iops"] = (f"{name}s per second", "rate")
        found[f"{name}_bandwidth_bytes_per_s"] = (f"{name} bandwidth", "bandwidth")
        found |= {f"{name}_{key}": (f"{name} {label}", "time") for label, key in LATENCIES}
        found |= {f"{name}_breakdown_{key}": (f"{name} {label}", "time") for label, key in BREAKDOWN}
    found |= {f"{section}_{key}": (label, kind) for label, section, key, kind in DRIVE}
    found["mean_latency_ns"] = ("mean latency of all requests", "time")
    return {name: Metric(name, label, kind) for name, (label, kind) in found.items()}


KNOWN = _known()


def describe(name: str) -> Metric:
    """Label and unit of a column.

    >>> describe("read_p99_ns").label, describe("gc_jobs").kind, describe("made_up_ns").kind
    ('read p99 latency', 'count', 'time')
    """
    known = KNOWN.get(name)
    if known is not None:
        return known
    kind: Kind = next((kind for suffix, kind in SUFFIXES if name.endswith(suffix)), "ratio")
    return Metric(name, by_key(name, None)[0], kind)


def amplification(points: pl.DataFrame) -> str:
    """The write amplification that these points know: in bytes, or else in pages.

    >>> import polars as pl
    >>> amplification(pl.DataFrame({"gc_nand_write_amplification": [None], "gc_write_amplification": [2.0]}))
    'gc_write_amplification'
    """
    known = [name for name in AMPLIFICATION if name in points.columns and points[name].drop_nulls().len()]
    return known[0] if known else IN_BYTES


@cache
def measurable() -> tuple[str, ...]:
    """Names of all metrics: what every drive measures, then what single policies count.

    >>> "read_p99_ns" in measurable(), "gc_victim_candidates_examined" in measurable()
    (True, True)
    """
    of_policies = (
        f"{kind['key'].replace('.', '_')}_{metric['name']}"
        for kind in json.loads(_core.catalogue())
        for policy in kind["policies"]
        for metric in policy["metrics"]
    )
    return tuple(dict.fromkeys([*KNOWN, *of_policies]))


def check(names: Iterable[str], valid: Iterable[str], what: str) -> None:
    """Refuse a name that is not among the valid ones, with those that are like it.

    Raises:
        InputError: naming it.
    """
    valid = list(valid)
    for name in names:
        if name not in valid:
            meant = did_you_mean(alike(name, valid, most=3, cutoff=0.5), quote="")
            hint = meant or f"; valid: {', '.join(valid[:20])}"
            raise InputError(f'no {what} "{name}"{hint}')


PERCENTS = {
    "p50_ns": 50.0,
    "p90_ns": 90.0,
    "p95_ns": 95.0,
    "p99_ns": 99.0,
    "p99_9_ns": 99.9,
    "p99_99_ns": 99.99,
}


def requests_needed(name: str) -> tuple[str, int] | None:
    """The column that counts the requests of a percentile, and how many it takes for it to be a figure.

    >>> requests_needed("read_p99_9_ns"), requests_needed("read_mean_ns")
    (('read_count', 10000), None)
    """
    request_class, _, key = name.partition("_")
    if request_class not in CLASSES or key not in PERCENTS:
        return None
    return f"{request_class}_count", round(SAMPLES_BEYOND * 100 / round(100 - PERCENTS[key], 6))
