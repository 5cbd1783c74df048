"""What is to be fitted: a sheet, its drive, and the drives that its choices and unknowns make of it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from reclaim import output_file
from reclaim.device import Device
from reclaim.errors import InputError
from reclaim.study.fitting.solve import Places, Solution
from reclaim.study.measuring.plan import ComparedLine, Measurement
from reclaim.study.measuring.sheet import PermittedSettings, PublishedFigure, Sheet, Unknown, place_of
from reclaim.units import NANOSECONDS, quantity

AS_IT_IS = PermittedSettings.model_construct(name="as the device file", settings={}, why="")
DRIVES = "drives"
"""The folder of the drives that were tried."""
SCALES = {**NANOSECONDS, "%": 1, "": 1}
SET = "--set "
"""How a refused setting is told; here it stands in a sheet."""
MOST = 40
"""Drives that are tried for one choice if nothing else is said."""


@dataclass(frozen=True)
class FitPlan:
    """What is known before anything runs."""

    sheet: Sheet
    most: int

    @classmethod
    def of(cls, sheet: Sheet, most: int = MOST) -> FitPlan:
        """Check that a sheet has what it takes.

        Raises:
            InputError: for a sheet without device, unknown or fitted line, for keys that the drive does not
                have, and for choices that it refuses.
        """
        lacks = [
            (sheet.device is None, 'device is missing: the drive to fit, as in device = "../tlc.toml"'),
            (not sheet.unknowns, "has no [[unknown]]: a key that is solved for, with from, to and why"),
            (not any(each.use == "fitted" for each in sheet.lines), 'has no [[line]] with use = "fitted"'),
            (most < 1, f"--drives {most}: must be at least 1"),
        ]
        for wrong, text in lacks:
            if wrong:
                raise InputError(f"{sheet.file}: {text}")
        plan = cls(sheet, most)
        for each in sheet.unknowns:
            plan.check_number(each)
        for number, choice in enumerate(plan.choices):
            try:
                plan.drive(choice, plan.start)
            except InputError as error:
                where = f"[[choice]] {number}: " if number else "[[unknown]]: "
                raise InputError(f"{sheet.file}: {where}{str(error).removeprefix(SET)}") from None
        return plan

    @cached_property
    def device(self) -> Device:
        """The drive whose unknowns are solved."""
        return Device(str(self.sheet.device))

    @property
    def choices(self) -> tuple[PermittedSettings, ...]:
        """The drive as its file has it, and what the sheet permits instead."""
        return (AS_IT_IS, *self.sheet.choices)

    @property
    def fitted(self) -> list[PublishedFigure]:
        """Lines that unknowns are solved from."""
        return [each for each in self.sheet.lines if each.use == "fitted"]

    @property
    def start(self) -> Places:
        """The unknowns as the device file has them."""
        return tuple(
            place_of(each, number) if (number := self._present(each.key, each.unit)) else 0.5
            for each in self.sheet.unknowns
        )

    def check_number(self, unknown: Unknown) -> None:
        """See that what is solved for is a number of the drive, where the drive has it.

        Raises:
            InputError: with what it is.
        """
        value = self._value(unknown.key)
        first = value[0] if isinstance(value, list) and value else value
        if value is not None and (isinstance(first, bool) or quantity(str(first)) is None):
            what = "a section" if isinstance(value, Mapping) else f'"{value}"'
            text = f"{unknown.key} is {what} on this drive, not a number that can be solved for"
            raise InputError(f"{self.sheet.file}: [[unknown]]: {text}")

    def _value(self, key: str) -> object:
        value: object = self.device.config
        for part in key.split("."):
            value = value.get(part) if isinstance(value, Mapping) else None
        return value

    def _present(self, key: str, unit: str) -> float | None:
        """What the drive has, in the unit of the sheet; None where it is written otherwise."""
        value = self._value(key)
        found = quantity(str(value[0] if isinstance(value, list) else value))
        scale = None if found is None else SCALES.get(found[1].strip())
        if found is None or scale is None or unit.strip() not in SCALES:
            return None
        return float(found[0]) * scale / SCALES[unit.strip()]

    def settings(self, choice: PermittedSettings, places: Places) -> dict[str, str | int]:
        """Give what makes the drive of a choice and places out of that of the device file."""
        solved = {each.key: each.text(place) for each, place in zip(self.sheet.unknowns, places, strict=True)}
        return {**choice.settings, **solved}

    def drive(self, choice: PermittedSettings, places: Places) -> Device:
        """Make a drive.

        Raises:
            InputError: for settings that cannot be.
        """
        return self.device.with_settings(self.settings(choice, places))

    def file(self, folder: Path, choice: PermittedSettings, places: Places) -> Path:
        """Write the drive of a choice and places into a folder, under a name of its settings.

        Raises:
            InputError: for settings that cannot be, and for a file that cannot be written.
        """
        text = json.dumps(self.settings(choice, places), sort_keys=True)
        name = hashlib.sha256(text.encode()).hexdigest()[:12]
        path = folder / DRIVES / f"{name}.toml"
        if not path.is_file():
            made = self.drive(choice, places).to_toml()
            path.parent.mkdir(parents=True, exist_ok=True)
            output_file.write_text(path, made)
        return path


DETERMINED = 0.25
"""An unknown that can be in no more than this share of its range is determined."""


@dataclass(frozen=True)
class End:
    """A drive that the fitted lines permit, with as little or as much of an unknown as they do."""

    places: Places
    measured: Measurement


@dataclass(frozen=True)
class Fitted:
    """What came of one choice."""

    choice: PermittedSettings
    solution: Solution
    measured: Measurement
    """All lines of the sheet, by the drive of the solution."""
    ends: tuple[tuple[End, End], ...]
    """Of each unknown."""

    def permitted(self, unknown: int) -> tuple[float, float]:
        """Give the least and the greatest place of an unknown that was simulated and is permitted."""
        seen = [self.solution.places, *(each.places for pair in self.ends for each in pair)]
        return min(each[unknown] for each in seen), max(each[unknown] for each in seen)

    def predictions(self, line: PublishedFigure) -> list[float]:
        """Give what the drives that are permitted make of a line."""
        found = [self.measured, *(each.measured for pair in self.ends for each in pair)]
        return [each.figures[line.load].metric(line.metric) for each in found if line.load in each.figures]


@dataclass(frozen=True)
class Fit:
    """What came of a sheet."""

    plan: FitPlan
    folder: Path
    choices: tuple[Fitted, ...]
    damaged: tuple[str, ...] = ()
    """Of each stored point that was changed or incomplete: which it is, and why; it was run again."""

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

    def range_of(self, line: PublishedFigure) -> tuple[float, float]:
        """Give the least and the most that drives which are permitted make of a line."""
        values = [value for each in self.permitted for value in each.predictions(line)]
        return min(values), max(values)

    @property
    def held_out(self) -> list[ComparedLine]:
        """Held-out lines beside what the best drive makes of them."""
        return [each for each in self.best.measured.compared if each.line.use == "held-out"]

    def is_determined(self, unknown: int) -> bool:
        """Whether drives keep the fitted lines, and all that do have nearly the same of an unknown."""
        low, high = self.span(unknown)
        return self.fits and high - low <= DETERMINED
