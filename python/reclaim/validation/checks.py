"""What a check is, and how the runs of one become rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from statistics import fmean, stdev
from typing import Any, Literal

Unit = Literal["ratio", "ns", "bytes/s", "count"]
Heartbeat = Callable[..., None]
"""Called now and then by whatever takes long; raises when it should stop."""


@dataclass(frozen=True)
class Level:
    """How much is simulated: more pages and runs take noise away, and leave the tolerances as they are."""

    name: str
    pages: int
    """Pages of the drives whose write amplification is measured."""
    capacities: float
    """How often such a drive is overwritten while it is measured."""
    seeds: int
    """Runs of each of those; random victims always have at least two."""
    queueing_runs: int
    """Runs of each queueing experiment. Many rather than long ones: their spread tells the noise."""


QUICK = Level("quick", pages=1 << 17, capacities=4, seeds=1, queueing_runs=2)
NORMAL = Level("normal", pages=1 << 18, capacities=4, seeds=2, queueing_runs=4)
FULL = Level("full", pages=1 << 19, capacities=6, seeds=4, queueing_runs=16)


@dataclass(frozen=True)
class ExpectedFigure:
    """One figure of one run, and what it should be."""

    name: str
    measured: float
    expected: float
    tolerance: float
    """Largest relative deviation that passes; 0 asks for equality."""
    unit: Unit
    details: Mapping[str, float] = field(default_factory=dict)
    """What else a reader wants to know, such as the spare factors."""


@dataclass(frozen=True)
class Check:
    """Runs that differ in their seed, and give the same points in the same order."""

    group: str
    run: Callable[[int, Heartbeat], list[ExpectedFigure]]
    seeds: int = 1
    against: str = "formula"
    """What is expected comes from a formula, or from another simulator."""


@dataclass(frozen=True)
class CheckedFigure:
    """One figure, averaged over the runs of its check."""

    group: str
    name: str
    unit: Unit
    measured: float
    expected: float
    deviation: float
    """Measured over expected, less 1."""
    noise: float | None
    """Standard error of the deviation, from its spread over the seeds; None for less than three."""
    tolerance: float
    passed: bool
    details: Mapping[str, float]
    against: str
    """Where `expected` comes from."""

    def to_dict(self) -> dict[str, Any]:
        """Give the row as plain values."""
        return asdict(self)


def rows_of(check: Check, runs: Sequence[Sequence[ExpectedFigure]]) -> list[CheckedFigure]:
    """Average the runs of a check.

    >>> point = ExpectedFigure("mean wait", 101.0, 100.0, 0.01, "ns")
    >>> [(row.deviation, row.passed) for row in rows_of(Check("queue", lambda _, __: []), [[point]])]
    [(0.01, True)]
    """
    return [_row(check, points) for points in zip(*runs, strict=True)]


def _row(check: Check, points: Sequence[ExpectedFigure]) -> CheckedFigure:
    first = points[0]
    measured = fmean(point.measured for point in points)
    expected = fmean(point.expected for point in points)
    deviation = round(measured / expected - 1, 12)
    each = [point.measured / point.expected for point in points]
    return CheckedFigure(
        group=check.group,
        name=first.name,
        unit=first.unit,
        measured=measured,
        expected=expected,
        deviation=deviation,
        noise=stdev(each) / len(each) ** 0.5 if len(each) > 2 else None,
        tolerance=first.tolerance,
        passed=abs(deviation) <= first.tolerance,
        details={key: fmean(point.details[key] for point in points) for key in first.details},
        against=check.against,
    )
