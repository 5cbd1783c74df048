"""The figures of one load, read off its run: rounds, the steady window, and what was measured in it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import polars as pl

from reclaim.errors import InputError
from reclaim.result.result import Result
from reclaim.result.stats import SAMPLES_BEYOND
from reclaim.study.measuring.matrix import ROUNDS, WRITES, JobLoad


@dataclass(frozen=True)
class Figures:
    """What one load reached. Rates are of the requests that were completed in the window."""

    load: JobLoad
    rounds: tuple[float, ...]
    """Requests a second in each round."""
    first: int
    """The window's first round."""
    last: int
    """Its last one."""
    steady: bool | None
    """Whether the window keeps SNIA's rule; None of a fresh drive, of which no steadiness is asked."""
    iops: float
    mb_per_s: float
    """Millions of bytes a second."""
    mean_ns: float
    p99_ns: int | None
    """None with fewer than ten requests beyond it; so is the next."""
    p99_99_ns: int | None
    nand_write_amplification: float | None
    """Bytes programmed for a byte of the host; None where the host writes nothing, or the run is older."""
    write_amplification: float | None
    """Pages programmed for a page of the host; None where the host writes nothing."""
    host_bytes: int
    """Bytes that the host wrote, in all rounds."""
    nand_bytes: int
    """Bytes programmed, likewise."""

    def metric(self, name: str) -> float:
        """Give a figure by its name in sheets: `iops`, `MB/s`, or `us` (mean latency)."""
        return {"iops": self.iops, "MB/s": self.mb_per_s, "us": self.mean_ns / 1e3}[name]


def figures_of(load: JobLoad, result: Result) -> Figures:
    """Take the figures of a run that has recorded its requests and its timeline.

    The run is divided into rounds from its first request to when the last one was issued: afterwards fewer
    requests are outstanding than the queue depth.

    Raises:
        InputError: for a run in which no time passed.
    """
    if result.requests is None or result.timeline is None:
        raise InputError(f"{load.name}: was stored without its requests; measure into another folder")
    requests = pl.DataFrame(result.requests).select("arrival_ns", "completion_ns", "size_bytes")
    begin, end = _span(requests)
    if end <= begin:
        raise InputError(f"{load.name}: no time passes between its requests; the drive is too fast or small")
    count_of = ROUNDS[load.state]
    edges = [begin + (end - begin) * place // count_of for place in range(count_of + 1)]
    counts = [_between(requests, *pair).height for pair in pairwise(edges)]
    rounds = tuple(
        count * 1e9 / (after - before) for count, (before, after) in zip(counts, pairwise(edges), strict=True)
    )
    first, last, steady = _window(load, rounds)
    start, stop = edges[first], edges[last + 1]
    window = _between(requests, start, stop)
    if window.is_empty():
        raise InputError(f"{load.name}: no request was completed in its window; the drive is too small")
    seconds = (stop - start) / 1e9
    latencies = (window["completion_ns"] - window["arrival_ns"]).sort()
    intervals = _ending_between(pl.DataFrame(result.timeline), start, stop)
    return Figures(
        load,
        rounds,
        first,
        last,
        steady,
        window.height / seconds,
        int(window["size_bytes"].sum()) / 1e6 / seconds,
        int(latencies.sum()) / len(latencies),
        percentile(latencies.to_list(), 99),
        percentile(latencies.to_list(), 99.99),
        _in_bytes(intervals),
        _in_pages(intervals),
        *_written(result),
    )


def _written(result: Result) -> tuple[int, int]:
    """Bytes of the host and bytes programmed; of a run that an earlier version stored, none."""
    written = result.section("written") or {"host_bytes": 0, "nand_bytes": 0}
    return written["host_bytes"], written["nand_bytes"]


def _span(requests: pl.DataFrame) -> tuple[int, int]:
    """From the first request to when the last was issued; to the last completion if all came at once."""
    begin, end = requests.select(
        first=pl.col("arrival_ns").min().cast(pl.Int64), last=pl.col("arrival_ns").max().cast(pl.Int64)
    ).row(0)
    if end > begin:
        return int(begin), int(end)
    return int(begin), int(requests.select(pl.col("completion_ns").max().cast(pl.Int64)).item())


def _between(requests: pl.DataFrame, start: int, stop: int) -> pl.DataFrame:
    return requests.filter(pl.col("completion_ns").is_between(start, stop, closed="left"))


def _window(load: JobLoad, rounds: Sequence[float]) -> tuple[int, int, bool | None]:
    if load.state == "fresh":
        return 0, len(rounds) - 1, None
    found = window_of(rounds)
    first = len(rounds) - WINDOW if found is None else found
    return first, first + WINDOW - 1, found is not None


def percentile(latencies: Sequence[int], percent: float) -> int | None:
    """Give the latency that a share of sorted requests does not exceed; None if it would be chance.

    >>> percentile(range(1, 1001), 99), percentile(range(1, 1000), 99)
    (990, None)
    """
    if round(len(latencies) * (100 - percent) * 1e6) < SAMPLES_BEYOND * 100_000_000:
        return None
    return int(latencies[math.ceil(round(len(latencies) * percent, 6) / 100) - 1])


def _ending_between(timeline: pl.DataFrame, start: int, stop: int) -> pl.DataFrame:
    end = pl.col("start_ns") + pl.col("length_ns")
    return timeline.filter((end > start) & (end <= stop))


def _in_bytes(chosen: pl.DataFrame) -> float | None:
    """Write amplification of intervals in bytes."""
    if "host_bytes" not in chosen.columns:
        # A run that an earlier version stored.
        return None
    host = int(chosen["host_bytes"].sum())
    return int(chosen["nand_bytes"].sum()) / host if host else None


def _in_pages(chosen: pl.DataFrame) -> float | None:
    """The same in pages."""
    host = int(chosen["host_programs"].sum())
    moved = int(chosen["gc_programs"].sum()) + int(chosen["wear_programs"].sum())
    return (host + moved) / host if host else None


def twin(load: JobLoad) -> JobLoad:
    """The same load on a fresh drive."""
    return load._replace(state="fresh")


def factor(load: JobLoad, amplification: float) -> float:
    """How many times as much a steady drive has to do for a request as a fresh one.

    Each write is done as often as `amplification` says, which is that of uniform overwrites in closed form;
    reads, and sequential loads, cost the same.

    >>> round(factor(JobLoad("random", "mixed", 4096, 32, "steady"), 3.0), 9)
    1.6
    >>> factor(JobLoad("sequential", "write", 4096, 1, "steady"), 3.0)
    1.0
    """
    if load.pattern == "sequential" or load.state == "fresh":
        return 1.0
    writes = WRITES[load.operation]
    return 1 - writes + writes * amplification


def predicted(metric: str, fresh: float, times: float) -> float:
    """Give a figure of the steady drive: rates fall by as much, latencies grow."""
    return fresh * times if metric == "us" else fresh / times


WINDOW = 5
"""Consecutive rounds."""
MOST_RANGE = 0.20
"""How far the values of a window may lie apart, in their average."""
MOST_SLOPE = 0.10
"""How far the best linear fit may rise or fall over a window, in the average."""


def excursions(values: Sequence[float]) -> tuple[float, float]:
    """Give the range of values, and that of their least-squares line, both in their average.

    >>> excursions([90, 95, 100, 105, 110])
    (0.2, 0.2)

    Raises:
        ValueError: for fewer than two values, or an average that is not positive.
    """
    mean = sum(values) / len(values)
    if len(values) < 2 or mean <= 0:
        raise ValueError(f"{len(values)} values with an average of {mean}")
    middle = (len(values) - 1) / 2
    product = sum((place - middle) * (value - mean) for place, value in enumerate(values))
    slope = product / sum((place - middle) ** 2 for place in range(len(values)))
    return (max(values) - min(values)) / mean, abs(slope) * (len(values) - 1) / mean


def window_of(rounds: Sequence[float]) -> int | None:
    """Give the first round of the first window that is steady; None if there is none.

    >>> window_of([300, 200, 110, 100, 102, 99, 101, 100]), window_of([100, 90, 80, 70, 60])
    (2, None)
    """
    for first in range(len(rounds) - WINDOW + 1):
        values = rounds[first : first + WINDOW]
        if min(values) <= 0:
            continue
        spread, slope = excursions(values)
        # A hair above, so that a range of exactly 20 % passes whatever the floating point.
        if spread <= MOST_RANGE + 1e-12 and slope <= MOST_SLOPE + 1e-12:
            return first
    return None
