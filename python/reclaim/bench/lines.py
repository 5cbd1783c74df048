"""On which line of a TOML file a key stands: the parser knows it, but does not tell."""

from __future__ import annotations

import re
from functools import lru_cache

from reclaim.parsing import UnreadableError, toml

KeyPath = tuple[str | int, ...]
"""Keys from the top of the file down to a value; a number is the place in a list, counted from 0."""

HEADER = re.compile(r"\s*\[{1,2}([^\[\]]+)\]{1,2}\s*(#.*)?$")
KEY = re.compile(
    r"""\s*((?:"[^"]*"|'[^']*'|[A-Za-z0-9_-]+)(?:\s*\.\s*(?:"[^"]*"|'[^']*'|[A-Za-z0-9_-]+))*)\s*="""
)
LONGEST_ENTRY = 20
"""Lines of an entry of a list that are looked through for its end."""
PART = re.compile(r""""([^"]*)"|'([^']*)'|([A-Za-z0-9_-]+)""")


def _parts(text: str) -> tuple[str, ...]:
    return tuple(next(part for part in found if part) for found in PART.findall(text) if any(found))


@lru_cache(maxsize=4)
def _statements(text: str) -> list[tuple[int, int, tuple[str, ...]]]:
    """Every header and key at the beginning of a line: its first line, the line after its value, its path."""
    lines = text.splitlines()
    found: list[tuple[int, int, tuple[str, ...]]] = []
    table: tuple[str, ...] = ()
    entries: dict[tuple[str, ...], int] = {}
    at = 0
    while at < len(lines):
        header, key = HEADER.match(lines[at]), KEY.match(lines[at])
        end = at + 1
        if key:
            # A value goes on until what was read so far is whole. That is looked at where another statement
            # seems to begin: at each of a list's thousands of lines it would take minutes.
            while end < len(lines) and not (_begins(lines[end]) and _is_whole("\n".join(lines[at:end]))):
                end += 1
            found.append((at + 1, end + 1, table + _parts(key[1])))
        elif header:
            table = _parts(header[1])
            if lines[at].lstrip().startswith("[["):
                place = entries[table] = entries.get(table, -1) + 1
                found += [] if place else [(at + 1, at + 2, table)]
                table = (*table, str(place))
            found.append((at + 1, at + 2, table))
        at = end
    return found


def _begins(line: str) -> bool:
    return bool(HEADER.match(line) or KEY.match(line))


def _is_whole(text: str) -> bool:
    try:
        toml(text)
    except UnreadableError:
        return False
    return True


def line_of(text: str, path: KeyPath) -> int | None:
    r"""Find the line of a key, or of the nearest above it; None if not even that is there.

    >>> line_of('name = "a"\n[axes]\nseed = [\n 1,\n "two",\n]\n', ("axes", "seed", 1))
    5
    >>> line_of('[[schemes]]\nname = "a"\n[[schemes]]\nname = "b"\n', ("schemes", 1, "name"))
    4
    >>> line_of('[set]\nwarmup.kind = "x"\n', ("set", "warmup.kind"))
    2
    """
    statements = _statements(text)
    for length in range(len(path), 0, -1):
        wanted = ".".join(str(part) for part in path[:length])
        for first, end, key in statements:
            if ".".join(key) == wanted:
                return _inside(text.splitlines(), first, end, path[length:])
    return None


def _inside(lines: list[str], first: int, end: int, rest: KeyPath) -> int:
    """Find the line of a part of a value that stands on several lines, `end` being the line after them."""
    if rest and isinstance(rest[0], int):
        first = _element(lines, first, end, rest[0])
    name = next((part for part in reversed(rest) if isinstance(part, str)), None)
    for number in range(first, end):
        if name is not None and name in lines[number - 1].partition("#")[0]:
            return number
    return first


def _element(lines: list[str], first: int, end: int, index: int) -> int:
    """Find the line on which an entry of a list is whole."""
    low, high, found = first, end, first
    while low < high:
        # Of lines in the middle of an entry nothing is known: the next that ends one decides.
        middle = (low + high) // 2
        near = range(middle, min(high, middle + LONGEST_ENTRY))
        known = next((at for at in near if _entries(lines[first - 1 : at]) is not None), None)
        if known is not None and (_entries(lines[first - 1 : known]) or 0) <= index:
            low = known + 1
        else:
            high, found = middle, known or found
    return found


def _entries(lines: list[str]) -> int | None:
    """How many entries of a list stand on its first lines; None where they end inside of one."""
    begun = "\n".join(lines)
    for closed in (begun, f"{begun}\n]"):
        try:
            (value,) = toml(closed).values()
        except ValueError:
            continue
        while isinstance(value, dict) and len(value) == 1:
            # A dotted key.
            (value,) = value.values()
        if isinstance(value, list):
            return len(value)
    return None
