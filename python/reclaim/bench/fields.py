"""Fields of a table, checked for their kind, with what would have been valid."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from reclaim.bench.lines import KeyPath
from reclaim.bench.mistakes import Mistakes, valid


def kind_of(value: Any) -> str:
    """Name a TOML value's kind for a message."""
    match value:
        case bool():
            return f"{str(value).lower()}"
        case str():
            return f'"{value}"'
        case list():
            return "a list"
        case Mapping():
            return "a table"
    return str(value)


def check_keys(table: Mapping[str, Any], path: KeyPath, known: Iterable[str], mistakes: Mistakes) -> None:
    """Note every key that is not `known`."""
    choices = list(known)
    for key in table:
        if key not in choices:
            mistakes.add((*path, key), f"unknown key; {valid(key, choices)}")


def text_of(table: Mapping[str, Any], key: str, path: KeyPath, mistakes: Mistakes, default: str = "") -> str:
    """Give a text; `default` where it is missing or none."""
    value = table.get(key, default)
    if not isinstance(value, str) or (key in table and not value.strip()):
        mistakes.add((*path, key), f"must be text that is not empty, not {kind_of(value)}")
        return default
    return value


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


def flag_of(table: Mapping[str, Any], key: str, path: KeyPath, mistakes: Mistakes) -> bool:
    """Give true or false; false where it is missing or neither."""
    value = table.get(key, False)
    if not isinstance(value, bool):
        mistakes.add((*path, key), f"must be true or false, not {kind_of(value)}")
        return False
    return value
