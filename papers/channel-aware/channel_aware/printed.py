"""What the 20 gains that Table 6 prints come to, by three kinds of mean."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from fnmatch import fnmatchcase

from reclaim.paper.paper import load_paper
from reclaim.paper.toolkit import Figure, PageTable, exact

from .gains import Cell

KEY = "channel-aware"
GAMMAS = "t6-*-gamma"
OUTLIERS = ("t6-avg-read-cassandra-gamma", "t6-max-read-rocksdb-gamma")
"""The two gains that the paper leaves out of its second mean."""


METRICS = {
    "read_mean_ns": "avg-read",
    "write_mean_ns": "avg-write",
    "read_max_ns": "max-read",
    "write_max_ns": "max-write",
}


def geometric(cells: Sequence[Cell]) -> Figure:
    """The geometric mean of the gains that Table 6 prints of some cells."""
    claims = {each.id: each.value for each in load_paper(KEY).expected.claims}
    values = [float(claims[f"t6-{METRICS[metric]}-{workload}-gamma"]) for metric, workload in cells]
    return exact(statistics.geometric_mean(values))


def table() -> PageTable:
    """Give arithmetic mean, geometric mean, median and the number below 1, with and without the outliers."""
    claims = [each for each in load_paper(KEY).expected.claims if fnmatchcase(each.id, GAMMAS)]
    every = [float(each.value) for each in claims]
    few = [float(each.value) for each in claims if each.id not in OUTLIERS]
    head = ("gains of Table 6", "arithmetic mean", "geometric mean", "median", "below 1")
    return PageTable("printed", head, (_row("all", every), _row("without the two outliers", few)))


def _row(words: str, values: Sequence[float]) -> tuple[str, ...]:
    means = (statistics.fmean(values), statistics.geometric_mean(values), statistics.median(values))
    below = sum(each < 1 for each in values)
    return (f"{len(values)}, {words}", *(f"{each:.2f}" for each in means), f"{below} of {len(values)}")
