"""A table as CSV, LaTeX or Markdown, and a document as JSON."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from itertools import zip_longest
from typing import Any

from reclaim import _core, encoding
from reclaim.report.document import Block, Blocks, Table, on_page, walk

DIGITS = 10
"""Of floating-point numbers in files: what follows them may depend on how a library adds."""
LATEX = {sign: f"\\{sign}" for sign in "&%$#_{}"} | {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "\u202f": r"\,",
    "\u2212": r"$-$",
    "×": r"$\times$",
    "µ": r"\textmu{}",
    "–": "--",
}


def csv_of(table: Table) -> str:
    """Write a table as CSV that a spreadsheet takes for text.

    >>> from reclaim.report.document import Cell
    >>> print(csv_of(Table(["scheme", "mean"], [["a, b", Cell("1.5", "?")]])), end="")
    scheme,mean
    "a, b",1.5 ?
    """
    return _csv_lines(_lines(table))


def _csv_lines(rows: Iterable[list[str]]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    for row in rows:
        writer.writerow(encoding.safe_cell(text) for text in row)
    return out.getvalue()


def markdown_of(table: Table) -> str:
    r"""Write a table as Markdown.

    >>> from reclaim.report.document import Column
    >>> print(markdown_of(Table(["", Column("read\nmean", right=True)], [["a|b", "1"]])), end="")
    |  | read mean |
    |---|--:|
    | a\|b | 1 |
    """
    head, *rows = ([text.replace("|", "\\|") for text in row] for row in _lines(table))
    rows = [
        [f"`{text}`" if column.code and text else text for column, text in zip(table.head, row, strict=True)]
        for row in rows
    ]
    rule = "".join("--:|" if column.right else "---|" for column in table.head)
    lines = [f"| {' | '.join(head)} |", f"|{rule}", *(f"| {' | '.join(row)} |" for row in rows)]
    return "\n".join(lines) + "\n"


def latex_of(table: Table) -> str:
    r"""Write a table as a `tabular` with the rules of booktabs.

    >>> from reclaim.report.document import Column
    >>> print(latex_of(Table(["scheme", Column("share", right=True)], [["a_b", "5 %"]])), end="")
    \begin{tabular}{lr}
    \toprule
    scheme & share \\
    \midrule
    a\_b & 5 \% \\
    \bottomrule
    \end{tabular}
    """
    # What is below a figure has rows of its own: columns are narrow on paper.
    head = latex_row(column.name for column in table.head)
    rows = [
        latex_row(line)
        for row in table.body
        for line in zip_longest(*(cell.lines for cell in row), fillvalue="")
    ]
    kinds = "".join("r" if column.right else "l" for column in table.head)
    middle = [r"\toprule", head, r"\midrule", *rows, r"\bottomrule"]
    return "\n".join([f"\\begin{{tabular}}{{{kinds}}}", *middle, r"\end{tabular}"]) + "\n"


def latex_row(cells: Iterable[str]) -> str:
    """Write a row of a `tabular`; what LaTeX takes for its own is written so that it is text."""
    return " & ".join("".join(LATEX.get(sign, sign) for sign in _in_a_line(text)) for text in cells) + r" \\"


def _lines(table: Table) -> Iterable[list[str]]:
    """The head and the rows, each cell in a line of plain text."""
    yield [_in_a_line(column.name) for column in table.head]
    for row in table.body:
        yield [_in_a_line(cell.line) for cell in row]


def _in_a_line(text: str) -> str:
    return encoding.visible(text).replace("\n", " ")


FORMS = {"csv": csv_of, "latex": latex_of, "markdown": markdown_of}


def written(blocks: Blocks, form: str) -> str:
    """Write blocks in a form: all of them as `json`, or the tables among them in one of `FORMS`.

    Of several tables each has its title above it, so that they can be told apart.
    """
    if form == "json":
        return encoding.json_text([_plain(block) for block in blocks if on_page(block)]) + "\n"
    tables = [block for block in walk(blocks) if isinstance(block, Table) and block.rows]
    named = len(tables) > 1
    return "\n".join((_title(table, form) if named else "") + FORMS[form](table) for table in tables)


def _title(table: Table, form: str) -> str:
    """The title of a table as a line above it; in LaTeX a comment."""
    title = _in_a_line(table.title)
    if not title:
        return ""
    if form == "csv":
        return _csv_lines([[title]])
    return f"% {title}\n" if form == "latex" else f"**{title}**\n\n"


def _plain(value: Any) -> Any:
    """A block, or what it has, as plain values: what it is, and every field that has something."""
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    if not is_dataclass(value):
        return value
    known = {field.name: getattr(value, field.name) for field in fields(value)}
    told = {key: _plain(part) for key, part in known.items() if part and not callable(part)}
    return {"block": type(value).__name__.lower(), **told} if isinstance(value, Block) else told


def plain(value: Any) -> Any:
    """Give a value as JSON takes it: records are mappings of their fields.

    >>> plain({"table": (None, {"b": (1, 2)})})
    {'table': [None, {'b': [1, 2]}]}
    """
    if is_dataclass(value):
        value = {field.name: getattr(value, field.name) for field in fields(value)}
    elif hasattr(value, "_asdict"):
        value = value._asdict()
    if isinstance(value, Mapping):
        return {key: plain(part) for key, part in value.items()}
    return [plain(part) for part in value] if isinstance(value, list | tuple) else value


def rounded(value: Any) -> Any:
    """Give a value in which every floating-point number has ten digits.

    >>> rounded({"a": [1 / 3, 7]})
    {'a': [0.3333333333, 7]}
    """
    match value:
        case float() if math.isfinite(value):
            return float(f"{value:.{DIGITS}g}")
        case Mapping():
            return {key: rounded(part) for key, part in value.items()}
        case list() | tuple():
            return [rounded(part) for part in value]
    return value


def chosen(value: object, *names: str) -> dict[str, Any]:
    """Give what a value has under some names.

    >>> chosen(1j, "real", "imag")
    {'real': 0.0, 'imag': 1.0}
    """
    return {name: getattr(value, name) for name in names}


def result_json(content: Mapping[str, Any]) -> str:
    """Write the file of results of a study, with the version; the same bytes at any number of workers."""
    return encoding.json_text(rounded({**content, "reclaim_version": _core.__version__})) + "\n"
