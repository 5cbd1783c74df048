"""Tables of the page: what deferring takes off by workload, and the mean under other loads and readings."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from reclaim.paper.loads import WORDS
from reclaim.paper.toolkit import LevelRuns, PageTable, in_words

from . import weeks
from .gains import DGC, RAID5, USUAL, WORKLOADS, RaidCells, cells_of

KINDS = ("mean", "p99")
CLASSES = {"total": "all requests", "write": "writes", "read": "reads"}
METRICS = {
    "mean_latency_ns": "mean",
    "write_mean_ns": "mean write",
    "write_p99_9_ns": "p99.9 of writes",
    "read_mean_ns": "mean read",
    "read_p99_9_ns": "p99.9 of reads",
}


def tables(runs: LevelRuns) -> list[PageTable]:
    """Those that the run has."""
    return [*_of_slices(runs), *weeks.tables(runs)]


def _of_slices(runs: LevelRuns) -> Iterator[PageTable]:
    if cells := cells_of(runs):
        yield PageTable("reductions", ("taken off", *WORKLOADS, "mean"), tuple(_reductions(cells)))
        variations = tuple(_variations(runs))
        if len(variations) > 1:
            yield PageTable("variations", ("load or reading", *METRICS.values()), variations)


def _reductions(cells: RaidCells) -> Iterator[tuple[str, ...]]:
    for kind in KINDS:
        for of, words in CLASSES.items():
            groups = (*([name] for name in WORKLOADS), WORKLOADS)
            yield (f"{kind}, {words}", *(in_words(cells.reduction(kind, of, each), " %") for each in groups))


def _variations(runs: LevelRuns) -> Iterator[tuple[str, ...]]:
    """Every load and reading under which all workloads ran, beside RAID-5 under the same."""
    every = RaidCells(runs.points.filter(pl.col("experiment_key") == "cells")).of_size(USUAL)
    for load, vary in every.points.select("load", "vary").unique(maintain_order=True).iter_rows():
        cells = every.at("load", load).at("vary", vary)
        if cells.has_all(RAID5, DGC) and set(cells.workloads) == set(WORKLOADS):
            ratios = (in_words(cells.geometric(cells.ratio(metric, DGC, RAID5))) for metric in METRICS)
            yield (vary or WORDS[load], *ratios)
