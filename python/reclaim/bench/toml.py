"""Writes a mapping as TOML: what `reclaim.sweep` is given without a file is stored like one."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from reclaim.bench.mistakes import BARE
from reclaim.errors import InputError
from reclaim.traces.transforms import toml_string


def _key(name: Any) -> str:
    text = str(name)
    return text if BARE.fullmatch(text) else toml_string(text)


def _value(value: Any) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case str() | Path():
            return toml_string(str(value))
        case int() | float():
            return str(value)
        case Mapping():
            return "{ " + ", ".join(f"{_key(key)} = {_value(each)}" for key, each in value.items()) + " }"
        case list() | tuple():
            return "[" + ", ".join(_value(each) for each in value) + "]"
    raise InputError(
        f"{value!r}: is nothing that an experiment can hold; text, numbers, lists and mappings are"
    )


def to_toml(mapping: Mapping[str, Any]) -> str:
    """Write a mapping: plain values first, then a section for each mapping in it.

    >>> print(to_toml({"name": "x", "axes": {"gc.victim": ["fifo"]}}), end="")
    name = "x"
    <BLANKLINE>
    [axes]
    "gc.victim" = ["fifo"]
    """
    lines = [
        f"{_key(key)} = {_value(value)}" for key, value in mapping.items() if not isinstance(value, Mapping)
    ]
    for key, value in mapping.items():
        if isinstance(value, Mapping):
            lines += [
                "",
                f"[{_key(key)}]",
                *(f"{_key(inner)} = {_value(each)}" for inner, each in value.items()),
            ]
    return "\n".join(lines) + "\n"
