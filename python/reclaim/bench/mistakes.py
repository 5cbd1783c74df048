"""What is wrong with an experiment file: every mistake with its line and key, not only the first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from reclaim import _core
from reclaim.bench.lines import KeyPath, line_of
from reclaim.bench.origins import Node, Source, place_of
from reclaim.errors import InputError
from reclaim.parsing import UnreadableError, toml
from reclaim.suggestions import near
from reclaim.traces.transforms import toml_key

MOST = 25
"""Mistakes that are told one by one."""


def dotted(path: KeyPath) -> str:
    """Write a key as TOML does; entries of a list are counted from 1.

    >>> dotted(("axes", "gc.victim", 0))
    'axes."gc.victim"[1]'
    """
    text = ""
    for part in path:
        if isinstance(part, int):
            text += f"[{part + 1}]"
        else:
            text += ("." if text else "") + toml_key(part)
    return text


def valid(word: str, choices: Iterable[str]) -> str:
    """List what is valid in place of `word`, with what was probably meant.

    >>> valid("axs", ["axes", "vary"])
    'valid: axes, vary; did you mean "axes"?'
    """
    listed = list(choices)
    return f"valid: {', '.join(listed)}{near(word, listed)}"


@dataclass(frozen=True)
class Mistake:
    """One thing that is wrong."""

    key: str
    """Where, as TOML writes keys; empty for the file as a whole."""
    text: str
    line: int | None = None
    file: str = ""
    """The file that it is in, where that is one that the experiment extends."""

    def message(self, file: str) -> str:
        """Write it as one message."""
        file = self.file or file
        place = file if self.line is None else f"{file}:{self.line}"
        return f"{place}: {self.key}: {self.text}" if self.key else f"{place}: {self.text}"


@dataclass
class Mistakes:
    """All that was found so far in one file, and in those that it extends."""

    file: str
    """What messages call it."""
    text: str = ""
    """Its text, to find lines in; empty where there is none."""
    found: list[Mistake] = field(default_factory=list)

    more: set[tuple[str, KeyPath, str]] = field(default_factory=set)
    """What was found past `MOST`; nobody reads it all, and to find the lines takes long."""
    whole: Node | None = None
    """Where each key stands; None where all are in this file."""

    @property
    def source(self) -> Source:
        """The file itself."""
        return Source(self.file, self.text)

    def add(self, path: KeyPath, text: str) -> None:
        """Note a mistake at a key of the experiment, once."""
        source, own = (self.source, path) if self.whole is None else place_of(self.whole, path)
        self.at(source, own, text)

    def at(self, source: Source, path: KeyPath, text: str) -> None:
        """Note a mistake at a key of one of its files, once."""
        if len(self.found) >= MOST:
            self.more.add((source.file, path, text))
            return
        line = line_of(source.text, path) if source.text else None
        self.note(source, Mistake(dotted(path), text, line))

    def note(self, source: Source, mistake: Mistake) -> None:
        """Note a mistake of which the place is known, once."""
        if source.file != self.file:
            mistake = replace(mistake, file=source.file)
        if mistake not in self.found:
            self.found.append(mistake)

    def refuse(self) -> None:
        """Do nothing if nothing was found.

        Raises:
            InputError: with all that was found, a line each.
        """
        messages = self.messages()
        if len(messages) > 1:
            raise InputError(f"{len(messages)} mistakes\n" + "\n".join(messages))
        if messages:
            raise InputError(messages[0])

    def messages(self) -> list[str]:
        """Write all, file by file in the order of their lines; past `MOST` they are counted."""
        ordered = sorted(self.found, key=lambda each: (each.file, each.line or 0))
        said = [each.message(self.file) for each in ordered]
        return said + ([f"{self.file}: and {len(self.more):,} more mistakes"] if self.more else [])


def parse_toml(source: Source, mistakes: Mistakes) -> Mapping[str, Any]:
    """Parse TOML; an empty table, and the parser's mistake with its line, where it is none."""
    text = source.text
    try:
        return toml(text)
    except UnreadableError as error:
        column = "" if error.column is None else f"column {error.column}: "
        written = "".join(text.splitlines()[error.line - 1 : error.line]) if error.line else ""
        said = f"{column}no TOML: {error.reason}{_core.meant(written)}"
        mistakes.note(source, Mistake("", said, error.line))
        return {}
