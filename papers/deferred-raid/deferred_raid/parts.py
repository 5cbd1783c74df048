"""What DGC and each of its parts take off, by experiment and setting, beside RAID-5 under the same."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import polars as pl

from reclaim.papers.cells import told
from reclaim.papers.custom import PageTable, Ran
from reclaim.papers.measured import Figure

from .gains import DGC, GROUP, RAID5
from .week_runs import Weeks, over, redirected


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

    def settings(self, ran: Ran) -> Iterator[tuple[str, Weeks]]:
        """The points of each setting, by the name that its figures begin with."""
        points = whole(ran) if self.experiment == WHOLE else ran.cells(self.experiment)
        if points.is_empty():
            return
        values = points[self.axis].unique(maintain_order=True).to_list() if self.axis else [None]
        for value in values:
            here = points if value is None else points.filter(pl.col(self.axis) == value)
            cells = Weeks.at(here.drop(GROUP, strict=False), ran.sweeps / self.experiment)
            yield (self.experiment if value is None else f"{self.experiment}, {value}"), cells

    def pairs(self, cells: Weeks) -> Iterator[tuple[str, str]]:
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


def whole(ran: Ran) -> pl.DataFrame:
    """The points of the parts, with RAID-5 and DGC of the whole weeks, if they played the same traces."""
    parts, weeks = ran.cells(WHOLE), ran.cells("weeks")
    if parts.is_empty() or weeks.is_empty():
        return pl.DataFrame()
    kept = parts["trace"].unique().to_list()
    points = pl.concat([weeks.filter(pl.col("trace").is_in(kept)), parts], how="diagonal_relaxed")
    same = points.group_by("trace", "repeat").agg(pl.col("trace_hash").n_unique())["trace_hash"].max() == 1
    return points if same else pl.DataFrame()


def of_runs(ran: Ran) -> Iterator[tuple[str, Figure]]:
    """What is taken off, what it costs in writes, and who does the jobs; nothing where nothing ran."""
    for sweep in SWEEPS:
        for name, cells in sweep.settings(ran):
            for scheme, base in sweep.pairs(cells):
                yield from ((f"{name}: {scheme}, {what}", each) for what, each in _gains(cells, scheme, base))
            if cells.has_all(CONTROL, DGC):
                longer = over(cells.beside("write_mean_ns", CONTROL, DGC), cells.workloads)
                yield f"{name}: control beside dgc", cells.figure(longer)
            for scheme in (each for each in (RAID5, DGC) if each in cells.schemes):
                yield from ((f"{name}: {scheme}, {what}", each) for what, each in _state(cells, scheme))


def _gains(cells: Weeks, scheme: str, base: str) -> Iterator[tuple[str, Figure]]:
    """Per cent off, and write amplification as a ratio; the mean over workloads, then each."""
    for metric, words in TAKEN_OFF.items():
        beside = cells.beside(metric, scheme, base)
        yield words, cells.figure(_taken_off(over(beside, cells.workloads)))
        for name in cells.workloads if metric in OF_WORKLOADS else ():
            yield f"{words}, {name}", cells.figure(_taken_off(over(beside, [name])))
    more = over(cells.beside("gc_write_amplification", scheme, base), cells.workloads)
    yield "written beside", cells.figure(lambda repeat: 100 * (more(repeat) - 1))


def _taken_off(beside: Callable[[int], float]) -> Callable[[int], float]:
    return lambda repeat: 100 * (1 - beside(repeat))


def _state(cells: Weeks, scheme: str) -> Iterator[tuple[str, Figure]]:
    """Of each workload: write amplification, die utilization and the share of jobs done in idle time."""

    def figure(metric: str, name: str, times: float = 1) -> Figure:
        return cells.figure(lambda repeat: times * cells.value(metric, name, scheme, repeat))

    def idle(name: str) -> Figure:
        jobs = cells.beside_itself("gc_deferral_idle_jobs", "gc_jobs", name, scheme)
        return cells.figure(lambda repeat: 100 * jobs(repeat))

    for name in cells.workloads:
        yield f"amplification, {name}", figure("gc_write_amplification", name)
        yield f"utilization, {name}", figure("utilisation_die", name, 100)
        if scheme == DGC:
            yield f"idle jobs, {name}", idle(name)
            yield f"redirected, {name}", cells.figure(_redirected(cells, name))


def _redirected(cells: Weeks, name: str) -> Callable[[int], float]:
    return lambda repeat: redirected(cells, name, DGC, repeat)


def tables(ran: Ran) -> Iterator[PageTable]:
    """One for each experiment: ratios to RAID-5 under the same, below one where requests are faster."""
    for sweep in SWEEPS:
        rows = [
            (name, scheme, *_row(cells, scheme, base))
            for name, cells in sweep.settings(ran)
            for scheme, base in sweep.pairs(cells)
        ]
        if rows:
            yield PageTable(f"parts-{sweep.experiment}", HEAD, tuple(rows))


def _row(cells: Weeks, scheme: str, base: str) -> Iterator[str]:
    for metric in METRICS:
        yield told(cells.geometric(cells.beside(metric, scheme, base)))
    shares = cells.figure(
        lambda r: statistics.fmean(redirected(cells, name, scheme, r) for name in cells.workloads)
    )
    yield f"{shares.value:.2f}"
