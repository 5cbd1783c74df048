"""CoupledCB beside PcGC and simpler controls: order of replay, units to a block, other choices."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial

import polars as pl

from reclaim.paper.toolkit import Figure, LevelRuns, percent, reduction

from .cells import BASELINE, COUPLED, FILLED, MOVED, PADDED, PCGC, TAIL, WASTED, WRITTEN, CoupledCells
from .rows import Measured, Row, Rows, fewer, fewer_of_victims, left

ALL = "all admitted"
CONTROLS: Mapping[str, str] = {
    COUPLED: "CoupledCB",
    ALL: "without the gate",
    "filling": "filling without pointers",
    "controller": "controller",
}
"""Beside PcGC, and what a page calls them. Through the controller there is no parity, and no waste."""
EXPERIMENTS = ("shuffled", "recorded", "units", "settings", "planes")
SIZES = {
    f"planes of {blocks} blocks": f"planes of {40 * times} to {60 * times} blocks"
    for times in (1, 2, 4)
    for blocks in (40 * times, 60 * times)
}
"""What is averaged over: mysql touches half as much again as the other recordings."""
FIGURE_3 = "figure-3"
LENDERS = {BASELINE: "0", **{f"{each} blocks": str(each) for each in range(1, 5)}, PCGC: "PcGC"}


def _lenders(runs: LevelRuns) -> Iterator[Row]:
    """Waste of that of the baseline, by how many further blocks lend pages."""
    cells = CoupledCells.of(runs, FIGURE_3)
    for name in cells.workloads:
        here = cells.at("trace", name)
        yield (name,), [left(here, scheme, words) for scheme, words in LENDERS.items()]


def _rows(experiment: str, runs: LevelRuns) -> Iterator[Row]:
    """Of each workload, and of the mean over those on blocks or planes of one size."""
    cells = CoupledCells.of(runs, experiment)
    names = cells.workloads
    groups = {name: [name] for name in names}
    sizes = {name: SIZES.get(size, size) for name in names for size in [name.partition(", ")[2]]}
    for size in dict.fromkeys(sizes.values()):
        groups[f"mean, {size}" if size else "mean"] = [name for name in names if sizes[name] == size]
    for name, its in groups.items():
        if len(its) > 1 or name in names:
            yield (name,), list(_measured(CoupledCells(cells.points.filter(pl.col("trace").is_in(its)))))


CONTROL_ROWS = [
    Rows(FIGURE_3, ("workload",), _lenders, before=(FIGURE_3,)),
    *(Rows(name, ("workload",), partial(_rows, name), before=(name,)) for name in EXPERIMENTS),
]
"""A row for each workload of an experiment."""


def _measured(here: CoupledCells) -> Iterator[Measured]:
    yield "write amplification", here.mean(here.metric(WRITTEN, PCGC)), ""
    yield "die utilization", here.mean(percent(here.metric("utilisation_die", PCGC))), " %"
    yield "padded for each host page", here.mean(here.metric(PADDED, PCGC)), ""
    yield "valid pages of a victim", here.mean(here.metric("gc_valid_pages_per_victim", PCGC)), ""
    empty = here.metric(lambda row: (row["gc_victim_empty_victims"] or 0) / row["gc_jobs"], COUPLED)
    lent = here.metric(lambda row: (row[FILLED] or 0) / row[MOVED], COUPLED)
    yield "jobs that move pages", here.known(reduction(empty), "gc_jobs", COUPLED), " %"
    yield "of the moved pages, lent", here.known(percent(lent), MOVED, COUPLED), " %"
    if BASELINE in here.schemes:
        yield left(here, PCGC)
        yield left(here, COUPLED)
    for scheme, words in CONTROLS.items():
        if scheme in here.schemes:
            yield f"{words}, fewer moved", fewer(here, MOVED, scheme, PCGC), " %"
            yield fewer_of_victims(here, PCGC, scheme, f"{words}, fewer of victims")
            written = fewer(here, "gc_nand_write_amplification", scheme, PCGC)
            yield f"{words}, fewer bytes programmed", written, " %"
            yield f"{words}, lower mean latency", _lower_mean(here, scheme, PCGC), " %"
            yield f"{words}, lower p99.99 of writes", fewer(here, TAIL, scheme, PCGC), " %"
    yield "the gate, fewer moved", fewer(here, MOVED, COUPLED, ALL), " %"
    yield "the gate, fewer wasted", fewer(here, WASTED, COUPLED, ALL), " %"
    yield "the gate, lower mean latency", _lower_mean(here, COUPLED, ALL), " %"


def _lower_mean(here: CoupledCells, scheme: str, base: str) -> Figure:
    return here.mean(reduction(here.ratio("mean_latency_ns", scheme, base)))
