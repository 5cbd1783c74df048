"""Requests spread evenly over a footprint: the workload that closed forms are about."""

from __future__ import annotations

from reclaim.arguments import checked, whole
from reclaim.trace.trace import Trace, made


@checked
def uniform_trace(
    *,
    footprint_bytes: int,
    count: int,
    request_bytes: int = 4096,
    write_fraction: float = 1.0,
    trim_fraction: float = 0.0,
    mean_interarrival_ns: int = 0,
    seed: int = 1,
) -> Trace:
    """Make `count` requests of `request_bytes`, spread evenly over `footprint_bytes`.

    Fractions are of all requests, the rest are reads. Gaps are exponential with the given mean in ns;
    0 lets everything arrive at time 0, for closed-loop runs.

    >>> uniform_trace(footprint_bytes=1 << 20, count=10, write_fraction=0.0).summary()["reads"]
    10
    """
    # In the order in which the core takes them.
    return made(
        "uniform",
        (
            whole("footprint_bytes", footprint_bytes),
            whole("request_bytes", request_bytes),
            whole("count", count),
            write_fraction,
            trim_fraction,
            whole("mean_interarrival_ns", mean_interarrival_ns),
            whole("seed", seed),
        ),
    )
