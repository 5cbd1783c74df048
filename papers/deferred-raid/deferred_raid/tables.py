"""Tables of the page: what deferring takes off by workload, and the mean under other loads and readings."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from reclaim.papers.cells import told
from reclaim.papers.custom import PageTable, Ran
from reclaim.papers.loads import WORDS

from . import weeks
from .gains import DGC, GROUP, RAID5, USUAL, WORKLOADS, Cells

KINDS = ("mean", "p99")
CLASSES = {"total": "all requests", "write": "writes", "read": "reads"}
METRICS = {
    "mean_latency_ns": "mean",
    "write_mean_ns": "mean write",
    "write_p99_9_ns": "p99.9 of writes",
    "read_mean_ns": "mean read",
    "read_p99_9_ns": "p99.9 of reads",
}


def tables(ran: Ran) -> list[PageTable]:
    """Those that the run has."""
    return [*_of_slices(ran), *weeks.tables(ran)]


def _of_slices(ran: Ran) -> list[PageTable]:
    points = ran.cells("cells")
    if points.is_empty() or not set(WORKLOADS) <= set(points["trace"].to_list()):
        return []
    cells = Cells.of(points, ran.sweeps / "cells")
    found = [PageTable("reductions", ("taken off", *WORKLOADS, "mean"), tuple(_reductions(cells)))]
    variations = tuple(_variations(ran))
    if len(variations) > 1:
        found.append(PageTable("variations", ("load or reading", *METRICS.values()), variations))
    return found


def _reductions(cells: Cells) -> Iterator[tuple[str, ...]]:
    for kind in KINDS:
        for of, words in CLASSES.items():
            each = (told(cells.reduction(kind, of, [name]), " %") for name in WORKLOADS)
            yield (f"{kind}, {words}", *each, told(cells.reduction(kind, of, WORKLOADS), " %"))


def _variations(ran: Ran) -> Iterator[tuple[str, ...]]:
    """Every load and reading under which all workloads ran, beside RAID-5 under the same."""
    here = ran.points.filter(pl.col("experiment_key") == "cells")
    if GROUP in here.columns:
        here = here.filter(pl.col(GROUP).cast(pl.Int64) == USUAL)
    for load, vary in here.select("load", "vary").unique(maintain_order=True).iter_rows():
        cells = Cells(here.filter((pl.col("load") == load) & (pl.col("vary") == vary)))
        if cells.has_all(RAID5, DGC) and set(cells.workloads) == set(WORKLOADS):
            ratios = (told(cells.geometric(cells.beside(metric, DGC, RAID5))) for metric in METRICS)
            yield (vary or WORDS[load], *ratios)
