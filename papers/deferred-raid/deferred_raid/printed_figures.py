"""Figures 4 and 8 to 11 of the paper from an overwritten drive, for the pictures of the page."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator, Sequence

import polars as pl

from reclaim.papers.custom import Ran
from reclaim.papers.measured import Figure

from .gains import DGC, GROUP, RAID5, SIZES, USUAL, WORKLOADS, Cells

CHIP, WAIT, GC = ("array", "transfer"), ("queue",), ("gc",)
LOOKUP_NS = 1000.0
"""Of each request, in the queue's part: the setting of drive.toml."""
OVERWRITTEN = "overwritten"


def of_runs(ran: Ran) -> Iterator[tuple[str, Figure]]:
    """Those for which the runs are there."""
    aged = overwritten(ran)
    if aged is None:
        return
    for name in aged.workloads:
        for part, share in _times(aged, name):
            yield f"figure 4: {part}, {name}", share
    without, sizes = ran.cells("without"), ran.cells("sizes")
    if not without.is_empty():
        yield from _slowed(aged, Cells(without))
    if set(WORKLOADS) <= set(aged.workloads):
        yield from _gains(aged)
    if not sizes.is_empty():
        usual = aged.points.filter(pl.col("trace").is_in(sizes["trace"].unique().to_list()))
        usual = usual.with_columns(pl.lit(USUAL).alias(GROUP))
        sizes = sizes.with_columns(pl.col(GROUP).cast(pl.Int32))
        yield from _sizes(Cells(pl.concat([sizes, usual], how="diagonal_relaxed")))


def overwritten(ran: Ran) -> Cells | None:
    """All volumes that ran on an eighth of the drive, overwritten, with their distributions."""
    parts = []
    for experiment in ("starts", "volumes"):
        points = ran.cells(experiment)
        if not points.is_empty():
            if experiment == "starts":
                points = points.filter(pl.col("start") == OVERWRITTEN)
            parts.append(Cells.of(points, ran.sweeps / experiment))
    if not parts:
        return None
    points = pl.concat([each.points for each in parts], how="diagonal_relaxed")
    kept = points.filter(pl.col("scheme").is_in([RAID5, DGC]))
    return Cells(kept.drop(GROUP), pl.concat([each.histograms for each in parts], how="diagonal_relaxed"))


def _times(cells: Cells, name: str) -> Iterator[tuple[str, Figure]]:
    """Shares of the mean response time under RAID-5, per cent, by the names of Figure 4."""

    def share(parts: Sequence[str], more: float = 0) -> Callable[[int], float]:
        def compute(repeat: int) -> float:
            row = cells.row(name, RAID5, repeat)
            return 100 * (sum(cells.part(row, each) for each in parts) + more) / cells.mean(row, "total")

        return compute

    yield "T_chip", cells.figure(share(CHIP))
    yield "T_meta", cells.figure(share((), LOOKUP_NS))
    yield "T_GC", cells.figure(share(GC))
    yield "T_wait", cells.figure(share(WAIT, -LOOKUP_NS))


def _slowed(aged: Cells, without: Cells) -> Iterator[tuple[str, Figure]]:
    """How many times longer requests take under RAID-5 because chips collect."""
    for name in aged.workloads:
        yield (
            f"figure 4: slowed, {name}",
            aged.figure(_over(aged, without, name)),
        )


def _over(aged: Cells, without: Cells, name: str) -> Callable[[int], float]:
    return lambda repeat: (
        aged.value("mean_latency_ns", name, RAID5, repeat)
        / without.value("mean_latency_ns", name, RAID5, repeat)
    )


def _gains(cells: Cells) -> Iterator[tuple[str, Figure]]:
    """Figures 8 and 9: what DGC takes off, per cent."""
    for number, kind in (("8", "mean"), ("9", "p99")):
        for of in ("total", "write", "read"):
            yield f"figure {number}: {of}", cells.reduction(kind, of, WORKLOADS)
            for name in WORKLOADS:
                yield f"figure {number}: {of}, {name}", cells.reduction(kind, of, [name])


def _sizes(cells: Cells) -> Iterator[tuple[str, Figure]]:
    """Figures 10 and 11: response time beside groups of four, and the gain."""
    names = cells.workloads

    def response(chips: int) -> Callable[[int], float]:
        def mean(name: str, repeat: int, of: int) -> float:
            return cells.mean(cells.row(name, DGC, repeat, of), "total")

        return lambda r: statistics.fmean(
            100 * mean(each, r, chips) / mean(each, r, SIZES[0]) for each in names
        )

    def gain(chips: int, repeat: int) -> float:
        return 100 * statistics.fmean(1 - cells.ratio("mean", "total", each, repeat, chips) for each in names)

    for chips in SIZES:
        yield f"figure 10: {chips} chips", cells.figure(response(chips))
        yield f"figure 11: {chips} chips", cells.reduction("mean", "total", names, chips)
    last = response(SIZES[-1])
    yield "figure 10: fall", cells.figure(lambda repeat: 100 - last(repeat))
    yield "figure 11: fall", cells.figure(lambda repeat: gain(SIZES[0], repeat) - gain(SIZES[-1], repeat))
