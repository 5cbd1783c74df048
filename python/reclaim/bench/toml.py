"""Writes a mapping as TOML: what `reclaim.sweep` is given without a file is stored like one."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import tomli_w

from reclaim.errors import InputError


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
    return tomli_w.dumps(_plain(mapping))
