"""Configurations of other simulators, read as ours: what each of their keys becomes, and what is lost."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from reclaim.errors import InputError
from reclaim.suggestions import near

Value = str | int | float | bool
Ours = Iterable[tuple[str, Value | list[str]]]
"""Settings of ours."""


class Match(StrEnum):
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
    how: Match
    why: str
    """What differs, or what is lost and which way that errs; empty for the same."""
    ours: tuple[tuple[str, Value | list[str]], ...] = ()
    """Our settings."""


@dataclass(frozen=True)
class ImportedLoad:
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
    fixed: tuple[tuple[str, Value, str], ...] = ()
    """Settings of ours that are constants there, and what they are there."""
    mapped: list[Mapped] = field(default_factory=list)
    loads: list[ImportedLoad] = field(default_factory=list)

    def settings(self) -> Iterable[tuple[str, Value | list[str], str]]:
        """Give each setting of ours, and the keys of theirs that it follows from."""
        found: dict[str, tuple[Value | list[str], list[str]]] = {
            key: (value, [why]) for key, value, why in self.fixed
        }
        for each in self.mapped:
            for key, value in each.ours:
                found.setdefault(key, (value, []))[1].append(each.key)
        return ((key, value, ", ".join(theirs)) for key, (value, theirs) in found.items())

    def count(self, how: Match) -> int:
        """How many keys became that."""
        return sum(each.how is how for each in self.mapped)


Become = Callable[[Given, Mapping[str, Given]], Ours]
"""Makes settings of ours of a key of theirs, beside all others."""


def to(key: str, convert: Callable[[Given], Value]) -> Become:
    """Make one setting of ours of a key."""
    return lambda given, _: [(key, convert(given))]


def count(given: Given) -> int:
    """Give a number from 1 up."""
    return given.whole(1)


def nanoseconds(given: Given) -> str:
    """Give a time in ns as ours has it."""
    return f"{given.whole(1)}ns"


def percent(given: Given) -> str:
    """Give a share from 0 to 1 as ours has it."""
    return f"{100 * given.number(0, 1):.6g}%"


@dataclass(frozen=True)
class Keys:
    """What becomes of the keys of a simulator."""

    simulator: str
    base: str
    """The drive of ours that what they do not name is taken from."""
    same: Mapping[str, Become]
    """Keys that mean the same here."""
    nearly: Mapping[str, tuple[Become, str]]
    """Keys that mean nearly the same, and what differs."""
    left_out: Mapping[str, str]
    """Keys that have no counterpart, and which way that errs."""
    with_others: Mapping[str, str] = field(default_factory=dict)
    """Keys that are a part of what another becomes."""
    as_there: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Of those that mean nearly the same, values that mean the same."""
    says_nothing: Callable[[str, Mapping[str, Given]], bool] = lambda *_: False
    """Whether a key that is left out has no effect there, either."""
    needed: tuple[str, ...] = ()
    fixed: tuple[tuple[str, Value, str], ...] = ()

    def imported(self, given: Iterable[Given], file: Path, name: str | None = None) -> Imported:
        """Make a drive of the keys of a file.

        Raises:
            InputError: if one is missing, or a value cannot be, with the line.
        """
        every = {each.key: each for each in given}
        for key in self.needed:
            if key not in every:
                hint = near(key, every, quote="")
                raise InputError(f"{file}: lacks {key}{hint}")
        made = Imported(name or file.stem, self.base, self.fixed)
        made.mapped += [self.mapped(each, every) for each in every.values()]
        return made

    def mapped(self, given: Given, every: Mapping[str, Given]) -> Mapped:
        """Say what becomes of a key."""
        key = given.key
        if key in self.same:
            return Mapped(key, given.value, Match.same, "", tuple(self.same[key](given, every)))
        if key in self.nearly:
            become, why = self.nearly[key]
            ours = tuple(become(given, every))
            if given.value.upper() in self.as_there.get(key, ()):
                return Mapped(key, given.value, Match.same, "", ours)
            return Mapped(key, given.value, Match.nearly, why, ours)
        if key in self.with_others:
            return Mapped(key, given.value, Match.same, f"with {self.with_others[key]}")
        if key in self.left_out:
            how = Match.nothing if self.says_nothing(key, every) else Match.left_out
            return Mapped(key, given.value, how, self.left_out[key])
        known = near(key, [*self.same, *self.nearly, *self.with_others, *self.left_out], quote="")
        return Mapped(key, given.value, Match.nothing, f"{self.simulator} does not read it{known}")
