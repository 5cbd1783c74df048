"""What came of a fit: the solution of every choice, and the drives at the ends of what is permitted."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from reclaim.instruments.fitting.plan import FitPlan
from reclaim.instruments.fitting.solve import Places, Solution
from reclaim.instruments.measuring.plan import Compared, Measured
from reclaim.instruments.measuring.sheet import Line
from reclaim.instruments.measuring.unknowns import Choice

DETERMINED = 0.25
"""An unknown that can be in no more than this share of its range is determined."""


@dataclass(frozen=True)
class End:
    """A drive that the fitted lines permit, with as little or as much of an unknown as they do."""

    places: Places
    measured: Measured


@dataclass(frozen=True)
class Fitted:
    """What came of one choice."""

    choice: Choice
    solution: Solution
    measured: Measured
    """All lines of the sheet, by the drive of the solution."""
    ends: tuple[tuple[End, End], ...]
    """Of each unknown."""

    def permitted(self, unknown: int) -> tuple[float, float]:
        """Give the least and the greatest place of an unknown that was simulated and is permitted."""
        seen = [self.solution.places, *(each.places for pair in self.ends for each in pair)]
        return min(each[unknown] for each in seen), max(each[unknown] for each in seen)

    def predictions(self, line: Line) -> list[float]:
        """Give what the drives that are permitted make of a line."""
        found = [self.measured, *(each.measured for pair in self.ends for each in pair)]
        return [each.figures[line.load].metric(line.metric) for each in found if line.load in each.figures]


@dataclass(frozen=True)
class Fit:
    """What came of a sheet."""

    plan: FitPlan
    folder: Path
    choices: tuple[Fitted, ...]

    @property
    def permitted(self) -> list[Fitted]:
        """Choices whose solution keeps the fitted lines; where none does, the nearest alone."""
        kept = [each for each in self.choices if each.solution.fits]
        return kept or [min(self.choices, key=lambda each: each.solution.worst)]

    @property
    def fits(self) -> bool:
        """Whether any choice keeps the fitted lines; without, `permitted` is only the nearest."""
        return any(each.solution.fits for each in self.choices)

    @property
    def best(self) -> Fitted:
        """The drive as its file has it where that may be the sheet's, else the first choice that may."""
        return self.permitted[0]

    def span(self, unknown: int) -> tuple[float, float]:
        """Give the least and the greatest place of an unknown, over all choices that may be the sheet's."""
        spans = [each.permitted(unknown) for each in self.permitted]
        return min(low for low, _ in spans), max(high for _, high in spans)

    def range_of(self, line: Line) -> tuple[float, float]:
        """Give the least and the most that drives which are permitted make of a line."""
        values = [value for each in self.permitted for value in each.predictions(line)]
        return min(values), max(values)

    @property
    def held_out(self) -> list[Compared]:
        """Held-out lines beside what the best drive makes of them."""
        return [each for each in self.best.measured.compared if each.line.use == "held-out"]

    def is_determined(self, unknown: int) -> bool:
        """Whether drives keep the fitted lines, and all that do have nearly the same of an unknown."""
        low, high = self.span(unknown)
        return self.fits and high - low <= DETERMINED
