"""What a sheet does not say of a drive: unknowns with the range they are looked for in, and choices."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Self

from pydantic import AfterValidator, Field, model_validator

from reclaim._core import same_settings
from reclaim.bench.tune_limits import Quantity
from reclaim.bench.work import not_the_drive
from reclaim.instruments.flat_settings import below
from reclaim.layers import KIND
from reclaim.sections import Section, Text, Wrong, listed, must
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

    key: Annotated[Text, AfterValidator(_of_the_drive)]
    start: Quantity = Field(alias="from", examples=["20us"])
    end: Quantity = Field(alias="to", examples=["100us"])
    why: Text
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


class Choice(Section):
    """Settings that the sheet permits instead of those of the device file."""

    name: Text
    settings: Annotated[dict[str, Any], AfterValidator(_settings)] = Field(
        alias="set", examples=[{"geometry.channels": 24}]
    )
    why: Text

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
