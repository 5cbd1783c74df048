"""What a paper prints: its claims, each with where it stands and how our figure for it is computed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Kind = Literal["value", "ratio", "order", "shape"]
Better = Literal["lower", "higher", ""]
Form = Literal["value", "ratio", "speed-up", "reduction", "increase"]
Over = Literal["mean", "geomean", "median", "min", "max"]
Holds = Literal["all", "most", "mean"]
Shape = Literal["rises", "falls", "flat"]
Origin = Literal["paper", "program", "formula", "own"]
Class = Literal["performance", "comparison", "design", "arithmetic", "own"]

KINDS: tuple[Kind, ...] = ("value", "ratio", "order", "shape")
BETTER: tuple[Better, ...] = ("lower", "higher", "")
FORMS: tuple[Form, ...] = ("value", "ratio", "speed-up", "reduction", "increase")
OVER: tuple[Over, ...] = ("mean", "geomean", "median", "min", "max")
HOLDS: tuple[Holds, ...] = ("all", "most", "mean")
SHAPES: tuple[Shape, ...] = ("rises", "falls", "flat")
ORIGINS: Mapping[Origin, str] = {
    "paper": "claims of the paper",
    "program": "figures of a published program",
    "formula": "closed forms and enumerations",
    "own": "questions of our own",
}
"""Whose the expected figure is."""
CLASSES: Mapping[Class, str] = {
    "performance": "simulated figures beside printed digits",
    "comparison": "orders, shapes and directions",
    "design": "what restates a configuration or a mechanism, true by construction",
    "arithmetic": "what follows from printed numbers without a drive",
    "own": "closed forms, questions of our own, logs of other programs",
}
"""What a claim is of. Verdicts of different classes are never added up."""

ROUNDING = 1e-9
"""Of our own arithmetic, as a share."""


@dataclass(frozen=True)
class Measure:
    """How our figure follows from the points of an experiment."""

    experiment: str
    """Its name under `[levels]` of the paper."""
    metric: str
    """Column of points.parquet."""
    scheme: str
    baseline: tuple[str, ...] = ()
    """What the scheme is compared with; of several, the best in each cell."""
    form: Form = "value"
    """The scheme's `value`, its `ratio` to the baseline, or `speed-up`, baseline / scheme.

    `reduction` is 1 - ratio, `increase` is ratio - 1."""
    over: Over = "mean"
    """Statistic over the workloads."""
    workloads: tuple[str, ...] = ()
    """Names of the traces; empty for all workloads of the paper."""
    where: Mapping[str, str] = field(default_factory=dict)
    """Axis to value; also `device`."""
    vary: str = ""
    """`axis=value` if the claim is about a variation; empty for the default cell."""
    along: str = ""
    """The axis along which a shape is claimed."""
    holds: Holds = "all"
    """In which workloads an order is claimed to hold."""
    shape: Shape = "flat"


@dataclass(frozen=True)
class Contradiction:
    """Why a claim contradicts what the paper itself prints; `papers/contradictions.py` computes it."""

    of: str
    """Statistic of the numbers: mean, sd, sum, min, max, ratio, difference."""
    values: tuple[tuple[str, float, float], ...]
    """Name, value and half a unit of the last printed digit."""
    says: str
    must: tuple[str, float] | None = None
    """For a claim in words: what the statistic would have to be, as in (">=", 1)."""


@dataclass(frozen=True)
class Claim:
    """One thing that a paper prints."""

    id: str
    what: str
    where: str
    kind: Kind
    value: float | str
    """The printed number; of an order or a shape, what is claimed in our words."""
    printed: str = ""
    """The number as printed: its digits give the precision."""
    unit: str = ""
    better: Better = ""
    tolerance: float = 0.0
    """Share of the printed value by which ours may differ beside the printed precision."""
    reading_error: float | None = None
    """Of a number read off a drawing: how far off the reading may be. It takes the place of the precision."""
    group: str = ""
    """The table or figure it belongs to."""
    measure: Measure | None = None
    figure: str = ""
    """Name of the figure of the paper's own module, instead of a measure."""
    outside: str = ""
    """Why no run of this simulator can decide it."""
    missing: str = ""
    """What Reclaim lacks so far to run it."""
    contradiction: Contradiction | None = None
    repeats: str = ""
    """Id of the claim that prints the same thing elsewhere."""
    remark: str = ""
    origin: Origin = "paper"
    open: str = ""
    """Which choice our figure hangs on, where that is none of the paper's: then it has no verdict yet."""
    of_class: Class = "performance"
    why_class: str = ""
    """Why it is of that class."""
    relative: bool = False
    """Whether the printed value compares two runs, though it is printed as a value."""
    error_of: str = ""
    """Of which metrics the figure of a module is made: amplification, means or tails."""
    rests_on: str = ""
    """From which experiment."""
    artefact: str = ""
    """What else produces the printed number: repository, commit and function, or the derivation."""

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


@dataclass(frozen=True)
class Family:
    """Many claims of one kind whose numbers the paper's own module brings, such as the rows of a formula."""

    id: str
    group: str
    """What the module calls them."""
    what: str
    where: str
    count: int
    """How many there are at every level."""
    origin: Origin = "formula"


@dataclass(frozen=True)
class Expected:
    """Everything a paper prints."""

    claims: tuple[Claim, ...]
    families: tuple[Family, ...]
    groups: Mapping[str, str]
    """Tables and figures: name to heading."""
