"""A sheet: the published lines of a drive with their sources, and which of them are held out."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    Field,
    PlainValidator,
    PrivateAttr,
    StrictFloat,
    StrictInt,
    WithJsonSchema,
    model_validator,
)

from reclaim._core import same_settings
from reclaim.experiment.work import not_the_drive
from reclaim.layers import KIND, below
from reclaim.mistakes import valid
from reclaim.sections import Section, Words, Wrong, also, listed, load, must, named_twice
from reclaim.study.measuring.matrix import KIB, JobLoad, Operation, Pattern
from reclaim.study.tuning.section import Quantity
from reclaim.units import NANOSECONDS, written


def _of_the_drive(key: str) -> str:
    if refused := not_the_drive(key, "solved for"):
        raise ValueError(refused)
    return key


class Unknown(Section):
    """A setting that is solved for, between two values above 0.

    >>> time = Unknown.model_validate({"key": "flash.t_read", "from": "10us", "to": "1000us", "why": "made"})
    >>> time.number(0.5), time.text(0.25), time.shown(0.25), time.range_text(), place_of(time, 100.0)
    (100.0, '31623ns', '31.62 µs', '10 µs to 1 ms', 0.5)
    >>> spare = {"key": "geometry.spare_factor", "from": "5%", "to": "20%", "why": "made"}
    >>> Unknown.model_validate(spare).text(0.5)
    '10%'
    """

    key: Annotated[Words, AfterValidator(_of_the_drive)]
    start: Quantity = Field(alias="from", examples=["20us"])
    end: Quantity = Field(alias="to", examples=["100us"])
    why: Words
    """Where the range comes from."""

    @model_validator(mode="after")
    def _is_range(self) -> Self:
        if self.start[1] != self.end[1] or not 0 < self.start[0] < self.end[0]:
            needs = "needs from and to above 0, with one unit, the lower first"
            raise ValueError(f'{needs}, as in from = "20us", to = "100us"')
        return self

    @property
    def low(self) -> float:
        """The lower end, in `unit`."""
        return float(self.start[0])

    @property
    def high(self) -> float:
        """The upper end, in `unit`."""
        return float(self.end[0])

    @property
    def unit(self) -> str:
        """The unit, as a configuration writes it after the number."""
        return self.start[1]

    def number(self, place: float) -> float:
        """Give the value at a place: 0 is `low`, 1 is `high`, and equal steps are equal ratios."""
        return float(self.low * (self.high / self.low) ** place)

    def text(self, place: float) -> str:
        """Write that value as a configuration takes it: times in whole nanoseconds, others in five digits."""
        number = self.number(place)
        scale = NANOSECONDS.get(self.unit.strip())
        return f"{number:.5g}{self.unit}" if scale is None else f"{round(number * scale)}ns"

    def shown(self, place: float) -> str:
        """Write that value for a reader."""
        scale = NANOSECONDS.get(self.unit.strip())
        return self.text(place) if scale is None else written(self.number(place) * scale, "time")

    def range_text(self) -> str:
        """Write the declared range."""
        return f"{self.shown(0)} to {self.shown(1)}"


def _settings(settings: dict[str, Any]) -> dict[str, Any]:
    for value in settings.values():
        if isinstance(value, bool) or not isinstance(value, str | int):
            raise must("settings with their values")
    return settings


class PermittedSettings(Section):
    """Settings that the sheet permits instead of those of the device file."""

    name: Words
    settings: Annotated[dict[str, Any], AfterValidator(_settings)] = Field(
        alias="set", examples=[{"geometry.channels": 24}]
    )
    why: Words

    @classmethod
    def mistakes_in(cls, table: Mapping[str, Any], _context: Any, /) -> Iterable[Wrong]:
        """See that it chooses a drive."""
        for key in _keys(table):
            if refused := not_the_drive(key, "chosen"):
                yield Wrong(("set", key), refused)


def _keys(choice: Mapping[str, Any]) -> Iterable[str]:
    settings = choice.get("set")
    return settings if isinstance(settings, Mapping) else ()


def solved_twice(unknowns: Any) -> Iterable[Wrong]:
    """Refuse keys that set the same thing, in whole or in part."""
    keys = [each.get("key") if isinstance(each, Mapping) else None for each in listed(unknowns)]
    for number, key in enumerate(keys):
        before = (each for each in keys[:number] if isinstance(each, str))
        if isinstance(key, str) and any(_overlap(key, each) for each in before):
            yield Wrong((number, "key"), f'"{key}" is solved for already; name a key once')


Numbered = Iterable[tuple[int, Mapping[str, Any]]]


def mistakes_of_choices(unknowns: Numbered, choices: Numbered) -> Iterable[Wrong]:
    """Refuse choices that are there twice, and those that set what is solved for.

    Args:
        unknowns: tables of the sheet, with the place of each.
        choices: likewise.
    """
    solved = [each["key"] for _, each in unknowns if isinstance(each.get("key"), str)]
    names: list[tuple[Any, Any]] = []
    for number, choice in choices:
        twin = next((name for name, settings in names if settings == choice.get("set")), None)
        if twin is not None:
            yield Wrong(("choice", number, "set"), f'has the settings of the [[choice]] "{twin}"')
        names.append((choice.get("name"), choice.get("set")))
        for key in _keys(choice):
            if any(_overlap(key, each) for each in solved):
                text = "is an [[unknown]], which is solved for in every choice; leave one of them out"
                yield Wrong(("choice", number, "set", key), f'"{key}" {text}')


def _overlap(key: str, other: str) -> bool:
    """Whether two keys set the same thing, in whole or in part."""
    key, other = key.removesuffix(KIND), other.removesuffix(KIND)
    return below(key, other) or below(other, key) or other in same_settings(key)


def place_of(unknown: Unknown, number: float) -> float:
    """Give the place of a value, the nearest end for one outside of the range."""
    place = math.log(number / unknown.low) / math.log(unknown.high / unknown.low)
    return min(1.0, max(0.0, place))


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


class SheetSource(Section):
    """Where figures are published."""

    key: Words
    title: Words
    date: Words
    url: Words


class Fact(Section):
    """Something about the drive that is no figure of speed."""

    what: Words
    value: Words
    source: Words = ""
    """A key of a source; empty for what is assumed."""
    assumed: Words = ""
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


class PublishedFigure(Section):
    """One published figure of speed."""

    pattern: Pattern
    operation: Operation
    block: Annotated[int, PlainValidator(_bytes), WithJsonSchema({"type": "string"})]
    queue_depth: StrictInt = Field(ge=1, le=65535)
    state: Literal["fresh", "steady"]
    metric: Literal["iops", "MB/s", "us"]
    """`iops`, `MB/s` (millions of bytes) or `us` (mean latency)."""
    value: StrictFloat = Field(gt=0, lt=1e12)
    source: Words
    use: Use
    why: Words = ""
    assumed: Words = ""
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
    def load(self) -> JobLoad:
        """What it is measured under."""
        return JobLoad(self.pattern, self.operation, self.block, self.queue_depth, self.state)

    @property
    def counts(self) -> bool:
        """Whether the model is judged by it: nothing else limits it."""
        return self.use not in ("host-limited", "not-modelled")


class Rating(Section):
    """The endurance that a drive is rated for, under one kind of writes."""

    pattern: Pattern
    tbw: StrictFloat = Field(gt=0, lt=1e12)
    """Bytes that the host may write in all, in TB (10^12 bytes)."""
    source: Words
    assumed: Words = ""
    """What the source leaves open, and what was taken; empty if nothing."""


_FLASH = re.compile(r"(\d{1,6}) dies of (\d{1,6}) Gbit", re.ASCII)


class Sheet(Section):
    """What is published of a drive."""

    name: Words = Field(examples=["Tiny 16 MiB"])
    """What the drive is called."""
    about: Words = ""
    device_named: Words = Field("", alias="device")
    """The device file whose unknowns are solved, looked for beside the sheet."""
    sources: Annotated[tuple[SheetSource, ...], named_twice("source", "key")] = Field((), alias="source")
    facts: Annotated[tuple[Fact, ...], named_twice("fact", "what")] = Field((), alias="fact")
    lines: tuple[PublishedFigure, ...] = Field(alias="line", min_length=1, examples=[[EXAMPLE]])
    ratings: Annotated[tuple[Rating, ...], named_twice("endurance", "pattern")] = Field((), alias="endurance")
    unknowns: Annotated[tuple[Unknown, ...], also(solved_twice)] = Field((), alias="unknown")
    choices: Annotated[tuple[PermittedSettings, ...], named_twice("choice", "name")] = Field(
        (), alias="choice"
    )
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
        flash = next(
            (each.get("value") for _, each in _tables(table, "fact") if each.get("what") == "flash"), ""
        )
        if table.get("endurance") and not _FLASH.match(str(flash)):
            text = 'needs a [[fact]] with what = "flash" and its size, as in value = "64 dies of 1024 Gbit"'
            yield Wrong(("endurance",), text)
        for kind in ("fact", "line", "endurance"):
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
    def flash_bytes(self) -> int:
        """Capacity of all its dies, in bytes; 0 where the facts do not say it."""
        told = next((_FLASH.match(each.value) for each in self.facts if each.what == "flash"), None)
        return int(told[1]) * int(told[2]) * 2**27 if told else 0

    @property
    def device(self) -> Path | None:
        """The device file whose unknowns are solved; None where there is none."""
        return self._path.parent / self.device_named if self.device_named else None


def _tables(table: Mapping[str, Any], kind: str) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Give the tables of a kind, with their places."""
    for number, each in enumerate(listed(table.get(kind))):
        if isinstance(each, Mapping):
            yield number, each
