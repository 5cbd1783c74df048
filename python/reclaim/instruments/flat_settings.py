"""Settings of a drive by their dotted keys, and in which of them two drives differ."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

Flat = dict[str, Any]
"""Settings by their dotted keys."""
DERIVED = ("name", "warmup.policies")
"""What follows from other settings."""


def flat(config: Mapping[str, Any]) -> Flat:
    """Give the settings of a resolved configuration by dotted keys, without those that follow from others.

    >>> flat({"gc": {"victim": {"kind": "fifo"}}, "name": "d"})
    {'gc.victim.kind': 'fifo'}
    """
    return {key: value for key, value in _leaves(config) if not any(below(key, each) for each in DERIVED)}


def _leaves(table: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in table.items():
        whole = f"{above}.{key}" if above else key
        if isinstance(value, Mapping):
            yield from _leaves(value, whole)
        else:
            yield whole, value


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
