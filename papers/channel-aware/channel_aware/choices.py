"""What thresholds, the largest number of channels and the order of a list do to the gains."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import polars as pl

from reclaim.paper.toolkit import Figure, LevelRuns, PageTable, in_words

from .gains import ADAPTIVE, GATED_ALL
from .readings import READINGS, WIDEST, Compared, Reading

EXPERIMENTS: Mapping[str, tuple[str, str]] = {
    "crossed": ("choices", "recordings"),
    "crossed-stand-ins": ("choices-stand-ins", "stand-ins"),
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


LATER: Mapping[str, tuple[str, str]] = {
    "G from 70 %": (f"{ADAPTIVE}, 70 % to 85 %", f"{GATED_ALL}, idle"),
    "G from 80 %": (f"{ADAPTIVE}, 80 % to 95 %", f"{GATED_ALL}, idle"),
    "start of G at 70 %": (f"{ADAPTIVE}, 70 % to 85 %", f"{ADAPTIVE}, idle"),
}
"""One scheme beside another: what G(t) gives from later on, and what starting later gives it."""


def of_runs(runs: LevelRuns) -> Iterator[tuple[str, Figure]]:
    """Geometric means of the gains of one scheme beside another, by kind of workload."""
    for words, of in _sets(runs).items():
        for name, (proposed, base) in LATER.items():
            if (under := of.under(proposed, [base])) is not None:
                yield f"{name}, {words}", under["geometric"]


def _sets(runs: LevelRuns) -> dict[str, Compared]:
    """Of each kind of workload, all schemes under their readings and with other parameters."""
    found = {}
    for readings, (choices, words) in EXPERIMENTS.items():
        if runs.cells(choices).is_empty():
            return {}
        points = [runs.cells(readings), runs.cells(choices)]
        found[words] = Compared(pl.concat(points, how="diagonal_relaxed"))
    return found


def table(runs: LevelRuns) -> list[PageTable]:
    """Geometric means of the gains for each choice, under two readings; nothing without such runs."""
    columns = {
        f"{kind}, {words}": (of, reading) for kind, of in _sets(runs).items() for words, reading in BESIDE
    }
    if not columns:
        return []
    rows = [(words, *_gains(name, columns)) for name, words in CHOICES.items()]
    rows.append((f"{CHOICES[ALIKE]}, in the baselines, too", *_gains(ALIKE, columns, f", {ALIKE}")))
    return [PageTable("choices", ("the proposed scheme", *columns), tuple(rows))]


def _gains(name: str, columns: Mapping[str, tuple[Compared, Reading]], behind: str = "") -> Iterator[str]:
    for of, reading in columns.values():
        under = of.under(f"{ADAPTIVE}, {name}", [f"{each}{behind}" for each in reading.baselines])
        yield "" if under is None else in_words(under["geometric"])
