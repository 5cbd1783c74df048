"""Which rows of a comparison come first, and where a report folds the others away."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from reclaim.result.reported import Reported
from reclaim.result.table import ASKED, BY_HOST, CLASSES, IN_BYTES, IN_PAGES, PADDED, FigureRow, rows

MOST_ROWS = 12
"""Rows of the table that is not folded."""
ALIKE = "All figures are the same for all schemes."
MEAN_OF_ALL = "mean latency of all requests"
FIRST: tuple[tuple[str, str], ...] = (
    *(("drive", label) for label in ASKED),
    ("read", "p99.9 latency"),
    ("write", "p99.9 latency"),
    ("drive", IN_BYTES),
    ("read", "mean latency"),
    ("write", "mean latency"),
    ("drive", MEAN_OF_ALL),
    ("read", "p99 latency"),
    ("write", "p99 latency"),
    ("drive", IN_PAGES),
    ("drive", PADDED),
    ("read", "mean waiting for GC"),
    ("write", "mean waiting for GC"),
    ("drive", "die utilisation, mean"),
    ("drive", "valid pages moved per victim"),
    ("drive", "blocks erased"),
    ("flush", "p99.9 latency"),
    ("trim", "p99.9 latency"),
    ("read", "p50 latency"),
    ("write", "p50 latency"),
)
"""Section and label of rows, the most wanted first."""


@dataclass(frozen=True)
class Folded:
    """The rows of a report: at most `MOST_ROWS` in sight, all others in groups that a reader opens."""

    first: list[FigureRow]
    groups: list[tuple[str, list[FigureRow]]]
    """By what they are about: reads, writes, trims, flushes, the drive."""
    alike: list[FigureRow]
    """Rows with the same text for every run; of a single run those that are zero."""


def full_label(row: FigureRow) -> str:
    """What a row is called where other sections have rows, too: `read p99 latency`."""
    return row.label if row.section == "drive" else f"{row.section} {row.label}"


def is_alike(row: FigureRow) -> bool:
    """Whether a row tells no run from another: all have the same text and mark, or one run has zero."""
    if len(row.values) == 1:
        return not row.values[0]
    return len(set(zip(row.texts(), row.marks(), strict=True))) == 1


def fold(results: Sequence[Reported]) -> Folded:
    """Sort the figures of `results` into those in sight and those folded away, without what nobody has."""
    return folded(rows(results))


def folded(every: Iterable[FigureRow]) -> Folded:
    """Sort rows; the order within each group is that in which they come."""
    known = [row for row in every if any(value is not None for value in row.values)]
    differ = {(row.section, row.label): row for row in known if not is_alike(row)}
    wanted = [place for place in _wanted(differ) if place in differ][:MOST_ROWS]
    first = [row for place, row in differ.items() if place in wanted]
    rest = [row for place, row in differ.items() if place not in wanted]
    groups = [(name, [row for row in rest if row.section == name]) for name in (*CLASSES, "drive")]
    return Folded(first, [(name, group) for name, group in groups if group], list(filter(is_alike, known)))


def _wanted(differ: dict[tuple[str, str], FigureRow]) -> list[tuple[str, str]]:
    """Places of rows, the most wanted first; the host's utilisation belongs to one that was asked for."""
    if any(("drive", label) in differ for label in ASKED):
        return [
            *FIRST[: len(ASKED)],
            ("drive", BY_HOST),
            ("drive", "die utilisation, mean"),
            *FIRST[len(ASKED) :],
        ]
    return list(FIRST)
