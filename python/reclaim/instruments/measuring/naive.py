"""The naive predictor: what a fresh drive reaches, over a closed form of write amplification."""

from __future__ import annotations

from reclaim.instruments.measuring.matrix import WRITES, Load


def twin(load: Load) -> Load:
    """The same load on a fresh drive."""
    return load._replace(state="fresh")


def factor(load: Load, amplification: float) -> float:
    """How many times as much a steady drive has to do for a request as a fresh one.

    Each write is done as often as `amplification` says, which is that of uniform overwrites in closed form;
    reads, and sequential loads, cost the same.

    >>> round(factor(Load("random", "mixed", 4096, 32, "steady"), 3.0), 9)
    1.6
    >>> factor(Load("sequential", "write", 4096, 1, "steady"), 3.0)
    1.0
    """
    if load.pattern == "sequential" or load.state == "fresh":
        return 1.0
    writes = WRITES[load.operation]
    return 1 - writes + writes * amplification


def predicted(metric: str, fresh: float, times: float) -> float:
    """Give a figure of the steady drive: rates fall by as much, latencies grow."""
    return fresh * times if metric == "us" else fresh / times
