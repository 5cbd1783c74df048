"""What DGC and each of its parts take off, by experiment and setting, beside RAID-5 under the same."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import polars as pl

from reclaim.paper.toolkit import Figure, LevelRuns, OfWorkload, PageTable, Row, in_words, percent, reduction

from .gains import DGC, GROUP, RAID5, RaidCells, redirected


def _raid5(scheme: str) -> str:
    """RAID-5, or RAID-5 with what the last words of the scheme say."""
    return f"{RAID5}, {scheme.rpartition(', ')[2]}"


def _is_raid5(scheme: str) -> bool:
    return scheme.partition(",")[0] == RAID5


def _healthy(scheme: str) -> str:
    return f"{scheme.partition(',')[0]}, healthy"


@dataclass(frozen=True)
class Sweep:
    """An experiment, the column that sets its points apart, and what its schemes are compared with."""

    experiment: str
    axis: str = ""
    base_of: Callable[[str], str] = _raid5

    def settings(self, runs: LevelRuns) -> Iterator[tuple[str, RaidCells]]:
        """The points of each setting, by the name that its figures begin with."""
        cells = RaidCells(whole(runs)) if self.experiment == WHOLE else RaidCells.of(runs, self.experiment)
        if self.axis:
            yield from ((f"{self.experiment}, {value}", here) for value, here in cells.by_value(self.axis))
        elif cells:
            yield self.experiment, cells

    def pairs(self, cells: RaidCells) -> Iterator[tuple[str, str]]:
        """Each scheme, and what it is compared with."""
        there = cells.schemes
        for scheme in there:
            base = self.base_of(scheme)
            base = base if base in there else RAID5
            if base in there and base != scheme and (self.base_of is _healthy or not _is_raid5(scheme)):
                yield scheme, base


WHOLE = "parts"
CONTROL = "idle collection alone, eight blocks"
"""What a firmware engineer would try first: nothing is redirected."""
SWEEPS = (
    Sweep("aged"),
    Sweep("volumes"),
    Sweep("starts", "start"),
    Sweep("trigger", "start"),
    Sweep("loads", "load_of_host"),
    Sweep("recordings", "load_of_host"),
    Sweep("ahead", "load_of_host"),
    Sweep("ahead-whole"),
    Sweep("ahead-recordings", "load_of_host"),
    Sweep("order", "order"),
    Sweep("shuffled"),
    Sweep("mapping"),
    Sweep("sizes", GROUP),
    Sweep(WHOLE),
    Sweep("control"),
    Sweep("loaded"),
    Sweep("separated"),
    Sweep("busy"),
    Sweep("others"),
    Sweep("networks"),
    Sweep("rebuild", base_of=_healthy),
)
TAKEN_OFF = {
    "mean_latency_ns": "mean",
    "write_mean_ns": "writes",
    "read_mean_ns": "reads",
    "write_p99_9_ns": "p99.9 of writes",
}
OF_WORKLOADS = ("mean_latency_ns", "write_mean_ns")
HEAD = (
    "setting",
    "what is done",
    "mean",
    "mean write",
    "p99 of writes",
    "mean read",
    "p99.9 of reads",
    "pages redirected, of a hundred",
)
METRICS = ("mean_latency_ns", "write_mean_ns", "write_p99_ns", "read_mean_ns", "read_p99_9_ns")


def whole(runs: LevelRuns) -> pl.DataFrame:
    """The points of the parts, with RAID-5 and DGC of the whole weeks, if they played the same traces."""
    parts, weeks = runs.cells(WHOLE), runs.cells("weeks")
    if parts.is_empty() or weeks.is_empty():
        return pl.DataFrame()
    kept = parts["trace"].unique().to_list()
    points = pl.concat([weeks.filter(pl.col("trace").is_in(kept)), parts], how="diagonal_relaxed")
    same = points.group_by("trace", "repeat").agg(pl.col("trace_hash").n_unique())["trace_hash"].max() == 1
    return points if same else pl.DataFrame()


def of_runs(runs: LevelRuns) -> Iterator[tuple[str, Figure]]:
    """What is taken off, what it costs in writes, and who does the jobs; nothing where nothing ran."""
    for sweep in SWEEPS:
        for name, cells in sweep.settings(runs):
            for scheme, base in sweep.pairs(cells):
                yield from ((f"{name}: {scheme}, {what}", each) for what, each in _gains(cells, scheme, base))
            if cells.has_all(CONTROL, DGC):
                yield f"{name}: control beside dgc", cells.mean(cells.ratio("write_mean_ns", CONTROL, DGC))
            for scheme in (each for each in (RAID5, DGC) if each in cells.schemes):
                yield from ((f"{name}: {scheme}, {what}", each) for what, each in _state(cells, scheme))


def _gains(cells: RaidCells, scheme: str, base: str) -> Iterator[tuple[str, Figure]]:
    """Per cent off, and write amplification as a ratio; the mean over workloads, then each."""
    for metric, words in TAKEN_OFF.items():
        ratio = cells.ratio(metric, scheme, base)
        yield words, _of_mean(cells, lambda mean: 100 * (1 - mean), ratio)
        for name in cells.workloads if metric in OF_WORKLOADS else ():
            yield f"{words}, {name}", cells.one(reduction(ratio), name)
    more = cells.ratio("gc_write_amplification", scheme, base)
    yield "written beside", _of_mean(cells, lambda mean: 100 * (mean - 1), more)


def _of_mean(cells: RaidCells, compute: Callable[[float], float], of: OfWorkload) -> Figure:
    """What is computed of the mean over workloads."""
    return cells.over(lambda values: compute(statistics.fmean(values)), of)


def _state(cells: RaidCells, scheme: str) -> Iterator[tuple[str, Figure]]:
    """Of each workload: write amplification, die utilization and the share of jobs done in idle time."""
    for name in cells.workloads:
        yield f"amplification, {name}", cells.one(cells.metric("gc_write_amplification", scheme), name)
        yield f"utilization, {name}", cells.one(percent(cells.metric("utilisation_die", scheme)), name)
        if scheme == DGC:
            yield f"idle jobs, {name}", cells.one(percent(cells.metric(_idle, scheme)), name)
            yield f"redirected, {name}", cells.one(cells.metric(redirected, DGC), name)


def _idle(row: Row) -> float:
    return float((row["gc_deferral_idle_jobs"] or 0) / row["gc_jobs"])


def tables(runs: LevelRuns) -> Iterator[PageTable]:
    """One for each experiment: ratios to RAID-5 under the same, below one where requests are faster."""
    for sweep in SWEEPS:
        rows = [
            (name, scheme, *_row(cells, scheme, base))
            for name, cells in sweep.settings(runs)
            for scheme, base in sweep.pairs(cells)
        ]
        if rows:
            yield PageTable(f"parts-{sweep.experiment}", HEAD, tuple(rows))


def _row(cells: RaidCells, scheme: str, base: str) -> Iterator[str]:
    for metric in METRICS:
        yield in_words(cells.geometric(cells.ratio(metric, scheme, base)))
    yield f"{cells.mean(cells.metric(redirected, scheme)).value:.2f}"
