"""Constraints and search ranges of `[tune]`, as text: "write_p99_9_ns <= 5 ms", from "1%" to "10%"."""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Annotated, NamedTuple, Self

from pydantic import Field, PlainValidator, StrictFloat, WithJsonSchema, model_validator

from reclaim.bench.fields import check_metric
from reclaim.mistakes import valid
from reclaim.sections import Section, must
from reclaim.units import NANOSECONDS

WRITTEN = re.compile(
    r"\s*(?P<metric>\w+)\s*(?P<sign>[<>=!≤≥]+)\s*(?P<number>\d{1,18}(?:\.\d{1,18})?)\s*(?P<unit>\S*)\s*"
)
SIGNS = {"<=": True, "≤": True, ">=": False, "≥": False}
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


def limit_of(given: object) -> Limit:
    """Read a constraint.

    Raises:
        ValueError: if it is none.
    """
    match = WRITTEN.fullmatch(given) if isinstance(given, str) else None
    if match is None:
        raise must(f"a metric, <= or >=, and a number, as in {EXAMPLE}")
    if match["sign"] not in SIGNS:
        raise ValueError(f'"{match["sign"]}" is no sign of a constraint; valid: <=, >=')
    value = float(match["number"]) * _factor(check_metric(match["metric"]), match["unit"])
    return Limit(match["metric"], SIGNS[match["sign"]], value, " ".join(str(given).split()))


def _factor(metric: str, unit: str) -> float:
    """What a unit makes of a number for the column of a metric.

    Raises:
        ValueError: if the metric has another.
    """
    from reclaim.results.sets.metrics import describe

    kind = describe(metric).kind
    plain: Mapping[str, float] = {"": 1.0}
    units = NANOSECONDS if kind == "time" else SHARES if kind == "share" else plain
    if unit in units:
        return units[unit]
    if kind == "time":
        needs = f'needs a time with its unit, as in "{metric} <= 5 ms"'
        raise ValueError(f"{needs}; {valid(unit, units)}" if unit else needs)
    wanted = "a number, or one with %" if kind == "share" else "a number without a unit"
    raise ValueError(f'"{unit}": {metric} is {wanted}')


def _quantity(given: object) -> tuple[Decimal, str]:
    number = quantity(str(given)) if isinstance(given, str | int | float) else None
    if number is None or isinstance(given, bool):
        raise must('a number, or text of one with its unit, as in "5%"')
    return number


Quantity = Annotated[
    tuple[Decimal, str], PlainValidator(_quantity), WithJsonSchema({"type": ["string", "number"]})
]


class Range(Section):
    """Values from one to another, in steps or by a factor."""

    start: Quantity = Field(alias="from")
    end: Quantity = Field(alias="to")
    step: Quantity | None = None
    factor: Annotated[StrictFloat, Field(gt=1)] | None = None

    @model_validator(mode="after")
    def _counts(self) -> Self:
        """See that there is a way from one end to the other, of some values and not too many."""
        given = [each for each in (self.start, self.end, self.step) if each is not None]
        units = dict.fromkeys(unit for _, unit in given)
        if (self.step is None) == (self.factor is None):
            raise ValueError(f"needs from, to, and one of step and factor, as in {RANGE}")
        if len(units) > 1:
            both = " and ".join(f'"{unit}"' for unit in units)
            raise ValueError(f"has values in {both}; give all of them the same unit")
        if self.step is not None and self.step[0] <= 0:
            raise ValueError("step must be above 0")
        if self.factor is not None and self.start[0] <= 0:
            raise ValueError("from must be above 0, if a factor counts")
        many = len(self.values)
        if not 2 <= many <= MOST_VALUES:
            few = ("no values", "one value alone")[many] if many < 2 else "more than 1,000 values"
            raise ValueError(f"has {few}; a range has from 2 to {MOST_VALUES:,}, as in {RANGE}")
        return self

    @property
    def values(self) -> tuple[str, ...]:
        """The values in order, as a configuration takes them; one too many where there are too many."""
        values: list[str] = []
        number, unit = self.start
        while number <= self.end[0] and len(values) <= MOST_VALUES:
            values.append(with_unit(number, unit))
            number = number * Decimal(str(self.factor)) if self.step is None else number + self.step[0]
        return tuple(values)


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
