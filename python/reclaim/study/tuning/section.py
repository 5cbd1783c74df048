"""The section `[tune]`: which scheme is tuned, by which figures, on which runs, and on which it is judged."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from decimal import Decimal
from functools import partial
from typing import Annotated, Any, Literal, NamedTuple, Self

from pydantic import (
    AfterValidator,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    PlainValidator,
    StrictBool,
    StrictFloat,
    StrictInt,
    Tag,
    ValidationInfo,
    WithJsonSchema,
    field_validator,
    model_validator,
)

from reclaim.experiment.fields import (
    Budget,
    Metrics,
    Patterns,
    SchemeName,
    Seed,
    StudySection,
    TraceName,
    budget_of,
    budget_schema,
    check_metric,
    named,
)
from reclaim.experiment.parts import FileParts, setting_text
from reclaim.experiment.work import not_the_drive
from reclaim.layers import is_same
from reclaim.mistakes import Mistakes, valid
from reclaim.parsing import toml_value
from reclaim.sections import Section, Wrong, must, together
from reclaim.units import NANOSECONDS, quantity, with_unit

WRITTEN = re.compile(
    r"\s*(?P<metric>\w+)\s*(?P<sign>[<>=!≤≥]+)\s*(?P<number>\d{1,18}(?:\.\d{1,18})?)\s*(?P<unit>\S*)\s*"
)
SIGNS = {"<=": True, "≤": True, ">=": False, "≥": False}
SHARES = {"": 1.0, "%": 0.01}
EXAMPLE = '"gc_nand_write_amplification <= 2" or "write_p99_9_ns <= 5 ms"'
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
    from reclaim.result.sets.metrics import describe

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


SECTION = "tune"
JUDGE_ON = "judge_on"
Sampler = Literal["tpe", "random"]
UNITS = "trials?|points?|min|h"
WANTED = 'a number of trials or points, or a time, as in "40 trials", "400 points", "20 min"'
ON = {"traces": ["varmail"], "repeats": [0]}


def _first_scheme(given: Any, info: ValidationInfo) -> Any:
    """What is tuned where nothing is named."""
    return given or next(iter(named(info).schemes), "")


def _repeat(number: int, info: ValidationInfo) -> int:
    count = named(info).repeats
    if not 0 <= number < count:
        has = "one repeat, 0" if count == 1 else f"repeats 0 to {count - 1}"
        raise ValueError(f"{number} is no repeat; the experiment has {has}: [repeats] count gives it more")
    return number


class Extent(Section):
    """Runs of an experiment: some traces, some repeats."""

    model_config = ConfigDict(json_schema_extra={"minProperties": 1})
    traces: tuple[TraceName, ...] = Field((), min_length=1, examples=[ON["traces"]])
    """Names (default: all)."""
    repeats: tuple[Annotated[StrictInt, Field(ge=0), AfterValidator(_repeat)], ...] = Field(
        (), min_length=1, examples=[ON["repeats"]]
    )
    """Numbers, from 0 (default: those that the other does not have)."""

    @classmethod
    def mistakes_in(cls, table: Mapping[str, Any], _context: Any, /) -> Iterable[Wrong]:
        """See that it says something."""
        if not table:
            yield Wrong(
                (), f"must name traces or repeats or both, as in {toml_value(ON)}, not an empty table"
            )

    def whole(self, traces: tuple[str, ...], repeats: Iterable[int]) -> Self:
        """Give it with what it leaves out."""
        named = {"traces": self.traces or traces, "repeats": self.repeats or tuple(repeats)}
        return self.model_copy(update={key: tuple(dict.fromkeys(each)) for key, each in named.items()})


def _range_or_list(given: object) -> str | None:
    if isinstance(given, Mapping):
        return "a range" if {"from", "to"} & set(given) else None
    return "a list" if isinstance(given, list) and len(given) > 1 else None


Searched = Annotated[
    Annotated[Range, Tag("a range")] | Annotated[tuple[Any, ...], Field(min_length=2), Tag("a list")],
    Discriminator(
        _range_or_list,
        custom_error_type="must",
        custom_error_message="a list of two values or more, or a range, under the whole key in quotes, "
        f'as in "gc.pages_in_flight" = [1, 4] or {RANGE}',
    ),
]


class Tune(StudySection):
    """What `reclaim tune` tunes: parameters of one scheme of this experiment."""

    scheme: Annotated[SchemeName, BeforeValidator(_first_scheme)] = Field("", validate_default=True)
    """Name of the scheme that is tuned (default: the first)."""
    objective: Metrics = Field(max_length=4, examples=[["read_p99_9_ns"]])
    """Columns of points.parquet; of several, a Pareto front."""
    constraints: tuple[
        Annotated[Limit, PlainValidator(limit_of), WithJsonSchema({"type": "string"})], ...
    ] = ()
    """As "gc_nand_write_amplification <= 2"."""
    budget: Annotated[
        Budget,
        PlainValidator(partial(budget_of, units=UNITS, wanted=WANTED)),
        WithJsonSchema(budget_schema(UNITS)),
    ] = Field(Budget(trials=40), json_schema_extra={"default": "40 trials"})
    """Of the search: "40 trials", "400 points", "20 min", or a list of these."""
    overlap: StrictBool = False
    """Judge on what it is tuned on."""
    tune_on: Extent = Field(examples=[ON])
    """Runs that trials are chosen by (repeats: [0])."""
    judge_on: Extent = Field(examples=[{"traces": ["sqlite"]}])
    """Other runs, on which what was found is judged."""
    around: StrictBool = True
    """Move each parameter of what is found."""
    keys: Patterns = ()
    """Patterns of keys with declared alternatives to search."""
    without: Patterns = ()
    """Patterns of keys that are not searched."""
    search: dict[str, Searched] = Field({}, examples=[{"gc.pages_in_flight": [1, 4]}])
    """Values of a key in place of its declared alternatives: a list, or a range."""
    sampler: Sampler = "tpe"
    """What proposes."""
    batch: StrictInt = Field(4, ge=1, le=1000)
    """Trials that are proposed before the first of them is known."""
    seed: Seed = 1
    """Of what proposes."""

    @field_validator("tune_on")
    @classmethod
    def _tuned(cls, extent: Extent, info: ValidationInfo) -> Extent:
        return extent.whole(named(info).traces, [0])

    @field_validator("judge_on")
    @classmethod
    def _judged(cls, extent: Extent, info: ValidationInfo) -> Extent:
        """Fill in the other repeats, and refuse to judge a scheme on runs that it was tuned on."""
        tuned = info.data.get("tune_on")
        count = range(named(info).repeats)
        traces = extent.traces or named(info).traces
        shared = [each for each in traces if tuned and each in tuned.traces]
        left = [each for each in count if not (shared and tuned and each in tuned.repeats)]
        extent = extent.whole(traces, left or count)
        repeats = [each for each in extent.repeats if tuned and each in tuned.repeats]
        if shared and repeats and not info.data.get("overlap", True):
            both = ", ".join(f'"{each}"' for each in shared)
            shown = f"repeat{'s' if len(repeats) > 1 else ''} {', '.join(map(str, repeats))}"
            text = f"is tuned on {both}, {shown}, too, so that chance would be taken for a gain"
            how = "name other traces or repeats ([repeats] count gives more), or set overlap = true"
            raise ValueError(f"{text}; {how}")
        return extent

    @field_validator("search")
    @classmethod
    def _values(cls, search: dict[str, Searched], info: ValidationInfo) -> dict[str, Searched]:
        """Write values as a configuration takes them."""
        wrong: list[Wrong] = []
        texts: dict[str, Searched] = {}
        for key, values in search.items():
            refused = not_the_drive(key, "tuned")
            twin = next((other for other in texts if is_same(key, other)), None)
            if refused:
                wrong.append(Wrong((key,), refused))
            elif twin is not None:
                both = f"says what {twin} says, which is searched already; search one of them"
                wrong.append(Wrong((key,), both))
            texts[key] = values if isinstance(values, Range) else _texts(key, values, info, wrong)
        checked: dict[str, Searched] = together(texts, lambda made: made, wrong)
        return checked

    @classmethod
    def check(cls, section: Self | None, parts: FileParts, mistakes: Mistakes) -> None:
        """See that it is one drive under workloads."""
        del section
        if len(parts.devices) > 1:
            mistakes.add(("devices",), f"names {len(parts.devices)} drives; a scheme is tuned for one")
        for axis in parts.axes:
            if not axis.crossed:
                text = "is varied alone; of a tuning, [axes] are workloads: use that"
                mistakes.add(("vary", axis.name), text)

    @property
    def values(self) -> dict[str, tuple[str, ...]]:
        """Values of the keys that are searched over some that the file gives, as `--set` takes them."""
        return {key: each.values if isinstance(each, Range) else each for key, each in self.search.items()}

    @property
    def ranges(self) -> frozenset[str]:
        """Keys of `search` whose values are a range, in order."""
        return frozenset(key for key, each in self.search.items() if isinstance(each, Range))


def _texts(key: str, values: Iterable[Any], info: ValidationInfo, wrong: list[Wrong]) -> tuple[str, ...]:
    texts: list[str] = []
    for number, value in enumerate(values):
        try:
            texts.append(setting_text(key, value, named(info).base))
        except ValueError as error:
            wrong.append(Wrong((key, number), str(error)))
    twice = next((each for at, each in enumerate(texts) if each in texts[:at]), None)
    if twice is not None:
        wrong.append(Wrong((key,), f'lists "{twice}" twice; give every value once, and two at least'))
    return tuple(texts)
