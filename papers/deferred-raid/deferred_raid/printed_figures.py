"""Figures 4 and 8 to 11 of the paper from an overwritten drive, for the pictures of the page."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator, Mapping

import polars as pl

from reclaim.paper import latencies
from reclaim.paper.toolkit import Figure, LevelRuns, OfWorkload, Row

from .gains import DGC, RAID5, SIZES, USUAL, WORKLOADS, RaidCells

LOOKUP_NS = 1000.0
"""Of each request, in the queue's part: the setting of drive.toml."""
OVERWRITTEN = "overwritten"


def _share(*parts: str, more: float = 0) -> Callable[[Row], float]:
    """Share of the mean response time that some parts of it take, and so many ns more; per cent."""

    def share(row: Row) -> float:
        return 100 * (sum(latencies.time_of(row, each) for each in parts) + more) / latencies.mean(row)

    return share


TIMES = {
    "T_chip": _share("array", "transfer"),
    "T_meta": _share(more=LOOKUP_NS),
    "T_GC": _share("gc"),
    "T_wait": _share("queue", more=-LOOKUP_NS),
}
"""By the names of Figure 4."""


def of_runs(runs: LevelRuns) -> Iterator[tuple[str, Figure]]:
    """Those for which the runs are there."""
    if not (aged := overwritten(runs)):
        return
    for name in aged.workloads:
        for part, share in TIMES.items():
            yield f"figure 4: {part}, {name}", aged.one(aged.metric(share, RAID5), name)
    without, sizes = RaidCells.of(runs, "without"), RaidCells.of(runs, "sizes")
    for name in aged.workloads if without else ():
        yield f"figure 4: slowed, {name}", aged.one(_slowed(aged, without), name)
    if aged.has_workloads(*WORKLOADS):
        yield from _gains(aged)
    if sizes:
        usual = aged.having(pl.col("trace").is_in(sizes.workloads))
        yield from _sizes({size: usual if size == USUAL else sizes.of_size(size) for size in SIZES})


def overwritten(runs: LevelRuns) -> RaidCells:
    """All volumes that ran on an eighth of the drive, overwritten."""
    starts, volumes = runs.cells("starts"), runs.cells("volumes")
    parts = [starts if starts.is_empty() else starts.filter(pl.col("start") == OVERWRITTEN), volumes]
    there = [each for each in parts if not each.is_empty()]
    if not there:
        return RaidCells(pl.DataFrame())
    kept = pl.concat(there, how="diagonal_relaxed").filter(pl.col("scheme").is_in([RAID5, DGC]))
    return RaidCells(kept, (runs.sweeps / "starts", runs.sweeps / "volumes"))


def _slowed(aged: RaidCells, without: RaidCells) -> OfWorkload:
    """How many times longer requests take under RAID-5 because chips collect."""
    ours, theirs = (each.metric("mean_latency_ns", RAID5) for each in (aged, without))
    return lambda *cell: ours(*cell) / theirs(*cell)


def _gains(cells: RaidCells) -> Iterator[tuple[str, Figure]]:
    """Figures 8 and 9: what DGC takes off, per cent."""
    for number, kind in (("8", "mean"), ("9", "p99")):
        for of in ("total", "write", "read"):
            yield f"figure {number}: {of}", cells.reduction(kind, of, WORKLOADS)
            for name in WORKLOADS:
                yield f"figure {number}: {of}, {name}", cells.reduction(kind, of, [name])


def _sizes(sizes: Mapping[int, RaidCells]) -> Iterator[tuple[str, Figure]]:
    """Figures 10 and 11: response time beside groups of four, and the gain."""
    first, last = SIZES[0], SIZES[-1]
    names = sizes[USUAL].workloads

    def response(chips: int, repeat: int) -> float:
        ours, least = (sizes[size].metric(latencies.mean, DGC) for size in (chips, first))
        return statistics.fmean(100 * ours(each, repeat) / least(each, repeat) for each in names)

    def gain(chips: int, repeat: int) -> float:
        ratio = sizes[chips].beside_raid5("mean", "total")
        return 100 * statistics.fmean(1 - ratio(each, repeat) for each in names)

    usual = sizes[USUAL]
    for chips in SIZES:
        yield f"figure 10: {chips} chips", usual.figure(lambda r, of=chips: response(of, r))  # type: ignore[misc]
        yield f"figure 11: {chips} chips", sizes[chips].reduction("mean", "total", names)
    yield "figure 10: fall", usual.figure(lambda repeat: 100 - response(last, repeat))
    yield "figure 11: fall", usual.figure(lambda repeat: gain(first, repeat) - gain(last, repeat))
