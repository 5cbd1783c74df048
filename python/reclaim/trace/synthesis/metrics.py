"""The figures that a stand-in is made to meet, by their path in `Trace.characteristics`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from reclaim.units import Kind

OPS = ("read", "write", "trim")


@dataclass(frozen=True)
class TraceMetric:
    """One figure."""

    label: str
    kind: Kind
    """Its unit, for printing."""


def _metrics() -> dict[str, TraceMetric]:
    found = {
        "requests.total": TraceMetric("requests", "count"),
        "requests.write_ratio": TraceMetric("write ratio", "share"),
        "requests.trim_share": TraceMetric("trims", "share"),
        "requests.flush_share": TraceMetric("flushes", "share"),
    }
    for op in OPS:
        found |= {
            f"sizes.{op}.mean_bytes": TraceMetric(f"mean {op} size", "bytes"),
            f"sizes.{op}.percentiles_bytes.p50": TraceMetric(f"median {op} size", "bytes"),
            f"sizes.{op}.percentiles_bytes.p90": TraceMetric(f"90th percentile of {op} sizes", "bytes"),
        }
    found |= {
        "space.footprint_bytes": TraceMetric("footprint", "bytes"),
        "space.write_footprint_bytes": TraceMetric("unique write footprint", "bytes"),
        "space.address_span_bytes": TraceMetric("range of addresses", "bytes"),
        "overwrites.overwrite_ratio": TraceMetric("overwrite ratio", "share"),
        "skew.hottest_1_percent_share": TraceMetric("writes to the hottest 1 %", "share"),
        "skew.hottest_10_percent_share": TraceMetric("writes to the hottest 10 %", "share"),
        "skew.hottest_20_percent_share": TraceMetric("writes to the hottest 20 %", "share"),
        "lifetimes.update_interval_units.mean": TraceMetric(
            "mean update interval, 4 KiB units written", "count"
        ),
        "lifetimes.update_interval_units.percentiles.p50": TraceMetric(
            "median update interval, units", "count"
        ),
    }
    for op in OPS:
        found |= {
            f"sequentiality.{op}.next_to_previous_share": TraceMetric(f"{op}s next to the previous", "share"),
            f"sequentiality.{op}.in_stream_share": TraceMetric(f"{op}s in a stream", "share"),
            f"sequentiality.{op}.mean_in_stream_bytes": TraceMetric(
                f"mean size of {op}s in a stream", "bytes"
            ),
        }
    found |= {
        "arrivals.requests_per_s": TraceMetric("requests per second", "rate"),
        "arrivals.burstiness.0.index_of_dispersion": TraceMetric("index of dispersion, 100 ms", "ratio"),
        "arrivals.burstiness.0.peak_to_mean": TraceMetric("peak to mean, 100 ms", "ratio"),
        "arrivals.burstiness.1.index_of_dispersion": TraceMetric("index of dispersion, 1 s", "ratio"),
        "arrivals.burstiness.1.peak_to_mean": TraceMetric("peak to mean, 1 s", "ratio"),
    }
    return found


METRICS = _metrics()
"""Every figure a stand-in can be made to meet, in the order in which they are printed."""


def value_of(characteristics: Mapping[str, Any], path: str) -> float | None:
    """Look a figure up; None where the trace has none (no such requests, too short a span).

    >>> value_of({"a": {"b": [{"c": 2}]}}, "a.b.0.c")
    2.0
    """
    node: Any = characteristics
    for part in path.split("."):
        node = node[int(part)] if isinstance(node, list) else node.get(part)
        if node is None:
            return None
    return float(node)
