"""What a sheet does not say of a drive: unknowns with the range they are looked for in, and choices."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from reclaim._core import same_settings
from reclaim.bench.fields import check_keys, has_keys, kind_of, text_of
from reclaim.bench.lines import KeyPath
from reclaim.bench.mistakes import Mistakes
from reclaim.bench.tune_limits import quantity
from reclaim.bench.work import not_the_drive
from reclaim.instruments.flat_settings import below
from reclaim.layers import KIND
from reclaim.units import written

UNKNOWN = ("key", "from", "to", "why")
CHOICE = ("name", "set", "why")
NANOSECONDS = {"ns": 1, "us": 1_000, "µs": 1_000, "ms": 1_000_000, "s": 1_000_000_000}


class Unknown(NamedTuple):
    """A setting that is solved for, between two values above 0."""

    key: str
    low: float
    high: float
    """Both in `unit`."""
    unit: str
    """As a configuration writes it after the number."""
    why: str
    """Where the range comes from."""

    def number(self, place: float) -> float:
        """Give the value at a place: 0 is `low`, 1 is `high`, and equal steps are equal ratios.

        >>> Unknown("flash.t_read", 10.0, 1000.0, "us", "").number(0.5)
        100.0
        """
        return float(self.low * (self.high / self.low) ** place)

    def text(self, place: float) -> str:
        """Write that value as a configuration takes it: times in whole nanoseconds, others in five digits.

        >>> Unknown("flash.t_read", 10.0, 1000.0, "us", "").text(0.25)
        '31623ns'
        >>> Unknown("geometry.spare_factor", 5.0, 20.0, "%", "").text(0.5)
        '10%'
        """
        number = self.number(place)
        scale = NANOSECONDS.get(self.unit.strip())
        return f"{number:.5g}{self.unit}" if scale is None else f"{round(number * scale)}ns"

    def shown(self, place: float) -> str:
        """Write that value for a reader.

        >>> Unknown("flash.t_read", 10.0, 1000.0, "us", "").shown(0.25)
        '31.62 µs'
        """
        scale = NANOSECONDS.get(self.unit.strip())
        return self.text(place) if scale is None else written(self.number(place) * scale, "time")

    def range_text(self) -> str:
        """Write the declared range.

        >>> Unknown("flash.t_read", 10.0, 1000.0, "us", "").range_text()
        '10 µs to 1 ms'
        """
        return f"{self.shown(0)} to {self.shown(1)}"


class Choice(NamedTuple):
    """Settings that the sheet permits instead of those of the device file."""

    name: str
    settings: Mapping[str, str | int]
    why: str


def unknown_of(path: KeyPath, table: Mapping[str, Any], mistakes: Mistakes) -> Unknown | None:
    """Read an `[[unknown]]`; None, and what is wrong with it, where it is none."""
    check_keys(table, path, UNKNOWN, mistakes)
    if not has_keys(table, UNKNOWN, path, mistakes):
        return None
    ends = {key: quantity(str(table[key])) for key in ("from", "to") if not isinstance(table[key], bool)}
    low, high = ends.get("from"), ends.get("to")
    if low is None or high is None or low[1] != high[1] or not 0 < low[0] < high[0]:
        said = f"{kind_of(table['from'])} and {kind_of(table['to'])}"
        mistakes.add(
            path, f'needs from and to above 0, with one unit, the lower first, as in "20us", not {said}'
        )
        return None
    key, why = text_of(table, "key", path, mistakes), text_of(table, "why", path, mistakes)
    wrong = not_the_drive(key, "solved for") if key else ""
    if wrong:
        mistakes.add((*path, "key"), wrong)
    return Unknown(key, float(low[0]), float(high[0]), low[1], why)


def choice_of(path: KeyPath, table: Mapping[str, Any], mistakes: Mistakes) -> Choice | None:
    """Read a `[[choice]]`; None, and what is wrong with it, where it is none."""
    check_keys(table, path, CHOICE, mistakes)
    whole = has_keys(table, CHOICE, path, mistakes)
    settings = table.get("set", {})
    if not isinstance(settings, Mapping) or not all(
        isinstance(each, str | int) and not isinstance(each, bool) for each in settings.values()
    ):
        mistakes.add((*path, "set"), 'must be settings with their values, as in { "geometry.channels" = 24 }')
        return None
    for key in settings:
        wrong = not_the_drive(key, "chosen")
        if wrong:
            mistakes.add((*path, "set", key), wrong)
    if not whole:
        return None
    name, why = text_of(table, "name", path, mistakes), text_of(table, "why", path, mistakes)
    return Choice(name, dict(settings), why)


def check_together(
    unknowns: Sequence[tuple[int, Unknown]], choices: Sequence[tuple[int, Choice]], mistakes: Mistakes
) -> None:
    """Refuse what is there twice, and choices that set what is solved for.

    Args:
        unknowns: with the place of each in the sheet.
        choices: likewise.
        mistakes: where to note it.
    """
    for at, (place, unknown) in enumerate(unknowns):
        if any(_overlap(unknown.key, each.key) for _, each in unknowns[:at]):
            mistakes.add(("unknown", place, "key"), f'"{unknown.key}" is solved for already; name a key once')
    for at, (place, choice) in enumerate(choices):
        before = [each for _, each in choices[:at]]
        if any(each.name == choice.name for each in before):
            mistakes.add(("choice", place, "name"), f'there is a [[choice]] "{choice.name}" already')
        twin = next((each for each in before if dict(each.settings) == dict(choice.settings)), None)
        if twin is not None:
            mistakes.add(("choice", place, "set"), f'has the settings of the [[choice]] "{twin.name}"')
        for key in choice.settings:
            if any(_overlap(key, each.key) for _, each in unknowns):
                text = (
                    f'"{key}" is an [[unknown]], which is solved for in every choice; leave one of them out'
                )
                mistakes.add(("choice", place, "set", key), text)


def _overlap(key: str, other: str) -> bool:
    """Whether two keys set the same thing, in whole or in part."""
    key, other = key.removesuffix(KIND), other.removesuffix(KIND)
    return below(key, other) or below(other, key) or other in same_settings(key)


def place_of(unknown: Unknown, number: float) -> float:
    """Give the place of a value, the nearest end for one outside of the range.

    >>> place_of(Unknown("flash.t_read", 10.0, 1000.0, "us", ""), 100.0)
    0.5
    """
    place = math.log(number / unknown.low) / math.log(unknown.high / unknown.low)
    return min(1.0, max(0.0, place))
