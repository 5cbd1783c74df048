"""A sheet: the published lines of a drive with their sources, and which of them are held out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, PlainValidator, PrivateAttr, StrictFloat, StrictInt, WithJsonSchema

from reclaim.instruments.measuring.matrix import KIB, Load, Operation, Pattern
from reclaim.instruments.measuring.unknowns import Choice, Unknown, mistakes_of_choices, solved_twice
from reclaim.mistakes import valid
from reclaim.sections import Section, Text, Wrong, also, listed, load, must, named_twice

Use = Literal["fitted", "check", "held-out", "host-limited", "not-modelled"]
USES: Mapping[str, str] = {
    "fitted": "an unknown of the drive was solved from it",
    "check": "neither fitted nor held out",
    "held-out": "predicted from the others",
    "host-limited": "limited by the host interface: does not count",
    "not-modelled": "limited by what the model lacks: does not count",
}
MOST_KIB = 16384
NEEDS_WHY = ("fitted", "host-limited", "not-modelled")
SAME = ("pattern", "operation", "block", "queue_depth", "state", "metric")
"""What no two lines have in common."""
EXAMPLE = {
    "pattern": "random",
    "operation": "read",
    "block": "4KiB",
    "queue_depth": 32,
    "state": "steady",
    "metric": "iops",
    "value": 72000,
    "source": "…",
    "use": "check",
}


class Source(Section):
    """Where figures are published."""

    key: Text
    title: Text
    date: Text
    url: Text


class Fact(Section):
    """Something about the drive that is no figure of speed."""

    what: Text
    value: Text
    source: Text = ""
    """A key of a source; empty for what is assumed."""
    assumed: Text = ""
    """Why it is assumed; empty for what is published."""

    @classmethod
    def mistakes_in(cls, table: Mapping[str, Any], _context: Any, /) -> Iterable[Wrong]:
        """See that it says where it is from."""
        if ("source" in table) == ("assumed" in table):
            yield Wrong((), "needs either source (a key of a [[source]]) or assumed (the reason)")


def _bytes(given: object) -> int:
    match = re.fullmatch(r"(\d{1,8})KiB", given, re.ASCII) if isinstance(given, str) else None
    if match is None or not 0 < int(match[1]) <= MOST_KIB:
        raise must(f'a size in KiB from "1KiB" to "{MOST_KIB}KiB", as in "4KiB"')
    return int(match[1]) * KIB


class Line(Section):
    """One published figure of speed."""

    pattern: Pattern
    operation: Operation
    block: Annotated[int, PlainValidator(_bytes), WithJsonSchema({"type": "string"})]
    queue_depth: StrictInt = Field(ge=1, le=65535)
    state: Literal["fresh", "steady"]
    metric: Literal["iops", "MB/s", "us"]
    """`iops`, `MB/s` (millions of bytes) or `us` (mean latency)."""
    value: StrictFloat = Field(gt=0, lt=1e12)
    source: Text
    use: Use
    why: Text = ""
    assumed: Text = ""
    """What the source leaves open of the load, and what was taken; empty if nothing."""

    @classmethod
    def mistakes_in(cls, table: Mapping[str, Any], _context: Any, /) -> Iterable[Wrong]:
        """See that its use is one that it can have, and is explained."""
        use, of = table.get("use"), (table.get("pattern"), table.get("operation"))
        if use in NEEDS_WHY and not table.get("why"):
            yield Wrong((), f'needs why: what says that it is "{use}", or what was solved from it')
        predicted = of[1] == "mixed" or of == ("random", "write")
        if use in ("fitted", "check") and table.get("state") == "steady" and predicted:
            what = "steady random writes and steady mixed loads are predicted, so they cannot be fitted"
            others = ", ".join(f'"{each}"' for each in USES if each not in ("fitted", "check"))
            yield Wrong(("use",), f"{what} or checked by; valid: {others}")

    @property
    def load(self) -> Load:
        """What it is measured under."""
        return Load(self.pattern, self.operation, self.block, self.queue_depth, self.state)

    @property
    def counts(self) -> bool:
        """Whether the model is judged by it: nothing else limits it."""
        return self.use not in ("host-limited", "not-modelled")


class Sheet(Section):
    """What is published of a drive."""

    name: Text = Field(examples=["Tiny 16 MiB"])
    """What the drive is called."""
    about: Text = ""
    device_named: Text = Field("", alias="device")
    """The device file whose unknowns are solved, looked for beside the sheet."""
    sources: Annotated[tuple[Source, ...], named_twice("source", "key")] = Field((), alias="source")
    facts: Annotated[tuple[Fact, ...], named_twice("fact", "what")] = Field((), alias="fact")
    lines: tuple[Line, ...] = Field(alias="line", min_length=1, examples=[[EXAMPLE]])
    unknowns: Annotated[tuple[Unknown, ...], also(solved_twice)] = Field((), alias="unknown")
    choices: Annotated[tuple[Choice, ...], named_twice("choice", "name")] = Field((), alias="choice")
    _path: Path = PrivateAttr()

    def model_post_init(self, path: Any, /) -> None:
        """Keep the place of the file."""
        self._path = path

    @classmethod
    def load(cls, path: Path) -> Sheet:
        """Read a sheet.

        Raises:
            InputError: with every mistake, a line each.
        """
        return load(cls, path, path)

    @classmethod
    def mistakes_in(cls, table: Mapping[str, Any], _context: Any, /) -> Iterable[Wrong]:
        """See that lines differ, that sources are there, and that choices leave alone what is solved for."""
        known = [str(each.get("key")) for _, each in _tables(table, "source")]
        for kind in ("fact", "line"):
            for number, each in _tables(table, kind):
                if "source" in each and each["source"] not in known:
                    source = str(each["source"])
                    text = f'no [[source]] has the key "{source}"; {valid(source, known)}'
                    yield Wrong((kind, number, "source"), text)
        loads = [[each.get(key) for key in SAME] for _, each in _tables(table, "line")]
        for number, same in enumerate(loads):
            if same in loads[:number]:
                yield Wrong(("line", number), "is there twice: another line has its load and its metric")
        yield from mistakes_of_choices(_tables(table, "unknown"), _tables(table, "choice"))

    @property
    def file(self) -> str:
        """What messages call it."""
        return str(self._path)

    @property
    def device(self) -> Path | None:
        """The device file whose unknowns are solved; None where there is none."""
        return self._path.parent / self.device_named if self.device_named else None


def _tables(table: Mapping[str, Any], kind: str) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Give the tables of a kind, with their places."""
    for number, each in enumerate(listed(table.get(kind))):
        if isinstance(each, Mapping):
            yield number, each
