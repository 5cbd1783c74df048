"""`reclaim device fit`: solves the unknowns of a drive from its sheet, and predicts what is held out."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Unpack

from reclaim import output_file, output_folder
from reclaim.arguments import checked, path
from reclaim.errors import InputError
from reclaim.report.document import Document
from reclaim.study.fitting.plan import DRIVES, MOST, End, Fit, FitPlan, Fitted
from reclaim.study.fitting.solve import (
    TOLERANCE,
    Places,
    Solution,
    corrected,
    extremes,
    rounded,
    solve,
)
from reclaim.study.measuring.matrix import JobLoad
from reclaim.study.measuring.measure import MeasureStudy
from reclaim.study.measuring.plan import Measurement, MeasurePlan
from reclaim.study.measuring.sheet import PermittedSettings, Sheet
from reclaim.study.study import Report, RunOptions, Study, StudyOptions, carry_out

DEVICE = "fitted.toml"
RUNS = "runs"
KIND = "device fit"
"""What its folder says that it is of."""
HALVINGS, CORRECTIONS = 4, 3
"""An end that breaks a fitted line is corrected so often, and moved half the way to the solution so often."""


class _Fitting:
    """Simulates drives of a plan; what is stored in the folder is not run again."""

    def __init__(self, plan: FitPlan, folder: Path, options: RunOptions, progress: Report | None) -> None:
        self._plan = plan
        self.folder = folder
        self._options = replace(options, report=False)
        self._progress = progress
        self.damaged: list[str] = []

    def _measure(self, plan: MeasurePlan, name: str, loads: Sequence[JobLoad]) -> Measurement:
        plan.loads = list(dict.fromkeys(loads))
        found = MeasureStudy(plan).run(self.folder / RUNS / name, self._options, self._progress)
        self.damaged += found.damaged
        return found

    def _plan_of(self, choice: PermittedSettings, places: Places) -> tuple[str, MeasurePlan]:
        """The name of a drive, and all that is measured of it."""
        file = self._plan.file(self.folder, choice, places)
        return file.stem, MeasurePlan(str(file), "sheet", self._plan.sheet)

    def _fitted_lines(self, choice: PermittedSettings, places: Places) -> Measurement:
        name, plan = self._plan_of(choice, places)
        return self._measure(plan, f"{name}-fitted", [each.load for each in self._plan.fitted])

    def run(self, choice: PermittedSettings, places: Places) -> Measurement:
        """Measure all lines of the sheet; the fitted ones have been measured to solve it."""
        fitted = self._fitted_lines(choice, places)
        name, plan = self._plan_of(choice, places)
        others = [each for each in plan.loads if each not in fitted.figures]
        if not others:
            return fitted
        rest = self._measure(plan, f"{name}-others", others)
        return replace(
            rest, figures={**fitted.figures, **rest.figures}, failures=[*fitted.failures, *rest.failures]
        )

    def residuals(self, choice: PermittedSettings, places: Places) -> list[float]:
        """Give how far the fitted lines are off, as logarithms."""
        lines = self._plan.fitted
        found = self._fitted_lines(choice, places)
        if found.failures:
            raise InputError("; ".join(found.failures))
        return [math.log(found.figures[each.load].metric(each.metric) / each.value) for each in lines]

    def fitted(self, choice: PermittedSettings) -> Fitted:
        """Solve one choice, and look how far the unknowns can go."""
        solution = solve(lambda places: self.residuals(choice, places), self._plan.start, self._plan.most)
        ends = [
            (self._end(choice, solution, unknown, low), self._end(choice, solution, unknown, high))
            for unknown, (low, high) in enumerate(extremes(solution))
        ]
        return Fitted(choice, solution, self.run(choice, solution.places), tuple(ends))

    def _end(self, choice: PermittedSettings, solution: Solution, unknown: int, wanted: Places) -> End:
        """Go as far to an end as the fitted lines really permit; drives are not as straight as they look.

        The unknown stays where it is wanted, and the others are moved until the lines are kept; where that
        does not come about, half the way is tried.
        """
        room = max(TOLERANCE, solution.worst) * (1 + 1e-9)
        for _ in range(HALVINGS):
            at = wanted
            for _ in range(CORRECTIONS):
                off = self.residuals(choice, at)
                if max(map(abs, off)) <= room:
                    return End(at, self.run(choice, at))
                at = corrected(solution, unknown, at, off)
            wanted = rounded((near + far) / 2 for near, far in zip(solution.places, wanted, strict=True))
        return End(solution.places, self.run(choice, solution.places))


@contextmanager
def _begun(folder: Path, *, force: bool) -> Iterator[None]:
    """Hold a folder that is new, empty, or of an earlier fit, and say in it what it is of.

    Raises:
        InputError: if it has something else, unless that is forced.
    """

    def refused() -> str | None:
        other = output_folder.of_another_kind(folder, KIND)
        # Those of before had no manifest.
        ours = output_folder.made_by(folder) == KIND or (folder / DRIVES).is_dir()
        if not ours and not other and (strange := sorted(folder.iterdir())):
            other = f"{folder}: is not empty, and no fit wrote what is in it ({strange[0].name})"
        if other is not None and not force:
            return f"{other}; give another folder, or --force"
        if not ours:
            about = output_folder.identity(KIND)
            # No list of files: a run must not take the folder for one that it may replace.
            content = {"fit": about.pop("reclaim"), **about}
            output_file.write_text(folder / output_folder.MANIFEST, json.dumps(content, indent=2) + "\n")
        return None

    with output_folder.held(folder, refused, "a fit"):
        yield


class FitStudy(Study[_Fitting, Fit]):
    """The unknowns of a drive, solved from the fitted lines of its sheet."""

    page = "fit.html"
    result = "fit.json"
    drawn = ("fit-unknowns.png", "fit-lines.png")
    announced = False

    def __init__(self, plan: FitPlan) -> None:
        """Take what is to be fitted."""
        self._plan = plan

    @property
    def name(self) -> str:
        """What the sheet is called."""
        return self._plan.sheet.name

    def cost(self, folder: Path | None = None) -> list[str]:
        """Say how many drives are tried at most, and of how many lines."""
        del folder
        plan = self._plan
        counts = f"{len(plan.choices)} choices, {plan.most} drives each at most to solve them"
        return [f"{counts}; {len(plan.fitted)} fitted lines of {len(plan.sheet.lines)} a drive"]

    @contextmanager
    def opened(self, folder: Path, options: RunOptions, progress: Report | None) -> Iterator[_Fitting]:
        """Take a folder that is new, empty, or of an earlier fit.

        Raises:
            InputError: if it has something else.
        """
        with _begun(folder, force=options.force):
            yield _Fitting(self._plan, folder, options, progress)

    def judge(self, points: _Fitting) -> Fit:
        """Solve every choice.

        Raises:
            InputError: for a drive that cannot be run.
        """
        fitted = tuple(points.fitted(each) for each in self._plan.choices)
        return Fit(self._plan, points.folder, fitted, tuple(points.damaged))

    def document(self, result: Fit) -> Document:
        """Tell the conclusion first, then what it is drawn from."""
        from reclaim.study.fitting.report import document

        return document(result)

    def files(self, result: Fit) -> dict[str, str]:
        """Give the drive that was found, and all figures as JSON."""
        from reclaim.study.fitting.report import result as result_of

        best = result.best
        drive = self._plan.drive(best.choice, best.solution.places)
        return {DEVICE: drive.to_toml(), self.result: result_of(result)}

    def ending(self, result: Fit, folder: Path) -> list[str]:
        """Say where the result is, and the drive."""
        return [*super().ending(result, folder), f"the drive: {folder / DEVICE}"]


@checked
def fit(
    sheet: str | Path,
    output: str | Path,
    *,
    drives: int = MOST,
    **options: Unpack[StudyOptions],
) -> Fit:
    """Solve the unknowns of a drive from the fitted lines of its sheet; predict those that are held out.

    docs/fit.md has the rules.

    Args:
        sheet: a sheet with a device, unknowns and fitted lines.
        output: the folder where points are stored; called again with the same one, it goes on.
        drives: how many may be tried for each choice.
        workers: points at the same time; one a core if not given. Figures do not depend on it.
        dask: address of a Dask scheduler (`tcp://…`) whose workers run the points.
        memory: what all runs may take together, as in `8GiB`; what is available if not given.
        progress: called about five times a second.
        force: use a folder that has other things.
        report: draw `fit.html` and its charts in the folder, as the command does.
        accept_build: other builds whose points count and whose workers may run some, as messages name them.
        retry: run points again that have ended a process, as out of memory.

    Raises:
        InputError: for mistakes of the sheet and its drive; for a folder that cannot be used; for a drive
            that cannot be run.
        KeyboardInterrupt: with Ctrl-C; what had ended is stored.
    """
    return carry_out(lambda: FitStudy(FitPlan.of(Sheet.load(path("sheet", sheet)), drives)), output, options)
