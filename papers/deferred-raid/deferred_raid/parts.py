"""What redirection and collection in idle time give apart, beside RAID-5 with the same trigger."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator, Mapping

import polars as pl

from reclaim.papers.cells import told
from reclaim.papers.custom import Ran
from reclaim.papers.measured import Figure

from .gains import DGC, RAID5
from .week_runs import Weeks, over, redirected

ALONE, IDLE = "redirection alone", "idle collection alone"
ALL_IDLE = "dgc, all idle chips"
ANY = ", any"
"""Ends the name of a scheme under which reads, too, make a chip collect."""
PARTS: Mapping[str, str] = {
    ALONE: "redirection alone",
    IDLE: "collection of all idle chips alone (control)",
    DGC: "both: DGC, which collects warned chips when idle",
    ALL_IDLE: "both, and all chips are collected when idle",
    f"{IDLE}, eight blocks": "collection of all idle chips alone, to eight blocks above the trigger",
    f"{DGC}, eight blocks": "DGC, to eight blocks above the trigger",
}


def whole(ran: Ran) -> Weeks | None:
    """The points of the parts, with RAID-5 and DGC of the whole weeks, which played the same traces."""
    parts, weeks = ran.cells("parts"), ran.cells("weeks")
    if parts.is_empty() or weeks.is_empty():
        return None
    kept = parts["trace"].unique().to_list()
    points = pl.concat([weeks.filter(pl.col("trace").is_in(kept)), parts], how="diagonal_relaxed")
    if not _same_traces(points):
        return None
    return Weeks.at(points, ran.sweeps / "parts")


def _same_traces(points: pl.DataFrame) -> bool:
    """Whether every scheme played the same requests."""
    return points.group_by("trace", "repeat").agg(pl.col("trace_hash").n_unique())["trace_hash"].max() == 1


HEAD = (
    "a chip collects for",
    "what is done",
    "mean",
    "mean write",
    "p99 of writes",
    "mean read",
    "p99.9 of reads",
    "pages redirected, of a hundred",
)
IN_SLICES = {
    "control": "writes; slices",
    "loaded": "writes; slices, the host alone uses dies a tenth of the time",
}
"""Experiments that run the parts in slices."""
METRICS = ("mean_latency_ns", "write_mean_ns", "write_p99_ns", "read_mean_ns", "read_p99_9_ns")


def rows(ran: Ran) -> Iterator[tuple[str, ...]]:
    """Beside RAID-5 whose chips collect for the same requests."""
    groups = (
        (whole(ran), "", "writes"),
        (whole(ran), ANY, "any request"),
        *((in_slices(ran, name), "", words) for name, words in IN_SLICES.items()),
    )
    for cells, end, words in groups:
        for scheme, what in PARTS.items():
            if cells is not None and cells.has_all(scheme + end, RAID5 + end):
                yield (words, what, *_row_of_parts(cells, scheme + end, RAID5 + end))


def in_slices(ran: Ran, experiment: str) -> Weeks | None:
    """The parts in slices, at the pace of the trace or at a load."""
    points = ran.cells(experiment)
    return None if points.is_empty() else Weeks.at(points, ran.sweeps / experiment)


def _row_of_parts(cells: Weeks, scheme: str, base: str) -> Iterator[str]:
    for metric in METRICS:
        yield told(cells.geometric(cells.beside(metric, scheme, base)))
    shares = cells.figure(
        lambda r: statistics.fmean(redirected(cells, name, scheme, r) for name in cells.workloads)
    )
    yield f"{shares.value:.2f}"


OF_PARTS = {"mean_latency_ns": "mean", "write_mean_ns": "writes", "read_mean_ns": "reads"}


def of_runs(ran: Ran) -> Iterator[tuple[str, Figure]]:
    """What is taken off the means, by experiment, part and workload; nothing where they did not run."""
    groups = ((whole(ran), "parts"), *((in_slices(ran, name), name) for name in IN_SLICES))
    for cells, kind in groups:
        if cells is not None:
            yield from ((f"{kind}: {name}", found) for name, found in _of_all(cells))


def _of_all(cells: Weeks) -> Iterator[tuple[str, Figure]]:
    """Of every part that is there, beside RAID-5 with the same trigger."""
    for end in ("", ANY):
        for scheme in PARTS:
            if cells.has_all(scheme + end, RAID5 + end):
                yield from _of_part(cells, scheme + end, RAID5 + end)


def _of_part(cells: Weeks, scheme: str, base: str) -> Iterator[tuple[str, Figure]]:
    for metric, words in OF_PARTS.items():
        beside = over(cells.beside(metric, scheme, base), cells.workloads)
        yield f"{scheme}, {words}", cells.figure(_taken_off(beside))
        for name in cells.workloads:
            beside = over(cells.beside(metric, scheme, base), [name])
            yield f"{scheme}, {words}, {name}", cells.figure(_taken_off(beside))


def _taken_off(beside: Callable[[int], float]) -> Callable[[int], float]:
    return lambda repeat: 100 * (1 - beside(repeat))
