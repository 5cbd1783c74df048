"""A document as values: sections, paragraphs, tables of figures with marks, charts, notes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

from reclaim.units import MISSING

Level = Literal["trustworthy", "not-established", "not-trustworthy"]
Tone = Literal["", "strong", "soft", "bad"]
LEGEND = {"!": "not to be trusted", "?": "not established"}
"""The marks of figures, the worst first, and what they mean in as few words as fit below a table."""


def legend_of(marks: Iterable[str]) -> str:
    """Say what those marks mean that there are; nothing where there are none.

    >>> legend_of(["", "?"])
    '? not established'
    """
    used = set(marks)
    return ", ".join(f"{mark} {meaning}" for mark, meaning in LEGEND.items() if mark in used)


@dataclass(frozen=True)
class Cell:
    """A figure, or a text, of a table."""

    text: str
    mark: str = ""
    """`?`, `!`, or nothing."""
    beside: str = ""
    """What belongs to the figure, such as its ratio to another one."""
    below: tuple[Cell, ...] = ()
    """Small lines below it, such as an interval."""
    more: tuple[str, ...] = ()
    """Lines that a reader of the page unfolds."""
    tone: Tone = ""

    @property
    def line(self) -> str:
        """All but what is unfolded, in one line of plain text."""
        parts = (self.text, self.mark, self.beside, *(each.line for each in self.below))
        return " ".join(part for part in parts if part)


def figure(text: str, mark: str = "") -> Cell:
    """Give a figure with its mark; what is no figure has none.

    >>> figure("0.1", "?").mark, figure("–", "?").mark
    ('?', '')
    """
    return Cell(text, mark if text not in ("", MISSING) else "")


@dataclass(frozen=True)
class Column:
    """The head of a column."""

    name: str
    right: bool = False
    code: bool = False
    """Whether the page shows its cells as code."""
    most: int | None = None
    """Characters of a cell that a terminal shows."""
    whole: bool = False
    """Whether a terminal breaks none of its lines."""


@dataclass(frozen=True)
class Table:
    """Rows of cells below the names of their columns."""

    columns: Sequence[str | Column]
    rows: Sequence[Sequence[str | Cell]]
    title: str = ""
    name: str = ""
    """How the page refers to it."""
    why: str = ""
    """What stands behind the legend of its marks: where the reasons are."""
    marks: Sequence[str] = ()
    """Marks within its texts."""
    groups: Mapping[int, str] = field(default_factory=dict)
    """Headings, by the number of the row that they stand above."""
    total: bool = False
    """Whether the last row is one."""
    kind: Literal["set", "runs", "entries", "plain"] = "set"
    """How the page draws it."""
    most: int | None = None
    """Rows that a terminal shows."""
    parts: int | None = None
    """Where a terminal may divide it into tables of fewer columns, how many figures begin each of them."""

    @property
    def head(self) -> list[Column]:
        """The columns."""
        return [Column(each) if isinstance(each, str) else each for each in self.columns]

    @property
    def body(self) -> list[list[Cell]]:
        """The rows."""
        return [[Cell(each) if isinstance(each, str) else each for each in row] for row in self.rows]

    @property
    def legend(self) -> str:
        """What its marks mean; nothing where it has none."""
        cells = [cell for row in self.body for cell in row]
        own = (mark for cell in cells for mark in (cell.mark, *(each.mark for each in cell.below)))
        return legend_of([*self.marks, *own])


@dataclass(frozen=True)
class Text:
    """A paragraph; a caption is for the page alone."""

    text: str
    style: Literal["", "caption", "strong", "sub"] = ""
    name: str = ""


@dataclass(frozen=True)
class Note:
    """One thing to know."""

    text: str
    where: str = ""
    """What it is about."""
    severity: str = "note"
    command: str = ""
    """What can be done."""
    link: str = ""
    """The name of the section that it is about."""


@dataclass(frozen=True)
class Notes:
    """Things to know, one in a line."""

    notes: Sequence[Note | str]
    name: str = ""

    @property
    def items(self) -> list[Note]:
        """The notes."""
        return [Note(each, severity="") if isinstance(each, str) else each for each in self.notes]


@dataclass(frozen=True)
class Chart:
    """A chart of the page, drawn when it is asked for."""

    name: str
    draw: Callable[[], Any]
    """Gives a chart of Altair, or its specification; None where there is nothing to draw."""
    split: Callable[[], dict[str, Any]] | None = None
    """Gives the panels of the page, where they are not those of the chart."""

    @cached_property
    def spec(self) -> dict[str, Any] | None:
        """The specification of the whole chart."""
        from reclaim.charts import finished

        drawn = self.draw()
        return drawn if drawn is None or isinstance(drawn, dict) else finished(drawn)

    @cached_property
    def panels(self) -> dict[str, Any] | None:
        """What the page draws."""
        from reclaim.charts import panels_of

        if self.split is not None:
            return self.split()
        return None if self.spec is None else panels_of(self.spec)


@dataclass(frozen=True)
class Source:
    """Text that a program reads: a command, a file."""

    text: str
    name: str = ""


@dataclass(frozen=True)
class Verdict:
    """What a reader must know first, in the colour of how far it can be trusted."""

    blocks: Sequence[Block | None]
    level: str
    name: str = "conclusion"


@dataclass(frozen=True)
class Section:
    """Blocks under a heading; it is left out where it has nothing but captions."""

    title: str
    blocks: Sequence[Block | None]
    name: str = ""
    rank: int = 2
    page: bool = False
    """Whether it is for the page alone."""


@dataclass(frozen=True)
class Fold:
    """Blocks that a reader of the page unfolds."""

    summary: str
    blocks: Sequence[Block | None]
    page: bool = True
    """Whether they are for the page alone."""
    opened: bool = False


@dataclass(frozen=True)
class Beside:
    """Narrow tables of the page beside one another."""

    blocks: Sequence[Table]
    name: str = ""


def again(command: str, text: str, file: str = "experiment.toml") -> Section:
    """Say how to run it again: the command, and the file that it takes."""
    return Section("To run it again", [Source(command, "command"), Fold(file, [Source(text)])], page=True)


Block = Text | Table | Notes | Chart | Source | Verdict | Section | Fold | Beside
Holder = (Verdict, Section, Fold, Beside)


@dataclass(frozen=True)
class Document:
    """All that is told of something."""

    title: str
    blocks: Sequence[Block | None]
    heading: str = ""
    """What the page is headed by, where that is not its title."""

    @property
    def charts(self) -> Iterator[Chart]:
        """All charts, in reading order."""
        return (each for each in walk(self.blocks) if isinstance(each, Chart))


def walk(blocks: Iterable[Block | None]) -> Iterator[Block]:
    """Give blocks and all that they hold, in reading order."""
    for block in blocks:
        if block is not None:
            yield block
            if isinstance(block, Holder):
                yield from walk(block.blocks)


def on_page(block: Block | None) -> bool:
    """Whether a page shows a block: not what is empty, nor what holds nothing but captions."""
    match block:
        case None:
            return False
        case Table():
            return bool(block.rows)
        case Text() | Source():
            return bool(block.text)
        case Notes():
            return bool(block.notes)
        case Chart():
            return block.panels is not None
    return any(
        on_page(each) for each in block.blocks if not (isinstance(each, Text) and each.style == "caption")
    )
