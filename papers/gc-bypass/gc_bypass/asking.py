"""GC bypass beside Venice by who asks the mesh first: newcomers, or those who wait for it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from reclaim.papers.cells import told
from reclaim.papers.custom import Custom, PageTable, Ran
from reclaim.papers.measured import Figure

from .cells import Cells
from .orders import METRICS as LATENCIES
from .orders import beside, sets

EXPERIMENTS: Mapping[str, str] = {"asking": "asking"}
METRICS: Mapping[str, str] = {"read_mean_ns": "mean of reads", **LATENCIES}
PAIRS: Mapping[str, tuple[str, str]] = {
    "GC bypass beside Venice, newcomers first": ("gc-bypass, newcomers", "venice, newcomers"),
    "GC bypass beside Venice, those who wait first": ("gc-bypass, waiting", "venice, waiting"),
    "Venice, those who wait first beside newcomers first": ("venice, waiting", "venice, newcomers"),
    "GC bypass, those who wait first beside newcomers first": ("gc-bypass, waiting", "gc-bypass, newcomers"),
}


def tables(ran: Ran) -> list[PageTable]:
    """A row for each pair of schemes."""
    return [
        PageTable(
            words,
            ("", *METRICS.values()),
            tuple((pair, *(told(each) for each in figures.values())) for pair, figures in _rows(cells)),
        )
        for words, cells in sets(ran, EXPERIMENTS).items()
    ]


def of_runs(ran: Ran) -> dict[str, Custom]:
    """The same figures by name: the pair, and what is measured."""
    return {
        f"{pair}, {label}": Custom(figure)
        for cells in sets(ran, EXPERIMENTS).values()
        for pair, figures in _rows(cells)
        for label, figure in figures.items()
    }


def _rows(cells: Cells) -> Iterator[tuple[str, dict[str, Figure]]]:
    for pair, (ours, theirs) in PAIRS.items():
        yield (
            pair,
            {
                label: beside(cells, metric, ours, theirs, cells.workloads)
                for metric, label in METRICS.items()
            },
        )
