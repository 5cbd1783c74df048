"""The main figures of several runs side by side, in a table that fits a terminal without breaking words.

Where it is too wide, first its columns stand closer and labels of rows break between words. Then columns are
folded, the widest first: the name breaks at its hyphens, and the ratio stands below the figure. What is still
too wide goes into further tables, which begin with the first run again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.table import Table
from rich.text import Text

from reclaim.results.reported import Reported
from reclaim.results.table import Row, brief_rows, marked

TITLE = "ratios against the first column"
NARROW_LABELS, LEAST_LABELS = 24, 16
"""Characters of the labels where they break between words, and where even folded columns leave no room."""
SPACIOUS, TIGHT = 3, 2
"""Characters of a column beside its text: a rule, and a space on both sides of it or on the left."""
PIECES = re.compile(r"[^-+, ]*[-+, ]?")
"""Where the name of a scheme may break: behind these, and nowhere else."""


@dataclass(frozen=True)
class Cell:
    """A figure with its mark, and its ratio to that of the first run; empty if it has none."""

    figure: Text
    ratio: str

    @property
    def whole(self) -> Text:
        """Both beside each other."""
        return Text.assemble(self.figure, (f" {self.ratio}" if self.ratio else "", "dim"))

    @property
    def folded(self) -> Text:
        """The ratio below."""
        return Text.assemble(self.figure, (f"\n{self.ratio}" if self.ratio else "", "dim"))


@dataclass(frozen=True)
class Column:
    """The figures of one run, row by row."""

    name: str
    cells: list[Cell]

    @property
    def width(self) -> int:
        """Characters of its text where nothing is folded."""
        return max(len(self.name), *(each.whole.cell_len for each in self.cells))

    @property
    def folded_width(self) -> int:
        """Characters of its text where it is folded."""
        widths = (max(each.figure.cell_len, len(each.ratio)) for each in self.cells)
        return max(*map(len, pieces(self.name)), *widths)

    def folded_name(self, width: int) -> str:
        """The name in lines of at most `width` characters, as few as that takes."""
        lines = [""]
        for piece in pieces(self.name):
            if lines[-1] and len(lines[-1]) + len(piece.rstrip()) > width:
                lines.append("")
            lines[-1] += piece
        return "\n".join(line.rstrip() for line in lines)


def pieces(name: str) -> list[str]:
    """The parts of a name that stay in one line.

    >>> pieces("copyback-odd-even")
    ['copyback-', 'odd-', 'even']
    """
    return [each for each in PIECES.findall(name) if each] or [name]


@dataclass(frozen=True)
class Room:
    """How much there is, and how it is used."""

    width: int
    labels: int
    """Characters of the column of labels."""
    beside: int

    def fits(self, widths: Sequence[int]) -> bool:
        """Whether columns whose texts are this wide fit."""
        return _needed(self.labels, widths, self.beside) <= self.width


def _needed(labels: int, widths: Sequence[int], beside: int) -> int:
    return labels + sum(widths) + beside * (len(widths) + 1) + 1


def comparison_tables(results: Sequence[Reported], width: int) -> list[Table]:
    """Tables of the main figures, each with its ratio to the first run, at most `width` characters wide."""
    rows = list(brief_rows(results))
    columns = [Column(result.label, list(_cells(rows, index))) for index, result in enumerate(results)]
    room = _room(max((len(row.label) for row in rows), default=0), columns, width)
    return [_drawn(rows, part, room) for part in _parts(columns, room)]


def _room(labels: int, columns: Sequence[Column], width: int) -> Room:
    spacious = Room(width, labels, SPACIOUS)
    if spacious.fits([each.width for each in columns]):
        return spacious
    left = width - _needed(0, [each.folded_width for each in columns], TIGHT)
    # With less room than that, the columns do not fit in one table.
    return Room(width, min(labels, NARROW_LABELS, left if left >= LEAST_LABELS else NARROW_LABELS), TIGHT)


def _cells(rows: Sequence[Row], index: int) -> Iterator[Cell]:
    for row in rows:
        ratio, marks = row.ratios()[index], row.marks()
        # What is doubted of the first run is doubted of every ratio to it.
        mark = f" {marks[0]}" if marks[0] and not marks[index] else ""
        shown = "" if index == 0 or ratio is None else f"×{ratio:.2f}{mark}"
        yield Cell(marked(row.texts()[index], marks[index]), shown)


def _parts(columns: list[Column], room: Room) -> Iterator[list[Column]]:
    """The columns of each table: as many as fit if all are folded, and one beside the first at least."""
    first, rest = columns[:1], columns[1:]
    while True:
        count = len(rest)
        while count > 1 and not room.fits([each.folded_width for each in first + rest[:count]]):
            count -= 1
        yield first + rest[:count]
        rest = rest[count:]
        if not rest:
            return


def _folded(columns: Sequence[Column], room: Room) -> set[str]:
    """Names of the columns that must be folded for all to fit, the widest first."""
    folded: set[str] = set()
    for column in sorted(columns, key=lambda each: each.width, reverse=True):
        if room.fits([each.folded_width if each.name in folded else each.width for each in columns]):
            break
        folded.add(column.name)
    return folded


def _drawn(rows: Sequence[Row], columns: Sequence[Column], room: Room) -> Table:
    table = Table(title=TITLE, title_justify="left", padding=(0, room.beside - TIGHT, 0, 1))
    table.add_column("", width=room.labels)
    folded = _folded(columns, room)
    for column in columns:
        name = column.folded_name(column.folded_width) if column.name in folded else column.name
        table.add_column(name, justify="right", no_wrap=True)
    for index, row in enumerate(rows):
        if index == 0 or row.section != rows[index - 1].section:
            if index:
                table.add_section()
            table.add_row(Text(row.section, style="bold"))
        cells = [(each.name in folded, each.cells[index]) for each in columns]
        table.add_row(row.label, *(cell.folded if narrow else cell.whole for narrow, cell in cells))
    return table
