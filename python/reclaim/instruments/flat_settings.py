"""Settings of a drive by their dotted keys, and in which of them two drives differ."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from reclaim.parsing import leaves

Flat = dict[str, Any]
"""Settings by their dotted keys."""
DERIVED = ("name", "warmup.policies")
"""What follows from other settings."""


def flat(config: Mapping[str, Any]) -> Flat:
    """Give the settings of a resolved configuration by dotted keys, without those that follow from others.

    >>> flat({"gc": {"victim": {"kind": "fifo"}}, "name": "d"})
    {'gc.victim.kind': 'fifo'}
    """
    settings = {".".join(keys): value for keys, value in leaves(config)}
    return {key: value for key, value in settings.items() if not any(below(key, each) for each in DERIVED)}


def below(key: str, section: str) -> bool:
    """Whether a key is a section, or in it.

    >>> below("gc.victim.d", "gc.victim"), below("gc.victims", "gc.victim")
    (True, False)
    """
    return key == section or key.startswith(f"{section}.")


def differing(one: Flat, other: Flat) -> list[str]:
    """Give the keys with different values, and those that one of the two does not have."""
    missing = object()
    return [key for key in dict.fromkeys([*one, *other]) if one.get(key, missing) != other.get(key, missing)]
