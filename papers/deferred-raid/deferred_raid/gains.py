"""Points of the experiments by the size of a parity group, and the mean under other loads and readings."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

from reclaim.paper.loads import WORDS
from reclaim.paper.toolkit import Cells, LevelRuns, PageTable, in_words

RAID5, DGC = "raid5", "dgc"
WORKLOADS = ("hm_0", "stg_0", "src2_0", "rsrch_0", "wdev_0")
SIZES = (4, 8, 16)
"""Chips of a parity group."""
USUAL = SIZES[1]
METRICS = {
    "mean_latency_ns": "mean",
    "write_mean_ns": "mean write",
    "write_p99_9_ns": "p99.9 of writes",
    "read_mean_ns": "mean read",
    "read_p99_9_ns": "p99.9 of reads",
}


def of_size(cells: Cells, chips: int = USUAL) -> Cells | None:
    """The points of parity groups of so many chips, of whichever size where an experiment has one.

    None where not all workloads of the paper ran.
    """
    here = cells.where("redundancy.stripe_chips?", str(chips))
    return here if here and here.has_workloads(*WORKLOADS) and here.repeats else None


def variations(runs: LevelRuns) -> list[PageTable]:
    """Every load and reading under which all workloads ran, beside RAID-5 under the same."""
    points = runs.points.filter(runs.points["experiment_key"] == "cells") if len(runs.points) else runs.points
    every, rows = Cells(points, listed=WORKLOADS), []
    for load, vary in every.points.select("load", "vary").unique(maintain_order=True).rows() if every else ():
        cells = of_size(every.at("load", load).at("vary", vary))
        if cells is not None and cells.has_all(RAID5, DGC):
            ratios = (in_words(cells.geometric(cells.ratio(metric, DGC, RAID5))) for metric in METRICS)
            rows.append((vary or WORDS[load], *ratios))
    return (
        [PageTable("variations", ("load or reading", *METRICS.values()), tuple(rows))]
        if len(rows) > 1
        else []
    )


def rank_correlation(left: Sequence[float], right: Sequence[float]) -> float:
    """Correlation of ranks; 0 where all of one side are the same, and nothing follows from anything."""
    if min(len(set(left)), len(set(right))) == 1:
        return 0.0
    ranks = ([float(sorted(side).index(value)) for value in side] for side in (left, right))
    return statistics.correlation(*ranks)
