"""What thresholds, the largest number of channels and the order of a list do to the gains."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import polars as pl

from reclaim.papers.cells import told
from reclaim.papers.custom import PageTable, Ran

from .gains import ADAPTIVE, Gains
from .readings import READINGS, WIDEST, Reading, Set
from .workloads import Kind

EXPERIMENTS: Mapping[str, tuple[str, Kind]] = {
    "readings": ("choices", "recording"),
    "readings-stand-ins": ("choices-stand-ins", "stand-in"),
}
"""Where the schemes of the paper are, and beside them the proposed one with other parameters."""
CHOICES: Mapping[str, str] = {
    "idle": "as the paper prints it: 50 % to 85 %, 4 channels",
    "2 channels": "at most 2 channels",
    "8 channels": "at most 8 channels, all there are",
    "30 % to 70 %": "from 30 % to 70 % of usage",
    "70 % to 85 %": "from 70 % to 85 %",
    "80 % to 95 %": "from 80 % to 95 %",
    "most invalid": "of a channel's list the block with most invalid pages first",
}
"""What stands behind the name of the scheme, and what a page calls it."""
ALIKE = "most invalid"
"""A choice that the baselines can share; it stands behind their names, too."""
BESIDE: tuple[tuple[str, Reading], ...] = (
    ("all wait", READINGS[0]),
    ("baselines before the host, drained", WIDEST),
)


def table(ran: Ran) -> list[PageTable]:
    """Geometric means of the gains for each choice, under two readings; nothing without such runs."""
    columns = {}
    for readings, (choices, kind) in EXPERIMENTS.items():
        points = pl.concat([ran.cells(readings), ran.cells(choices)], how="diagonal_relaxed")
        if ran.cells(choices).is_empty() or points.is_empty():
            return []
        for words, reading in BESIDE:
            columns[f"{kind}s, {words}"] = Set(Gains(points), kind), reading
    rows = [(words, *_gains(name, columns)) for name, words in CHOICES.items()]
    rows.append((f"{CHOICES[ALIKE]}, in the baselines, too", *_gains(ALIKE, columns, f", {ALIKE}")))
    return [PageTable("choices", ("the proposed scheme", *columns), tuple(rows))]


def _gains(name: str, columns: Mapping[str, tuple[Set, Reading]], behind: str = "") -> Iterator[str]:
    for of, reading in columns.values():
        under = of.under(f"{ADAPTIVE}, {name}", [f"{each}{behind}" for each in reading.baselines])
        yield "" if under is None else told(under["geometric"])
