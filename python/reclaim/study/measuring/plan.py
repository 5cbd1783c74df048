"""What is measured of a drive, and what came of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from reclaim.device import Device
from reclaim.errors import InputError
from reclaim.experiment.experiment import Experiment
from reclaim.study.measuring.figures import Figures, factor, predicted, twin
from reclaim.study.measuring.health_log import HealthLog
from reclaim.study.measuring.matrix import MATRICES, JobLoad, Room, description, matrix, settings
from reclaim.study.measuring.sheet import PublishedFigure, Sheet
from reclaim.suggestions import near


@dataclass(frozen=True)
class ComparedLine:
    """A line of a sheet beside what was measured."""

    line: PublishedFigure
    measured: float
    naive: float | None
    """What the naive predictor says; None for lines that are not held out, and without a closed form."""

    @property
    def error(self) -> float:
        """By how much the measured figure is off, in the published one: 0.1 is 10 % too high."""
        return self.measured / self.line.value - 1

    @property
    def naive_error(self) -> float | None:
        """The same of the naive predictor."""
        return None if self.naive is None else self.naive / self.line.value - 1


class MeasurePlan:
    """What is to be measured of a drive, before anything runs."""

    def __init__(
        self, source: str, name: str = "full", sheet: Sheet | None = None, logs: Sequence[HealthLog] = ()
    ) -> None:
        """Choose the loads: those of a matrix, of the sheet, and what the naive predictor needs.

        Raises:
            InputError: for an unknown matrix or drive, and for no load at all.
        """
        if name not in MATRICES:
            raise InputError(
                f"--matrix {name}: no such matrix; valid: {', '.join(MATRICES)}{near(name, MATRICES)}"
            )
        if name == "sheet" and sheet is None:
            raise InputError("--matrix sheet measures the lines of a sheet: give it with --sheet SHEET.toml")
        self.source = source
        self.sheet = sheet
        self.logs = logs
        self.device = Device(source)
        self.facts: Mapping[str, Any] = self.device.facts()
        lines = () if sheet is None else sheet.lines
        held_out = [twin(each.load) for each in lines if each.use == "held-out"]
        self.loads: list[JobLoad] = list(
            dict.fromkeys([*matrix(name), *(each.load for each in lines), *held_out])
        )

    @cached_property
    def experiment(self) -> Experiment:
        """The loads as the traces of an experiment, one point each."""
        logical, physical = int(self.facts["logical_pages"]), int(self.facts["physical_pages"])
        page = int(self.facts["raw_bytes"]) // physical
        room = Room(logical, physical - logical, page)
        for each in self.loads:
            if each.block * 4 > logical * page:
                raise InputError(f"{self.source}: too small for requests of {each.block} bytes")
        traces = [
            {"name": each.name, "generate": description(each, room), "set": settings(each)}
            for each in self.loads
        ]
        return Experiment.from_dict(
            {
                "name": f"{self.device.config['name']}-measured",
                "about": "what the drive reaches, load by load",
                "devices": [self.source],
                "traces": traces,
                "record": {"requests": True, "timeline": True},
            }
        )


@dataclass(frozen=True)
class Measurement:
    """What was measured of a drive."""

    plan: MeasurePlan
    folder: Path
    """Where the report and `result.json` are, in the folder that has the points."""
    figures: Mapping[JobLoad, Figures]
    failures: Sequence[str]
    """Of each load that could not be run: which, and why."""
    damaged: Sequence[str] = ()
    """Of each stored load that was changed or incomplete: which it is, and why; it was run again."""

    @property
    def name(self) -> str:
        """What the drive is called."""
        sheet = self.plan.sheet
        return str(self.plan.device.config["name"]) if sheet is None else sheet.name

    @cached_property
    def compared(self) -> list[ComparedLine]:
        """The lines of the sheet that were measured, in its order."""
        sheet = self.plan.sheet
        return [] if sheet is None else [found for each in sheet.lines if (found := self._compare(each))]

    def _compare(self, line: PublishedFigure) -> ComparedLine | None:
        if line.load not in self.figures:
            return None
        naive = None
        fresh = self.figures.get(twin(line.load))
        times = self.plan.facts["heavy_load"]["write_amplification"]
        if line.use == "held-out" and fresh is not None and times is not None:
            naive = predicted(line.metric, fresh.metric(line.metric), factor(line.load, float(times)))
        return ComparedLine(line, self.figures[line.load].metric(line.metric), naive)
