"""Constraints and search ranges of `[tune]`, as text: "write_p99_9_ns <= 5 ms", from "1%" to "10%"."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any, NamedTuple

from reclaim.bench.fields import check_keys, kind_of
from reclaim.bench.lines import KeyPath
from reclaim.bench.metric_names import check_metric
from reclaim.bench.mistakes import Mistakes, valid

WRITTEN = re.compile(
    r"\s*(?P<metric>\w+)\s*(?P<sign>[<>=!≤≥]+)\s*(?P<number>\d{1,18}(?:\.\d{1,18})?)\s*(?P<unit>\S*)\s*"
)
SIGNS = {"<=": True, "≤": True, ">=": False, "≥": False}
TIMES = {"ns": 1.0, "us": 1e3, "µs": 1e3, "ms": 1e6, "s": 1e9}
SHARES = {"": 1.0, "%": 0.01}
EXAMPLE = '"gc_nand_write_amplification <= 2" or "write_p99_9_ns <= 5 ms"'
QUANTITY = re.compile(r"(?P<number>-?\d{1,18}(?:\.\d{1,18})?)(?P<gap>\s*)(?P<unit>[^\d\s]*)")
MOST_VALUES = 1000
RANGE = '{ from = "2%", to = "10%", step = "1%" } or { from = 1, to = 64, factor = 2 }'


class Limit(NamedTuple):
    """What a metric may be at most, or must be at least."""

    metric: str
    """A column of the table of points."""
    at_most: bool
    value: float
    """In the unit of the column."""
    text: str
    """As the file has it."""

    def excess(self, value: float) -> float:
        """By which share of the limit a value breaks it; 0 or less where it does not.

        >>> Limit("x", True, 2.0, "").excess(3.0), Limit("x", False, 2.0, "").excess(3.0)
        (0.5, -0.5)
        """
        over = value - self.value if self.at_most else self.value - value
        return over / abs(self.value) if self.value else over


def read_limit(given: object, place: KeyPath, mistakes: Mistakes) -> Limit | None:
    """Read a constraint; None, and a mistake, where it is none."""
    found = WRITTEN.fullmatch(given) if isinstance(given, str) else None
    if found is None:
        mistakes.add(
            place, f"must be a metric, <= or >=, and a number, as in {EXAMPLE}, not {kind_of(given)}"
        )
        return None
    if found["sign"] not in SIGNS:
        mistakes.add(place, f'"{found["sign"]}" is no sign of a constraint; valid: <=, >=')
        return None
    before = len(mistakes.found) + len(mistakes.more)
    check_metric(found["metric"], place, mistakes)
    if len(mistakes.found) + len(mistakes.more) > before:
        return None
    factor = _factor(found["metric"], found["unit"], place, mistakes)
    if factor is None:
        return None
    value = float(found["number"]) * factor
    return Limit(found["metric"], SIGNS[found["sign"]], value, " ".join(str(given).split()))


def _factor(metric: str, unit: str, place: KeyPath, mistakes: Mistakes) -> float | None:
    """What a unit makes of a number for the column of a metric; None, and a mistake, if it has another."""
    from reclaim.results.sets.metrics import describe

    kind = describe(metric).kind
    units = TIMES if kind == "time" else SHARES if kind == "share" else {"": 1.0}
    if unit in units:
        return units[unit]
    if kind == "time":
        said = f'needs a time with its unit, as in "{metric} <= 5 ms"'
        mistakes.add(place, f"{said}; {valid(unit, units)}" if unit else said)
    else:
        plain = "a number, or one with %" if kind == "share" else "a number without a unit"
        mistakes.add(place, f'"{unit}": {metric} is {plain}')
    return None


def range_values(table: Mapping[str, Any], place: KeyPath, mistakes: Mistakes) -> list[str]:
    """Give the values of a range in order, as a configuration takes them; none, and a mistake, if it is none.

    Args:
        table: `from` and `to`, and `step` or `factor`: numbers, or text of a number with its unit.
        place: where it stands.
        mistakes: what is wrong with it.
    """
    check_keys(table, place, ("from", "to", "step", "factor"), mistakes)
    if "from" not in table or "to" not in table or ("step" in table) == ("factor" in table):
        mistakes.add(place, f"needs from, to, and one of step and factor, as in {RANGE}")
        return []
    named = [key for key in ("from", "to", "step") if key in table]
    ends = {key: _quantity(table[key], (*place, key), mistakes) for key in named}
    known = {key: each for key, each in ends.items() if each is not None}
    if len(known) < len(ends):
        return []
    units = dict.fromkeys(unit for _, unit in known.values())
    if len(units) > 1:
        said = " and ".join(f'"{unit}"' for unit in units)
        mistakes.add(place, f"has values in {said}; give all of them the same unit")
        return []
    numbers = _numbers(table, known, place, mistakes)
    if numbers is not None and not 2 <= len(numbers) <= MOST_VALUES:
        many = (
            ("no values", "one value alone")[len(numbers)] if len(numbers) < 2 else "more than 1,000 values"
        )
        mistakes.add(place, f"has {many}; a range has from 2 to {MOST_VALUES:,}, as in {RANGE}")
        return []
    return [with_unit(number, known["from"][1]) for number in numbers or []]


def _numbers(
    table: Mapping[str, Any], known: Mapping[str, tuple[Decimal, str]], place: KeyPath, mistakes: Mistakes
) -> list[Decimal] | None:
    """Count from one end of a range to the other; None, and a mistake, where there is no way to."""
    first, last = known["from"][0], known["to"][0]
    if "step" in known:
        step = known["step"][0]
        if step > 0:
            return _counted(first, last, lambda number: number + step)
        mistakes.add((*place, "step"), f"must be above 0, not {table['step']}")
        return None
    given = table["factor"]
    is_number = isinstance(given, int | float) and not isinstance(given, bool)
    ratio = Decimal(str(given)) if is_number else Decimal(0)
    if ratio > 1 and first > 0:
        return _counted(first, last, lambda number: number * ratio)
    mistakes.add((*place, "factor"), f"must be a number above 1, and from above 0, not {kind_of(given)}")
    return None


def _counted(first: Decimal, last: Decimal, following: Callable[[Decimal], Decimal]) -> list[Decimal]:
    found: list[Decimal] = []
    number = first
    while number <= last and len(found) <= MOST_VALUES:
        found.append(number)
        number = following(number)
    return found


def _quantity(given: object, place: KeyPath, mistakes: Mistakes) -> tuple[Decimal, str] | None:
    found = quantity(str(given)) if isinstance(given, str | int | float) else None
    if found is None or isinstance(given, bool):
        mistakes.add(
            place, f'must be a number, or text of one with its unit, as in "5%", not {kind_of(given)}'
        )
        return None
    return found


def quantity(text: str) -> tuple[Decimal, str] | None:
    """Take a value apart: its number, and its unit with what stands between the two; None if it is none.

    >>> quantity("2.5%"), quantity("2 blocks"), quantity("off")
    ((Decimal('2.5'), '%'), (Decimal('2'), ' block'), None)
    """
    found = QUANTITY.fullmatch(text.strip())
    if found is None:
        return None
    unit = "block" if found["unit"] == "blocks" else found["unit"]
    return Decimal(found["number"]), (found["gap"] + unit if unit else "")


def with_unit(number: Decimal, unit: str) -> str:
    """Write a value as a configuration takes it.

    >>> with_unit(Decimal("2.50"), "%"), with_unit(Decimal(2), " block")
    ('2.5%', '2 blocks')
    """
    return f"{plain(number)}{unit}" + ("s" if unit.strip() == "block" and number != 1 else "")


def plain(number: Decimal) -> str:
    """Write a number without an exponent and without zeros at its end.

    >>> plain(Decimal("10")), plain(Decimal("2.50")), plain(Decimal("1E+2"))
    ('10', '2.5', '100')
    """
    text = f"{number:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
