"""What a paper prints: its claims, each with where it stands and how our figure for it is computed."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal, get_args

from pydantic import Field, PlainValidator, StrictBool, StrictFloat, StrictInt

from reclaim.paper.entries import ListOf, finite
from reclaim.sections import Section, Words, Wrong, must

Kind = Literal["value", "ratio", "order", "shape"]
Better = Literal["lower", "higher", ""]
Form = Literal["value", "ratio", "speed-up", "reduction", "increase"]
Over = Literal["mean", "geomean", "median", "min", "max"]
Holds = Literal["all", "most", "mean"]
Shape = Literal["rises", "falls", "flat"]
Origin = Literal["paper", "program", "formula", "own"]
Class = Literal["performance", "comparison", "design", "arithmetic", "own"]

KINDS: tuple[Kind, ...] = get_args(Kind)
CLASSES: Mapping[Class, str] = {
    "performance": "simulated figures beside printed digits",
    "comparison": "orders, shapes and directions",
    "design": "what restates a configuration or a mechanism, true by construction",
    "arithmetic": "what follows from printed numbers without a drive",
    "own": "closed forms, questions of our own, logs of other programs",
}
"""What a claim is of. Agreements of different classes are never added up."""

ROUNDING = 1e-9
"""Of our own arithmetic, as a share."""


def _claimed(given: object) -> float | str:
    """A number, or what is claimed in words."""
    if isinstance(given, str) and given.strip():
        return given
    number = finite(given)
    if number is None:
        raise must("a number, or what is claimed in words")
    return number


def _on_axis(given: object) -> str:
    if isinstance(given, bool) or not isinstance(given, str | int | float):
        raise must("a value of an axis")
    return str(given)


class Measure(Section):
    """How our figure follows from the points of an experiment."""

    experiment: Words
    """Its name under `[levels]` of the paper."""
    metric: Words
    """Column of points.parquet."""
    scheme: Words
    baseline: ListOf[Words] = ()
    """What the scheme is compared with; of several, the best in each cell."""
    form: Form = "value"
    """The scheme's `value`, its `ratio` to the baseline, or `speed-up`, baseline / scheme.

    `reduction` is 1 - ratio, `increase` is ratio - 1."""
    over: Over = "mean"
    """Statistic over the workloads."""
    workloads: ListOf[Words] = ()
    """Names of the traces; empty for all workloads of the paper."""
    where: Mapping[str, Annotated[str, PlainValidator(_on_axis)]] = Field(default_factory=dict)
    """Axis to value; also `device`."""
    vary: Words = ""
    """`axis=value` if the claim is about a variation; empty for the default cell."""
    along: Words = ""
    """The axis along which a shape is claimed."""
    holds: Holds = "all"
    """In which workloads an order is claimed to hold."""
    shape: Shape = "flat"


class Contradiction(Section):
    """Why a claim contradicts what the paper itself prints; `papers/contradictions.py` computes it."""

    of: Literal["mean", "sd", "sum", "min", "max", "ratio", "difference"]
    """Statistic of the numbers."""
    says: Words
    claims: ListOf[Words] = ()
    """Ids of claims, or patterns of ids, whose numbers they are."""
    without: ListOf[Words] = ()
    printed: ListOf[Words] = ()
    """Numbers as printed that are no claims."""
    must: Words = ""
    """For a claim in words: what the statistic would have to be, as in `>= 1`."""


@dataclass(frozen=True)
class Proof:
    """What the computation of a contradiction gives."""

    holds: bool
    """Whether the printed numbers contradict the claim."""
    shown: str
    """The computation, for a reader."""


WAYS = ("measure", "figure", "outside", "missing", "repeats")
"""How a claim can be judged: exactly one of these, or by a contradiction alone."""


class PrintedClaim(Section):
    """One thing that a paper prints, as `expected.toml` has it."""

    id: Words
    what: Words
    where: Words
    kind: Kind
    value: Annotated[float | str, PlainValidator(_claimed)]
    """The printed number; of an order or a shape, what is claimed in our words."""
    printed: Words = ""
    """The number as printed: its digits give the precision."""
    unit: Words = ""
    better: Better = ""
    tolerance: StrictFloat = Field(0.0, ge=0, allow_inf_nan=False)
    """Share of the printed value by which ours may differ beside the printed precision."""
    reading_error: StrictFloat | None = Field(None, ge=0, allow_inf_nan=False)
    """Of a number read off a drawing: how far off the reading may be. It takes the place of the precision."""
    group: Words = ""
    """The table or figure it belongs to."""
    measure: Measure | None = None
    figure: Words = ""
    """Name of the figure of the paper's own module, instead of a measure."""
    outside: Words = ""
    """Why no run of this simulator can decide it."""
    missing: Words = ""
    """What Reclaim lacks so far to run it."""
    contradiction: Contradiction | None = None
    repeats: Words = ""
    """Id of the claim that prints the same thing elsewhere."""
    remark: Words = ""
    origin: Origin = "paper"
    open: Words = ""
    """Which choice our figure hangs on, where that is none of the paper's: then it has no agreement yet."""
    artefact: Words = ""
    """What else produces the printed number: repository, commit and function, or the derivation."""

    @classmethod
    def mistakes_in(cls, table: Mapping[str, Any], _context: Any, /) -> Iterable[Wrong]:
        """See that its value and its measure are of its kind, and that it is judged in one way."""
        kind, value, ways = table.get("kind"), table.get("value"), [way for way in WAYS if way in table]
        if isinstance(value, str) and kind in ("value", "ratio") and "outside" not in table:
            yield Wrong(("value",), f'"{value}" is not a number, as kind = "{kind}" needs')
        if finite(value) is not None and kind in ("order", "shape"):
            yield Wrong(("value",), f"{value} is not a text: say in words what is claimed")
        printed = table.get("printed")
        if finite(value) is not None and isinstance(printed, str) and not re.search(r"\d", printed):
            yield Wrong(("printed",), f'"{printed}" has no digits, and they are its precision')
        if len(ways) != 1 and not ("contradiction" in table and not ways):
            said = " and ".join(ways) or "nothing"
            text = f"says {said} of how it is judged; it needs one of measure, figure, repeats, outside (why "
            yield Wrong((), f"{text}no run can decide it), missing (what Reclaim lacks)")
        if isinstance(table.get("measure"), Mapping):
            yield from (Wrong(("measure",), text) for text in _unlike(str(kind), table["measure"]))


def _unlike(kind: str, measure: Mapping[str, Any]) -> Iterable[str]:
    """Say what a measure lacks for a claim of a kind."""
    form = measure.get("form", "value")
    if (form != "value" or kind == "order") and "baseline" not in measure:
        yield f'form = "{form}" of a claim of kind "{kind}" needs a baseline'
    if kind == "ratio" and form == "value":
        yield 'a claim of kind "ratio" needs a form: ratio, speed-up, reduction or increase'
    if measure.get("over") == "geomean" and form in ("reduction", "increase"):
        yield f'over = "geomean": form = "{form}" may be negative; use mean or median'
    if kind == "shape" and "along" not in measure:
        yield "a shape is claimed along an axis: along = …"


class ClaimClass(Section):
    """Some claims, and the class that they are of: a `[[class]]` of `expected.toml`."""

    of_class: Class = Field(alias="class")
    why: Words
    """Why they are of that class."""
    claims: ListOf[Words] = ()
    """Ids or patterns of ids; empty for any."""
    groups: ListOf[Words] = ()
    kinds: ListOf[Kind] = ()
    relative: StrictBool = False
    """Whether the printed value compares two runs, though it is printed as a value."""
    error_of: Literal["", "amplification", "tails", "means"] = ""
    """Of which metrics the figure of a module is made."""
    rests_on: Words = ""
    """From which experiment."""

    def fits(self, claim: PrintedClaim) -> bool:
        """Whether a claim is one of them."""
        named = not self.claims or any(fnmatch.fnmatchcase(claim.id, each) for each in self.claims)
        grouped = not self.groups or claim.group in self.groups
        return named and grouped and (not self.kinds or claim.kind in self.kinds)

    @classmethod
    def mistakes_in(cls, table: Mapping[str, Any], _context: Any, /) -> Iterable[Wrong]:
        """See that what it rests on has metrics."""
        if "rests_on" in table and "error_of" not in table:
            yield Wrong((), "rests_on says of which experiment, and error_of must say of which metrics")


class Claim(PrintedClaim):
    """A claim with its class, and with what it takes from the one that it repeats."""

    of_class: Class = "performance"
    why_class: str = ""
    relative: bool = False
    error_of: str = ""
    rests_on: str = ""
    proof: Proof | None = None
    """Of its contradiction."""

    @classmethod
    def mistakes_in(cls, _table: Mapping[str, Any], _context: Any, /) -> Iterable[Wrong]:
        """Find nothing: the file was read."""
        return ()

    @property
    def neutral(self) -> float:
        """The value of a ratio that means no difference."""
        return (
            0.0
            if self.unit == "%" or (self.measure and self.measure.form in ("reduction", "increase"))
            else 1.0
        )

    @property
    def is_absolute(self) -> bool:
        """Whether it is a figure by itself, as another trace would hardly give it again."""
        return self.kind == "value" and self.of_class == "performance" and not self.relative

    @property
    def measurement(self) -> tuple[object, ...]:
        """What is measured, and what is printed of it: claims that share both are counted once."""
        if self.measure is None and not self.figure:
            return (self.repeats or self.id,)
        # Words differ from place to place; what is asked of the figure does not.
        value = self.value if isinstance(self.value, float) else self.better
        return (repr(self.measure), self.figure, value, self.unit)

    @property
    def half_unit(self) -> float:
        """How far off the number itself may be: half a unit of the last digit, or the error of reading it."""
        if self.reading_error is not None:
            return self.reading_error
        return half_unit(self.printed) if isinstance(self.value, float) else 0.0

    @property
    def band(self) -> tuple[float, float]:
        """Least and largest figure that count as the printed one."""
        value = float(self.value)
        room = self.half_unit + self.tolerance * abs(value)
        return value - room, value + room

    def matches(self, value: float) -> bool:
        """Whether a figure is the printed one within precision and tolerance, both ends included."""
        low, high = self.band
        slack = ROUNDING * max(abs(low), abs(high))
        return low - slack <= value <= high + slack

    @property
    def side(self) -> int:
        """On which side of no difference the printed ratio lies: 1 above, -1 below, 0 on neither."""
        if self.kind != "ratio":
            return 0
        away = float(self.value) - self.neutral
        return 0 if abs(away) <= self.half_unit else 1 if away > 0 else -1


def half_unit(printed: str) -> float:
    """Half a unit of the last digit of a printed number.

    >>> half_unit("0.27"), half_unit("21,374"), half_unit("25.4 %")
    (0.005, 0.5, 0.05)
    """
    digits = "".join(each for each in printed if each.isdigit() or each == ".")
    _, _, decimals = digits.rstrip(".").partition(".")
    return 0.5 * float(f"1e-{len(decimals)}")


class Family(Section):
    """Many claims of one kind whose numbers the paper's own module brings, such as the rows of a formula."""

    id: Words
    group: Words
    """What the module calls them."""
    what: Words
    where: Words
    count: StrictInt = Field(ge=1)
    """How many there are at every level."""
    origin: Origin = "formula"


@dataclass(frozen=True)
class Expected:
    """Everything a paper prints."""

    claims: tuple[Claim, ...]
    families: tuple[Family, ...]
    groups: Mapping[str, str]
    """Tables and figures: name to heading."""
