"""What users wrote, as every output can bear it: one encoder for each of plain text, messages, JSON and CSV.

Names, paths and values come from files that others wrote. None of them may move the cursor of a terminal,
turn the direction of a line, be a formula of a spreadsheet, or fill a screen.
"""

from __future__ import annotations

import datetime as dt
import json
import math
import re
import shlex
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from decimal import Decimal
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl

HIDDEN = frozenset(("Cc", "Cf", "Cs", "Zl", "Zp"))
"""Classes of characters that have no picture but an effect: controls, directions, halves of pairs."""
KEPT = "\n\t"
LONGEST_LINE, LONGEST_MESSAGE = 2_000, 16_000
"""Characters of a message; what is cut out is counted, and its end, which mostly says what to do, stays."""
FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")
"""What a spreadsheet takes for the beginning of a formula."""
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?( ?%)?|[+-]?(inf|nan|NaN)")
"""Text that is nothing but a number is none."""


def is_hidden(letter: str) -> bool:
    """Whether a character has an effect and no picture."""
    return letter not in KEPT and not letter.isprintable() and unicodedata.category(letter) in HIDDEN


def _number(letter: str) -> str:
    code = ord(letter)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def visible(text: str, shown: Callable[[str], str] = _number) -> str:
    r"""Write characters that have an effect and no picture as their number; lines and tabs stay.

    >>> print(visible("a\x1b[31mb \u202ec"))
    a\x1b[31mb \u202ec
    """
    if text.isprintable():
        return text
    return "".join(shown(each) if is_hidden(each) else each for each in text)


def _cut(text: str, most: int) -> str:
    if len(text) <= most:
        return text
    head, tail = most * 2 // 3, most // 4
    return f"{text[:head]} … {len(text) - head - tail:,} characters left out … {text[-tail:]}"


def message(text: str) -> str:
    r"""Write a message: nothing hidden in it, no line and no whole that is longer than anybody reads.

    >>> message("score: " + "x" * 9000)[-60:-30], len(message("\n".join(["y" * 9000] * 90))) < 17000
    ('xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx', True)
    """
    if len(text) > LONGEST_LINE:
        lines = text.splitlines() if "\n" in text else [text]
        text = _cut("\n".join(_cut(line, LONGEST_LINE) for line in lines), LONGEST_MESSAGE)
    return visible(text)


def escaped(letter: str) -> str:
    """A character as JSON has it: its number, or two of a pair."""
    units = letter.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))


def html_text(text: str) -> str:
    """Text in HTML.

    >>> html_text("a<b>")
    'a&lt;b&gt;'
    """
    from markupsafe import escape

    return str(escape(visible(text)))


def _shell_number(letter: str) -> str:
    code = ord(letter)
    # Of a name that is no text the bytes themselves.
    byte = code - 0xDC00 if 0xDC80 <= code <= 0xDCFF else code
    if byte < 0x80 or byte != code:
        return f"\\x{byte:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def shell_line(words: Iterable[str]) -> str:
    r"""Write words as a line for a shell that can be copied from a terminal, hidden characters and all.

    >>> print(shell_line(["run", "a b", "it's\x1b\udcff.csv"]))
    run 'a b' $'it\'s\x1b\xff.csv'
    """
    return " ".join(_shell_word(word) for word in words)


def _shell_word(word: str) -> str:
    if not any(map(is_hidden, word)):
        return shlex.quote(word)
    plain_word = word.replace("\\", "\\\\").replace("'", "\\'")
    return f"$'{visible(plain_word, _shell_number)}'"


def json_shown(text: str) -> str:
    r"""JSON or TOML in which nothing is hidden, with the same values: `\u` and a number stand for it.

    >>> print(json_shown('{"name": "\x9b31m"}'))
    {"name": "\u009b31m"}
    """
    return visible(text, escaped)


def toml_shown(text: str) -> str:
    r"""TOML in which nothing is hidden; TOML knows no pairs of numbers as JSON does.

    >>> print(toml_shown('name = "\U000e0041"'))
    name = "\U000e0041"
    """
    return visible(text, lambda each: f"\\u{ord(each):04x}" if ord(each) < 0x10000 else f"\\U{ord(each):08x}")


def plain(value: Any) -> Any:  # noqa: PLR0911 - a line for each kind
    r"""A value as JSON can hold it: numbers exact, what is no number as text, bytes as hexadecimal digits.

    >>> plain([float("nan"), float("-inf"), 2**64, b"\x00\xff", dt.date(2020, 1, 2)])
    ['NaN', '-Infinity', 18446744073709551616, '00ff', '2020-01-02']
    """
    match value:
        case None | bool() | int() | str():
            return value
        case float() if math.isfinite(value):
            return value
        case float():
            return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
        case Decimal():
            return int(value) if value == value.to_integral_value() else float(value)
        case bytes():
            return value.hex()
        case Mapping():
            return {
                each if isinstance(each, str) else cell_text(each): plain(of) for each, of in value.items()
            }
        case list() | tuple():
            return [plain(each) for each in value]
        case dt.date() | dt.time():
            return value.isoformat()
    return str(value)


def json_text(value: Any, *, indent: int | None = 2) -> str:
    """Write a value as JSON that every reader takes: what is written for people and for programs alike."""
    return json_shown(json.dumps(plain(value), indent=indent, ensure_ascii=False, allow_nan=False))


def cell_text(value: Any) -> str:
    """A value as the text of a cell.

    >>> cell_text(None), cell_text([1, float("inf")]), cell_text(True), cell_text(0.1)
    ('', '[1, "Infinity"]', 'true', '0.1')
    """
    known = plain(value)
    if known is None or isinstance(known, str):
        return known or ""
    return json.dumps(known, ensure_ascii=False)


def table_json(frame: pl.DataFrame) -> Iterator[str]:
    """Write a table as a list of objects, row by row."""
    yield "["
    for number, row in enumerate(frame.iter_rows()):
        yield ("," if number else "") + json_text(dict(zip(frame.columns, row, strict=True)), indent=None)
    yield "]\n"


def safe_cell(text: str) -> str:
    r"""Text that a spreadsheet takes for text: behind an apostrophe if it begins as a formula does.

    >>> safe_cell("=1+1"), safe_cell("-5"), safe_cell("-x"), safe_cell("a=b"), safe_cell("\n=1")[:1]
    ("'=1+1", '-5', "'-x", 'a=b', "'")
    """
    return visible(f"'{text}" if text.startswith(FORMULA) and not NUMBER.fullmatch(text) else text)


def csv_text(frame: pl.DataFrame) -> str:
    """Write a table as CSV: numbers as they are, text safe for spreadsheets, lists and the like as JSON."""
    import polars as pl

    columns = []
    for each in frame.get_columns():
        kind = each.dtype
        if not (kind.is_numeric() or kind == pl.Boolean):
            texts = [None if value is None else safe_cell(cell_text(value)) for value in each.to_list()]
            columns.append(pl.Series(safe_cell(each.name), texts, pl.String))
        else:
            columns.append(each.alias(safe_cell(each.name)))
    return pl.DataFrame(columns).write_csv()
