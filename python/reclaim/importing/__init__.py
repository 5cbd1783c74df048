"""Configurations of other simulators, read as ours: what each of their keys becomes, and what is lost."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from reclaim.errors import InputError

Value = str | int | float | bool


class How(StrEnum):
    """What becomes of a key of theirs."""

    same = "same"
    nearly = "nearly"
    left_out = "left out"
    nothing = "says nothing"
    """It has no effect there, either."""


@dataclass(frozen=True)
class Given:
    """A key of a file of theirs."""

    file: Path
    line: int
    key: str
    value: str

    def wrong(self, why: str) -> InputError:
        """Make the error that says why the value cannot be used."""
        return InputError(f"{self.file}:{self.line}: {self.key} = {self.value!r}: {why}")

    def whole(self, lowest: int = 0) -> int:
        """Give the value as a whole number.

        Raises:
            InputError: if it is none, or below the lowest.
        """
        try:
            found = int(self.value)
        except ValueError:
            raise self.wrong("must be a whole number") from None
        if found < lowest:
            raise self.wrong(f"must be at least {lowest}")
        return found

    def number(self, lowest: float = 0, highest: float = float("inf")) -> float:
        """Give the value as a number.

        Raises:
            InputError: if it is none, or not from the lowest to the highest.
        """
        try:
            found = float(self.value)
        except ValueError:
            raise self.wrong("must be a number") from None
        if not lowest <= found <= highest:
            raise self.wrong(f"must be from {lowest:g} to {highest:g}")
        return found

    def switch(self) -> bool:
        """Give the value as true or false.

        Raises:
            InputError: if it is neither.
        """
        return bool(self.one_of({"TRUE": True, "FALSE": False}))

    def one_of(self, valid: Mapping[str, Any]) -> Any:
        """Give what a word stands for.

        Raises:
            InputError: for any other word, with the valid ones.
        """
        word = self.value.upper()
        if word not in valid:
            raise self.wrong(f"unknown; valid: {', '.join(valid)}")
        return valid[word]


@dataclass(frozen=True)
class Mapped:
    """What became of a key of theirs."""

    key: str
    value: str
    how: How
    why: str
    """What differs, or what is lost and which way that errs; empty for the same."""
    ours: tuple[tuple[str, Value | list[str]], ...] = ()
    """Our settings."""


@dataclass(frozen=True)
class Load:
    """A workload of theirs."""

    name: str
    description: Mapping[str, Any] | None
    """Of a generated trace (docs/traces.md); None where they play a file."""
    arguments: tuple[str, ...]
    """Of `reclaim run`, beside trace and drive."""
    trace: str = ""
    """The file that they play."""
    notes: tuple[str, ...] = ()
    """What is not quite as there."""


@dataclass
class Imported:
    """A drive of theirs as one of ours, with its workloads."""

    name: str
    base: str
    """The drive that what is not named is taken from."""
    mapped: list[Mapped] = field(default_factory=list)
    loads: list[Load] = field(default_factory=list)

    def settings(self) -> Iterable[tuple[str, Value | list[str], str]]:
        """Give each setting of ours, and the keys of theirs that it follows from."""
        found: dict[str, tuple[Value | list[str], list[str]]] = {}
        for each in self.mapped:
            for key, value in each.ours:
                found.setdefault(key, (value, []))[1].append(each.key)
        return ((key, value, ", ".join(theirs)) for key, (value, theirs) in found.items())

    def count(self, how: How) -> int:
        """How many keys became that."""
        return sum(each.how is how for each in self.mapped)
