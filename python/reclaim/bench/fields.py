"""Fields of a table, checked for their kind, with what would have been valid."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from reclaim.bench.lines import KeyPath
from reclaim.bench.mistakes import Mistakes, valid
from reclaim.results.sets.names import LONGEST_NAME, unfit

SHOWN = 40
"""Characters of a name that a message shows."""
LONGEST = 200
"""Characters of a text that a message shows."""


def kind_of(value: Any) -> str:
    """Name a TOML value's kind for a message: never in the same words as what it should have been.

    >>> kind_of([]), kind_of({}), kind_of(["a", 1]), kind_of([[1]])
    ('an empty list', 'an empty table', 'a list with 1 in it', 'a list with a list in it')
    """
    match value:
        case bool():
            return f"{str(value).lower()}"
        case str():
            return f'"{value}"' if len(value) <= LONGEST else f"a text of {len(value):,} characters"
        case list():
            odd = next((each for each in value if not isinstance(each, str)), None)
            if odd is None:
                return "a list of text" if value else "an empty list"
            inner = "a list" if isinstance(odd, list) else kind_of(odd)
            return f"a list with {inner} in it"
        case Mapping():
            return "a table" if value else "an empty table"
    return str(value)


def check_keys(table: Mapping[str, Any], path: KeyPath, known: Iterable[str], mistakes: Mistakes) -> None:
    """Note every key that is not `known`."""
    choices = list(known)
    for key in table:
        if key not in choices:
            mistakes.add((*path, key), f"unknown key; {valid(key, choices)}")


def has_keys(table: Mapping[str, Any], keys: Sequence[str], path: KeyPath, mistakes: Mistakes) -> bool:
    """Whether a table has all of some keys; each that it lacks is a mistake."""
    lacks = [key for key in keys if key not in table]
    for key in lacks:
        mistakes.add(path, f"{key} is missing")
    return not lacks


def text_of(table: Mapping[str, Any], key: str, path: KeyPath, mistakes: Mistakes, default: str = "") -> str:
    """Give a text; `default` where it is missing or none."""
    value = table.get(key, default)
    if not isinstance(value, str) or (key in table and not value.strip()):
        mistakes.add((*path, key), f"must be text that is not empty, not {kind_of(value)}")
        return default
    return value


def name_of(table: Mapping[str, Any], key: str, path: KeyPath, mistakes: Mistakes, default: str = "") -> str:
    """Give a text that something is called by; `default` where it is missing, none, or no name."""
    value = text_of(table, key, path, mistakes, default)
    if key in table and value and not fits(value, (*path, key), mistakes):
        return default
    return value


def fits(name: str, path: KeyPath, mistakes: Mistakes, longest: int = LONGEST_NAME) -> bool:
    """Whether something can be called so; if not, that is a mistake."""
    reason = unfit(name, longest)
    if reason is not None:
        shown = name if len(name) <= SHOWN else name[:SHOWN] + "…"
        mistakes.add(path, f"{json.dumps(shown, ensure_ascii=False)} {reason}; give another name")
    return reason is None


def list_of(table: Mapping[str, Any], key: str, example: str, mistakes: Mistakes) -> list[Any]:
    """Give a list with something in it; an empty one, and a mistake, where there is none."""
    if key not in table:
        mistakes.add((), f"{key} is missing; name at least one, as in {key} = {example}")
        return []
    value = table[key]
    if not isinstance(value, list) or not value:
        mistakes.add((key,), f"must be a list with something in it, as in {example}, not {kind_of(value)}")
        return []
    return value


def table_of(table: Mapping[str, Any], key: str, mistakes: Mistakes) -> Mapping[str, Any]:
    """Give a table; an empty one where it is missing or none."""
    value = table.get(key, {})
    if not isinstance(value, Mapping):
        mistakes.add((key,), f"must be a table, written [{key}], not {kind_of(value)}")
        return {}
    return value


def flag_of(
    table: Mapping[str, Any], key: str, path: KeyPath, mistakes: Mistakes, *, default: bool = False
) -> bool:
    """Give true or false; the default where it is missing or neither."""
    value = table.get(key, default)
    if not isinstance(value, bool):
        mistakes.add((*path, key), f"must be true or false, not {kind_of(value)}")
        return default
    return value
