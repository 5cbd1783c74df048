"""Text of TOML and JSON that a user wrote or may have damaged: it is read, or there is one error for it."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from reclaim import input_file
from reclaim.errors import InputError

MOST_BYTES = 1 << 24
"""Of a file that somebody wrote."""
DEEPEST = 64
"""Tables and lists inside each other that anything here has a use for; every walk through them recurs."""
TOO_DEEP = f"tables or lists are nested more than {DEEPEST} deep"
CONTAINERS = (dict, list, tuple, Mapping)
SCALARS = frozenset({str, int, float, bool, type(None)})
"""Most of what is in a file; whether a value is a `Mapping` is long to find out."""
PLAIN = frozenset({dict, list})
"""What holds it."""
PLACED = re.compile(r"(.*?) \(at line (\d+), column (\d+)\)", re.DOTALL)


class UnreadableError(ValueError):
    """Text that is no TOML, or no JSON."""

    def __init__(self, reason: str, line: int | None = None, column: int | None = None) -> None:
        place = "" if line is None else f"line {line}, column {column}: "
        super().__init__(f"{place}{reason}")
        self.reason = reason
        self.line = line
        self.column = column


def is_deep(value: object) -> bool:
    """Whether mappings and lists are nested too deeply, as they are where one contains itself.

    >>> inner = []
    >>> inner.append(inner)
    >>> is_deep({"a": [1, {"b": 2}]}), is_deep(inner)
    (False, True)
    """
    level: list[object] = [value]
    for _ in range(DEEPEST + 1):
        known: dict[int, Any] = {
            id(each): each for each in level if type(each) in PLAIN or isinstance(each, CONTAINERS)
        }
        inside = (each.values() if isinstance(each, dict | Mapping) else each for each in known.values())
        level = [inner for each in inside for inner in each if type(inner) not in SCALARS]
        if not level:
            return False
    return True


def toml(text: str) -> dict[str, Any]:
    """Parse TOML.

    Raises:
        UnreadableError: if it is none, with the place; if it is nested too deeply.
    """
    try:
        table = tomllib.loads(text)
    except RecursionError:
        raise UnreadableError(TOO_DEEP) from None
    except ValueError as error:
        # Beside its own errors there are those of numbers with thousands of digits.
        found = PLACED.fullmatch(str(error))
        if found is None:
            raise UnreadableError(str(error)) from None
        raise UnreadableError(found[1], int(found[2]), int(found[3])) from None
    if is_deep(table):
        raise UnreadableError(TOO_DEEP)
    return table


def json_value(text: str) -> Any:
    """Parse JSON.

    Raises:
        UnreadableError: if it is none, or nested too deeply.
    """
    try:
        value = json.loads(text)
    except RecursionError:
        raise UnreadableError(TOO_DEEP) from None
    except json.JSONDecodeError as error:
        raise UnreadableError(error.msg, error.lineno, error.colno) from None
    except ValueError as error:
        raise UnreadableError(str(error)) from None
    if is_deep(value):
        raise UnreadableError(TOO_DEEP)
    return value


def leaves(table: Mapping[str, Any], above: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Give the values of a table and of the tables in it, each with its keys from the top.

    >>> list(leaves({"gc": {"victim": {"kind": "fifo"}}, "seed": 1}))
    [(('gc', 'victim', 'kind'), 'fifo'), (('seed',), 1)]
    """
    for key, value in table.items():
        if type(value) not in SCALARS and isinstance(value, Mapping):
            yield from leaves(value, (*above, key))
        else:
            yield (*above, key), value


def text_of(path: Path) -> str:
    """Read a file of text; the mark that Windows puts before UTF-8 is left out.

    Raises:
        InputError: if it cannot be read, or is no UTF-8.
    """
    try:
        return input_file.text(path, encoding="utf-8-sig", most=MOST_BYTES)
    except OSError as error:
        raise InputError(f"{path}: {input_file.fault(error)}") from None
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: is no text in UTF-8 (byte {error.start})") from None


def toml_file(path: Path) -> dict[str, Any]:
    """Read a TOML file.

    Raises:
        InputError: if it cannot be read, or is no TOML.
    """
    try:
        return toml(text_of(path))
    except UnreadableError as error:
        place = path if error.line is None else f"{path}:{error.line}:{error.column}"
        raise InputError(f"{place}: not a TOML file: {error.reason}") from None


def toml_string(text: str) -> str:
    r"""Quote text for TOML, whose basic strings are those of JSON but for two kinds of character.

    >>> toml_string('a "b" \U0001f600\x7f')
    '"a \\"b\\" 😀\\u007f"'
    """
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def toml_value(value: Any) -> str:
    """Write a value on one line, as TOML has it; what is no TOML becomes text.

    >>> toml_value([True, {"a b": "x", "c": 1}])
    '[true, { "a b" = "x", c = 1 }]'
    """
    match value:
        case bool():
            return "true" if value else "false"
        case int() | float():
            return str(value)
        case Mapping():
            items = (f"{toml_key(key)} = {toml_value(each)}" for key, each in value.items())
            return f"{{ {', '.join(items)} }}"
        case list() | tuple():
            return f"[{', '.join(map(toml_value, value))}]"
    return toml_string(str(value))


def toml_key(name: str) -> str:
    """Write one part of a key as TOML has it.

    >>> toml_key("gc"), toml_key("gc.victim")
    ('gc', '"gc.victim"')
    """
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else toml_string(name)


def _plain(value: Any) -> Any:
    match value:
        case bool() | str() | int() | float():
            return value
        case Path():
            return str(value)
        case Mapping():
            return {str(key): _plain(each) for key, each in value.items()}
        case list() | tuple():
            return [_plain(each) for each in value]
    raise InputError(
        f"{value!r}: is nothing that an experiment can hold; text, numbers, lists and mappings are"
    )


def to_toml(mapping: Mapping[str, Any]) -> str:
    """Write a mapping.

    >>> print(to_toml({"name": "x", "axes": {"seed": [], "gc.victim": "fifo"}}), end="")
    name = "x"
    <BLANKLINE>
    [axes]
    seed = []
    "gc.victim" = "fifo"
    """
    import tomli_w

    return tomli_w.dumps(_plain(mapping))


def split_outside(text: str, at: str) -> list[str]:
    """Split text at a letter that is within no brackets and no quotes.

    >>> split_outside('greedy,gc.victim={kind="python",function="a,b.py:f"}', ",")
    ['greedy', 'gc.victim={kind="python",function="a,b.py:f"}']
    """
    parts, begin, depth, quote = [], 0, 0, ""
    for found in re.finditer(rf"[\"'{{}}()\[\]]|{re.escape(at)}", text):
        letter = found[0]
        if quote or letter in "\"'":
            quote = "" if letter == quote else quote or letter
        elif letter != at:
            depth += 1 if letter in "{[(" else -1
        elif depth <= 0:
            parts.append(text[begin : found.start()])
            begin = found.end()
    return [*parts, text[begin:]]
