"""A document in the terminal: what is open on its page, without charts and captions.

A table of figures fits the terminal without breaking words: first its columns stand closer and
labels break between words. Then columns are folded, the widest first: the name breaks at its hyphens, and
what belongs to a figure stands below it. What is still too wide goes into further tables.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

import rich.markdown
import rich.table
from rich.console import Console
from rich.text import Text as Styled

from reclaim.report.document import (
    Block,
    Cell,
    Column,
    Document,
    Fold,
    Labels,
    Markdown,
    Note,
    Notes,
    Section,
    Table,
    Text,
    Tone,
    Verdict,
)

TONES: dict[Tone, str] = {
    "": "",
    "strong": "bold",
    "soft": "dim",
    "good": "green",
    "near": "cyan",
    "doubt": "yellow",
    "odd": "magenta",
    "bad": "bold red",
}
SEVERITIES = {"failure": "bold red", "warning": "bold red", "doubt": "bold yellow", "note": "cyan"}
NARROW_LABELS, LEAST_LABELS = 24, 16
"""Characters of the labels where they break between words, and where even folded columns leave no room."""
SPACIOUS, TIGHT = 3, 2
"""Characters of a column beside its text: a rule, and a space on both sides of it or on the left."""
PIECES = re.compile(r"[^-+, ]*[-+, ]?")
"""Where the name of a column may break: behind these, and nowhere else."""


@dataclass(frozen=True)
class _Line:
    """A sentence: whole, for the terminal to break, so that it can be copied, or in lines of its width."""

    text: Styled
    whole: bool = True


def show(document: Document | Iterable[Block | None], to: Console) -> None:
    """Print a document."""
    blocks = document.sections if isinstance(document, Document) else document
    begun = False
    for part in _parts(blocks, to.width, ""):
        if not isinstance(part, _Line):
            if begun:
                to.print()
            to.print(part)
        else:
            to.print(part.text, soft_wrap=part.whole)
        begun = True


def _parts(
    blocks: Iterable[Block | None], width: int, title: str
) -> Iterator[rich.table.Table | rich.markdown.Markdown | _Line]:
    for block in blocks:
        match block:
            case Text() if block.style != "sub" and block.text:
                yield _Line(Styled(block.text), whole=not block.style)
            case Markdown() if block.text:
                lines = (line for line in block.text.splitlines() if not line.startswith("!["))
                yield rich.markdown.Markdown("\n".join(lines))
            case Labels() if block.cells:
                cells = (Styled(cell.text, TONES[cell.tone]) for cell in block.cells)
                head = Styled(f"{block.text}: " if block.text else "")
                yield _Line(head + Styled(", ").join(cells))
            case Table() if block.rows:
                yield from drawn(block if block.title else replace(block, title=title), width)
            case Notes():
                for note in block.notes:
                    yield from _note(note)
            case Verdict() | Fold(page=False):
                yield from _parts(block.blocks, width, title)
            case Section() if not block.title.page:
                yield from _parts(block.blocks, width, block.title.text)


def _note(note: Note | str) -> Iterator[_Line]:
    if isinstance(note, str):
        yield _Line(Styled(f"note: {note}"))
        return
    where = f" {note.where}: " if note.where else ": "
    head = (note.severity, SEVERITIES.get(note.severity, ""))
    yield _Line(Styled.assemble(head, where, note.text), whole=False)
    if note.command:
        yield _Line(Styled(f"  {note.command}", "dim"))


@dataclass(frozen=True)
class _Layout:
    """How a table fits the terminal."""

    labels: int | None = None
    """Characters of the labels, where they are bounded."""
    spacing: int = TIGHT
    folded: Mapping[int, int] = field(default_factory=dict)
    """The width of every column that is folded."""


def drawn(table: Table, width: int) -> list[rich.table.Table]:
    """Draw a table, in as many parts as it takes to fit."""
    if not table.of_figures:
        return [_drawn(table, _Layout())]
    return [_drawn(part, layout) for part, layout in _fitted(table, width)]


def _drawn(table: Table, layout: _Layout) -> rich.table.Table:
    head, body, divided = table.head, table.body, table.of_figures
    rows = body[: table.most]
    left = len(body) - len(rows)
    legend = ": ".join(filter(None, [table.legend, table.why])) if table.legend else ""
    caption = "; ".join(filter(None, [f"and {left} more in the report" if left else "", legend]))
    shown = rich.table.Table(title=table.title or None, title_justify="left", caption=caption or None)
    shown.caption_justify = "left"
    shown.show_header = any(column.name for column in head)
    if not shown.show_header or table.kind == "plain":
        shown.box, shown.padding, shown.title_style = None, (0, 2, 0, 0), "bold"
    elif divided:
        shown.padding = (0, layout.spacing - TIGHT, 0, 1)
    for number, column in enumerate(head):
        folded = layout.folded.get(number)
        shown.add_column(
            column.name if folded is None else folded_name(column.name, folded),
            justify="right" if column.right else "left",
            no_wrap=divided and number > 0,
            overflow="ellipsis" if divided else "fold",
            width=None if number else layout.labels,
        )
    with_marks = [column.right and any(row[at].mark for row in body) for at, column in enumerate(head)]
    for number, row in enumerate(rows):
        if number in table.groups:
            if number:
                shown.add_section()
            shown.add_row(Styled(table.groups[number], style="bold"))
        cells = (
            cell_text(_cut(cell, head[at]), room=with_marks[at], folded=at in layout.folded)
            for at, cell in enumerate(row)
        )
        style = TONES["bad"] if number in table.bad else None
        shown.add_row(*cells, style=style, end_section=table.total and number == len(rows) - 2)
    return shown


def _cut(cell: Cell, column: Column) -> Cell:
    if column.most is None or len(cell.text) <= column.most:
        return cell
    return replace(cell, text=f"{cell.text[: column.most - 1]}…")


def cell_text(cell: Cell, *, room: bool = False, folded: bool = False) -> Styled:
    """Write a cell: the figure and its mark, what belongs to it beside or below, and further lines below.

    Args:
        cell: the cell.
        room: whether a figure without a mark has room for one, so that digits stand below one another.
        folded: whether what belongs to the figure stands below it.
    """
    text = Styled(cell.text, TONES[cell.tone])
    if cell.mark or room:
        text.append(f" {cell.mark or ' '}", "bold red" if cell.mark == "!" else "yellow")
    if cell.beside:
        text.append(f"\n{cell.beside}" if folded else f" {cell.beside}", "dim")
    for line in cell.below:
        text.append(f"\n{line.line}", "dim")
    return text


def pieces(name: str) -> list[str]:
    """The parts of a name that stay in one line.

    >>> pieces("copyback-odd-even")
    ['copyback-', 'odd-', 'even']
    """
    return [piece for piece in PIECES.findall(name) if piece] or [name]


def folded_name(name: str, width: int) -> str:
    """Write a name in lines of at most `width` characters, as few as that takes."""
    lines = [""]
    for piece in pieces(name):
        if lines[-1] and len(lines[-1]) + len(piece.rstrip()) > width:
            lines.append("")
        lines[-1] += piece
    return "\n".join(line.rstrip() for line in lines)


def _longest(table: Table, number: int, *, folded: bool = False) -> int:
    """Characters of the longest line of a column."""
    cells, name = [row[number] for row in table.body], table.head[number].name
    room = any(cell.mark for cell in cells)
    texts = (cell_text(cell, room=room, folded=folded).plain for cell in cells)
    lines = (line for text in texts for line in text.split("\n"))
    return max(map(len, [*(pieces(name) if folded else [name]), *lines]))


def _fitted(table: Table, width: int) -> Iterator[tuple[Table, _Layout]]:
    """Give the parts of a table, each with its layout."""
    numbers = range(1, len(table.head))
    whole = {number: _longest(table, number) for number in numbers}
    narrow = {number: _longest(table, number, folded=True) for number in numbers}

    def left(widths: Collection[int], spacing: int) -> int:
        """Characters that these columns leave to the labels."""
        return width - 1 - sum(widths) - spacing * (len(widths) + 1)

    labels, spacing = _longest(table, 0), SPACIOUS
    if left(whole.values(), SPACIOUS) < labels:
        spacing, most = TIGHT, left(narrow.values(), TIGHT)
        # With less room than that, the columns do not fit in one table.
        labels = min(labels, NARROW_LABELS, most if most >= LEAST_LABELS else NARROW_LABELS)
    for part in _divided(
        list(numbers), table.parts, lambda part: left([narrow[at] for at in part], spacing) >= labels
    ):
        widths = {number: whole[number] for number in part}
        folded = set()
        for number in sorted(part, key=whole.__getitem__, reverse=True):
            if left(widths.values(), spacing) >= labels:
                break
            widths[number] = narrow[number]
            folded.add(number)
        layout = {at: narrow[number] for at, number in enumerate(part, start=1) if number in folded}
        columns = [table.columns[at] for at in (0, *part)]
        rows = [[row[at] for at in (0, *part)] for row in table.rows]
        yield replace(table, columns=columns, rows=rows), _Layout(labels, spacing, layout)


def _divided(numbers: list[int], first: int, fits: Callable[[list[int]], bool]) -> Iterator[list[int]]:
    """The columns of each part: as many as fit if all are folded, and one beside the first at least."""
    kept, rest = numbers[:first], numbers[first:]
    while True:
        count = len(rest)
        while count > 1 and not fits(kept + rest[:count]):
            count -= 1
        yield kept + rest[:count]
        rest = rest[count:]
        if not rest:
            return
