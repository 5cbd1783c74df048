"""A document as values: sections, paragraphs, tables of figures with marks, charts, notes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

from reclaim.units import MISSING

Level = Literal["trustworthy", "not-established", "not-trustworthy"]
Tone = Literal["", "strong", "soft", "good", "near", "doubt", "odd", "bad"]
LEGEND = {"!": "not to be trusted", "?": "inconclusive"}
"""The marks of figures, the worst first, and what they mean in as few words as fit below a table."""


def legend_of(marks: Iterable[str]) -> str:
    """Say what those marks mean that there are; nothing where there are none.

    >>> legend_of(["", "?"])
    '? inconclusive'
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
        return " ".join(part for part in self.lines if part)

    @property
    def lines(self) -> list[str]:
        """The same, what is below the figure in lines of its own."""
        figure = " ".join(part for part in (self.text, self.mark, self.beside) if part)
        return [figure, *(each.line for each in self.below)]


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


def figures_of(first: str, names: Iterable[str]) -> list[Column]:
    """Give the columns of a table of figures: that of the labels, and one for each name."""
    return [Column(first), *(Column(name, right=True) for name in names)]


@dataclass(frozen=True)
class Table:
    """Rows of cells below the names of their columns."""

    columns: Sequence[str | Column]
    rows: Sequence[Sequence[str | Cell]]
    title: str = ""
    name: str = ""
    """How the page refers to it."""
    why: str | None = ""
    """What stands behind the legend of its marks, where the reasons are; None where it has no legend."""
    marks: Sequence[str] = ()
    """Marks within its texts."""
    groups: Mapping[int, str] = field(default_factory=dict)
    """Headings, by the number of the row that they stand above."""
    total: bool = False
    """Whether the last row is one."""
    kind: Literal["set", "runs", "entries", "plain", "claims"] = "set"
    """How the page draws it."""
    anchors: Sequence[str] = ()
    """By which links lead to its rows."""
    bad: Collection[int] = ()
    """Numbers of the rows that are not as they should be."""
    most: int | None = None
    """Rows that a terminal shows."""
    parts: int = 0
    """How many figures begin each of the tables that a narrow terminal divides a table of figures into."""

    @property
    def head(self) -> list[Column]:
        """The columns."""
        return [Column(column) if isinstance(column, str) else column for column in self.columns]

    @property
    def of_figures(self) -> bool:
        """Whether only figures are behind its labels: a terminal divides it, and breaks others' words."""
        return len(self.head) > 1 and all(column.right for column in self.head[1:])

    @property
    def body(self) -> list[list[Cell]]:
        """The rows."""
        return [[Cell(cell) if isinstance(cell, str) else cell for cell in row] for row in self.rows]

    @property
    def legend(self) -> str:
        """What its marks mean; nothing where it has none."""
        if self.why is None:
            return ""
        cells = [cell for row in self.body for cell in row]
        own = (mark for cell in cells for mark in (cell.mark, *(line.mark for line in cell.below)))
        return legend_of([*self.marks, *own])


@dataclass(frozen=True)
class Text:
    """A paragraph; what is said under a title is for the page alone."""

    text: str
    style: Literal["", "strong", "sub", "level"] = ""
    name: str = ""


@dataclass(frozen=True)
class Markdown:
    """Text of a page in Markdown, with its pictures inside; links to other files are left out."""

    text: str
    folder: str
    """In which the text has its pictures."""
    pictures: Callable[[], Mapping[str, bytes]]
    """Draws them: PNG by the name of the file. Asked by a page alone."""
    name: str = ""


@dataclass(frozen=True)
class Labels:
    """A line of labels in their colours, such as counts, behind what they are of."""

    text: str
    cells: Sequence[Cell]


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
        return [Note(note) if isinstance(note, str) else note for note in self.notes]


@dataclass(frozen=True)
class Chart:
    """A chart of the page, drawn when it is asked for."""

    name: str
    draw: Callable[[], Any]
    """Gives a chart of Altair, or its specification; None where there is nothing to draw."""
    split: Callable[[], dict[str, Any] | None] | None = None
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

    blocks: Blocks
    level: str
    name: str = "conclusion"


@dataclass(frozen=True)
class Title:
    """A heading of what follows up to the next one; it is left out where there is nothing but captions."""

    text: str
    name: str = ""
    page: bool = False
    """Whether what follows is for the page alone."""
    rank: int = 2


@dataclass(frozen=True)
class Section:
    """What follows a title."""

    title: Title
    blocks: Blocks


@dataclass(frozen=True)
class Fold:
    """Blocks that a reader of the page unfolds."""

    summary: str
    blocks: Blocks
    page: bool = True
    """Whether they are for the page alone."""
    opened: bool = False


@dataclass(frozen=True)
class Beside:
    """Narrow tables of the page beside one another."""

    blocks: Sequence[Table]
    name: str = ""


def again(command: str, text: str, file: str = "experiment.toml") -> list[Block]:
    """Say how to run it again: the command, and the file that it takes."""
    return [Title("To run it again", page=True), Source(command, "command"), Fold(file, [Source(text)])]


Block = (
    str
    | Text
    | Markdown
    | Labels
    | Table
    | Notes
    | Chart
    | Source
    | Verdict
    | Title
    | Section
    | Fold
    | Beside
)
"""A text alone is a caption, for the page."""
Blocks = Sequence[Block | None]
Holder = (Verdict, Section, Fold, Beside)


@dataclass(frozen=True)
class Document:
    """All that is told of something."""

    title: str
    blocks: Blocks
    heading: str = ""
    """What the page is headed by, where that is not its title."""

    @property
    def sections(self) -> Blocks:
        """The blocks, with those that follow a title in a section."""
        return sections(self.blocks)

    @property
    def charts(self) -> Iterator[Chart]:
        """All charts, in reading order."""
        return (block for block in walk(self.blocks) if isinstance(block, Chart))


def sections(blocks: Blocks, rank: int = 2) -> list[Block | None]:
    """Put what follows a title of a rank, up to the next one, into a section; further ranks within it."""
    whole: list[Block | None] = []
    inner: list[Block | None] | None = None
    for block in blocks:
        if isinstance(block, Title) and block.rank == rank:
            inner = []
            whole.append(Section(block, inner))
        else:
            (whole if inner is None else inner).append(block)
    return [
        replace(block, blocks=sections(block.blocks, rank + 1)) if isinstance(block, Section) else block
        for block in whole
    ]


def walk(blocks: Iterable[Block | None]) -> Iterator[Block]:
    """Give blocks and all that they hold, in reading order."""
    for block in blocks:
        if block is not None:
            yield block
            if isinstance(block, Holder):
                yield from walk(block.blocks)


def on_page(block: Block | None) -> bool:
    """Whether a page shows a block: not what is empty, nor what holds nothing but captions."""
    if isinstance(block, Holder):
        return any(on_page(inner) for inner in block.blocks if not isinstance(inner, str))
    content: object = None
    match block:
        case str():
            content = block
        case Text() | Source() | Markdown():
            content = block.text
        case Labels():
            content = block.cells
        case Table():
            content = block.rows
        case Notes():
            content = block.notes
        case Chart():
            content = block.panels
    return bool(content)
