"""A document in the terminal: what is open on its page, without charts and captions.

A table that may be divided fits the terminal without breaking words: first its columns stand closer and
labels break between words. Then columns are folded, the widest first: the name breaks at its hyphens, and
what belongs to a figure stands below it. What is still too wide goes into further tables.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import rich.table
from rich.console import Console
from rich.text import Text as Styled

from reclaim.report.document import (
    Block,
    Cell,
    Column,
    Document,
    Fold,
    Note,
    Notes,
    Section,
    Table,
    Text,
    Verdict,
)

TONES = {"": "", "strong": "bold", "soft": "dim", "bad": "bold red"}
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
        if isinstance(part, rich.table.Table):
            if begun:
                to.print()
            to.print(part)
        else:
            to.print(part.text, soft_wrap=part.whole)
        begun = True


def _parts(blocks: Iterable[Block | None], width: int, title: str) -> Iterator[rich.table.Table | _Line]:
    for block in blocks:
        match block:
            case Text() if block.style != "sub" and block.text:
                yield _Line(Styled(block.text), whole=not block.style)
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


def drawn(table: Table, width: int) -> list[rich.table.Table]:
    """Draw a table, in as many parts as it takes to fit."""
    if table.parts is None:
        return [_drawn(table, {})]
    return [_drawn(part, fitted) for part, fitted in _fitted(table, width)]


def _drawn(table: Table, fit: dict[str, Any]) -> rich.table.Table:
    head, body = table.head, table.body
    rows, folded, labels = body[: table.most], fit.get("folded", set()), fit.get("labels")
    left = len(body) - len(rows)
    legend = ": ".join(filter(None, [table.legend, table.why])) if table.legend else ""
    caption = "; ".join(filter(None, [f"and {left} more in the report" if left else "", legend]))
    shown = rich.table.Table(title=table.title or None, title_justify="left", caption=caption or None)
    shown.caption_justify = "left"
    shown.show_header = any(each.name for each in head)
    if not shown.show_header or table.kind == "plain":
        shown.box, shown.padding, shown.title_style = None, (0, 2, 0, 0), "bold"
    if "beside" in fit:
        shown.padding = (0, fit["beside"] - TIGHT, 0, 1)
    for number, column in enumerate(head):
        name = folded_name(column.name, fit["widths"][number]) if number in folded else column.name
        shown.add_column(
            name,
            justify="right" if column.right else "left",
            no_wrap=column.whole or (bool(number) and table.parts is not None),
            overflow="fold" if column.fold else "ellipsis",
            width=labels if number == 0 else None,
        )
    with_marks = [any(row[number].mark for row in body) for number in range(len(head))]
    for number, row in enumerate(rows):
        if number in table.groups:
            if number:
                shown.add_section()
            shown.add_row(Styled(table.groups[number], style="bold"))
        cells = (
            cell_text(_cut(cell, head[at]), room=with_marks[at] and head[at].right, folded=at in folded)
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
    for each in cell.below:
        text.append(f"\n{each.line}", "dim")
    return text


def pieces(name: str) -> list[str]:
    """The parts of a name that stay in one line.

    >>> pieces("copyback-odd-even")
    ['copyback-', 'odd-', 'even']
    """
    return [each for each in PIECES.findall(name) if each] or [name]


def folded_name(name: str, width: int) -> str:
    """Write a name in lines of at most `width` characters, as few as that takes."""
    lines = [""]
    for piece in pieces(name):
        if lines[-1] and len(lines[-1]) + len(piece.rstrip()) > width:
            lines.append("")
        lines[-1] += piece
    return "\n".join(line.rstrip() for line in lines)


@dataclass(frozen=True)
class _Widths:
    """Characters of a column's text as it is, and folded."""

    whole: int
    folded: int


def _needed(labels: int, widths: Iterable[int], beside: int) -> int:
    listed = list(widths)
    return labels + sum(listed) + beside * (len(listed) + 1) + 1


def _widths(table: Table, number: int) -> _Widths:
    cells, name = [row[number] for row in table.body], table.head[number].name
    room = any(cell.mark for cell in cells)

    def longest(*, folded: bool) -> int:
        texts = (cell_text(cell, room=room, folded=folded) for cell in cells)
        return max((len(line) for text in texts for line in text.plain.split("\n")), default=0)

    return _Widths(max(len(name), longest(folded=False)), max(*map(len, pieces(name)), longest(folded=True)))


def _fitted(table: Table, width: int) -> Iterator[tuple[Table, dict[str, Any]]]:
    """Give the parts of a table, each with what is folded in it."""
    widths = [_widths(table, number) for number in range(len(table.head))]
    labels = max((len(row[0].text) for row in table.body), default=0)
    beside = SPACIOUS
    if _needed(labels, (each.whole for each in widths[1:]), beside) > width:
        beside = TIGHT
        left = width - _needed(0, (each.folded for each in widths[1:]), beside)
        # With less room than that, the columns do not fit in one table.
        labels = min(labels, NARROW_LABELS, left if left >= LEAST_LABELS else NARROW_LABELS)
    for numbers in _divided(widths, table.parts or 0, lambda each: _needed(labels, each, beside) <= width):
        part = replace(
            table,
            columns=[table.columns[at] for at in (0, *numbers)],
            rows=[[row[at] for at in (0, *numbers)] for row in table.rows],
        )
        own = [widths[at] for at in numbers]
        folded: set[int] = set()
        for at in sorted(range(len(own)), key=lambda each: own[each].whole, reverse=True):
            texts = (w.folded if at in folded else w.whole for at, w in enumerate(own))
            if _needed(labels, texts, beside) <= width:
                break
            folded.add(at)
        yield (
            part,
            {
                "folded": {at + 1 for at in folded},
                "labels": labels,
                "beside": beside,
                "widths": [labels, *(each.folded for each in own)],
            },
        )


def _divided(widths: Sequence[_Widths], first: int, fits: Any) -> Iterator[list[int]]:
    """The columns of each part: as many as fit if all are folded, and one beside the first at least."""
    kept = list(range(1, 1 + first))
    rest = list(range(1 + first, len(widths)))
    while True:
        count = len(rest)
        while count > 1 and not fits([widths[at].folded for at in kept + rest[:count]]):
            count -= 1
        yield kept + rest[:count]
        rest = rest[count:]
        if not rest:
            return
