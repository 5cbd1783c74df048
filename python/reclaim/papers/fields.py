"""Reading TOML tables so that every mistake is one message: file, place, key, and what is valid."""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from reclaim.errors import InputError


def load(path: Path) -> dict[str, Any]:
    """Read a TOML file.

    Raises:
        InputError: if it cannot be read, or is no TOML.
    """
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: not a TOML file: {error}") from None


def suggestion(word: str, valid: Sequence[str]) -> str:
    """What was probably meant, as the end of a message.

    >>> suggestion("gredy", ["greedy", "fifo"])
    '; did you mean greedy?'
    """
    near = difflib.get_close_matches(word, valid, 1)
    return f"; did you mean {near[0]}?" if near else ""


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
            raise self.fault(f"{key} = {value!r} is not {name}")
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
            raise self.fault(f'{key} = "{value}"; valid: {", ".join(valid)}{suggestion(value, valid)}')
        return value

    def flag(self, key: str) -> bool:
        """A boolean that is false where it is not given."""
        return bool(self._of_type(key, bool, "true or false"))

    def number(self, key: str, *, least: float | None = None) -> float | None:
        """A number, if it is there."""
        value = self._take(key)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self.fault(f"{key} = {value!r} is not a number")
        if least is not None and value < least:
            raise self.fault(f"{key} = {value!r} is less than {least:g}")
        return float(value)

    def texts(self, key: str) -> tuple[str, ...]:
        """A list of texts, or a single one; empty where it is not given."""
        value = self._take(key)
        if value is None:
            return ()
        values = [value] if isinstance(value, str) else value
        if not isinstance(values, list) or not all(isinstance(each, str) for each in values):
            raise self.fault(f"{key} = {value!r} is not a list of texts")
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
            raise self.fault(f"unknown key {key}; valid: {valid}{suggestion(key, self._known)}")
