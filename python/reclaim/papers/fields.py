"""Reading TOML tables so that every mistake is one message: file, place, key, and what is valid."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from reclaim.errors import InputError
from reclaim.mistakes import kind_of
from reclaim.suggestions import near

LONGEST = 80
"""Characters of a value that a message shows."""


def twice(names: Sequence[str]) -> str | None:
    """Find the first name that is given more than once.

    >>> twice(["a", "b", "b"]), twice(["a", "b"])
    ('b', None)
    """
    return next((name for name in names if names.count(name) > 1), None)


def shown(value: object) -> str:
    """Write a value of TOML into a message; of a long one what it is."""
    text = repr(value)
    return text if len(text) <= LONGEST else kind_of(value)


def finite(value: object) -> float | None:
    """A number of TOML that is neither infinite nor none at all; None for everything else.

    >>> finite(3), finite(float("nan")), finite(10**400), finite("3")
    (3.0, None, None, None)
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        found = float(value)
    except OverflowError:
        return None
    return found if math.isfinite(found) else None


class Fields:
    """One table of a file: its keys are taken one by one, and what nobody takes is refused."""

    def __init__(self, file: Path, place: str, table: object) -> None:
        self.file = file
        self.place = place
        if not isinstance(table, Mapping):
            raise InputError(f"{file}: {place} is no table")
        self._left = dict(table)
        self._known: list[str] = []

    def fault(self, text: str) -> InputError:
        """An error about this table."""
        return InputError(f"{self.file}: {self.place}: {text}")

    def _take(self, key: str) -> Any:
        self._known.append(key)
        return self._left.pop(key, None)

    def _of_type(self, key: str, kind: type, name: str) -> Any:
        value = self._take(key)
        if value is not None and (
            not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool)
        ):
            raise self.fault(f"{key} = {shown(value)} is not {name}")
        return value

    def text(self, key: str, default: str | None = None) -> str:
        """A text; without a default it must be there, and not be empty."""
        value = self._of_type(key, str, "a text")
        if value is None:
            if default is None:
                raise self.fault(f"has no {key}")
            return default
        if default is None and not value.strip():
            raise self.fault(f"{key} is empty")
        return str(value)

    def choice(self, key: str, valid: Sequence[str], default: str | None = None) -> str:
        """One of some words."""
        value = self.text(key, default)
        if value not in valid and not (default is not None and value == default):
            raise self.fault(f'{key} = "{value}"; valid: {", ".join(valid)}{near(value, valid)}')
        return value

    def flag(self, key: str) -> bool:
        """A boolean that is false where it is not given."""
        return bool(self._of_type(key, bool, "true or false"))

    def number(self, key: str, *, least: float | None = None) -> float | None:
        """A number, if it is there."""
        value = self._take(key)
        if value is None:
            return None
        found = finite(value)
        if found is None:
            raise self.fault(f"{key} = {shown(value)} is not a number")
        if least is not None and found < least:
            raise self.fault(f"{key} = {shown(value)} is less than {least:g}")
        return found

    def whole(self, key: str, *, least: int) -> int:
        """A whole number, which must be there."""
        value = self._of_type(key, int, "a whole number")
        if value is None:
            raise self.fault(f"has no {key}")
        if value < least:
            raise self.fault(f"{key} = {value} is less than {least}")
        return int(value)

    def texts(self, key: str) -> tuple[str, ...]:
        """A list of texts, or a single one; empty where it is not given."""
        value = self._take(key)
        if value is None:
            return ()
        values = [value] if isinstance(value, str) else value
        if not isinstance(values, list) or not all(isinstance(each, str) for each in values):
            raise self.fault(f"{key} = {shown(value)} is not a list of texts")
        return tuple(values)

    def table(self, key: str) -> dict[str, Any] | None:
        """A table inside this one, if it is there."""
        value = self._of_type(key, dict, "a table")
        return None if value is None else dict(value)

    def tables(self, key: str) -> list[dict[str, Any]]:
        """A list of tables; empty where it is not given."""
        value = self._take(key)
        if value is None:
            return []
        if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
            raise self.fault(f"{key} is not a list of tables")
        return list(value)

    def any(self, key: str) -> Any:
        """Whatever stands there; None where nothing does."""
        return self._take(key)

    def done(self) -> None:
        """Refuse keys that nobody asked for."""
        for key in self._left:
            valid = ", ".join(sorted(set(self._known)))
            raise self.fault(f"unknown key {key}; valid: {valid}{near(key, self._known)}")
