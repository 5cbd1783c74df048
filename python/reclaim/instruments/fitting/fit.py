"""`reclaim device fit`: solves the unknowns of a drive from its sheet, and predicts what is held out."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from reclaim import output_file, output_folder
from reclaim.arguments import path as checked_path
from reclaim.bench.progress import Report
from reclaim.bench.runner import How
from reclaim.bench.sweep import how_of
from reclaim.errors import InputError
from reclaim.instruments.fitting.found import End, Fit, Fitted
from reclaim.instruments.fitting.plan import DRIVES, MOST, FitPlan
from reclaim.instruments.fitting.solve import (
    TOLERANCE,
    Places,
    Solution,
    corrected,
    extremes,
    rounded,
    solve,
)
from reclaim.instruments.measuring.matrix import Load
from reclaim.instruments.measuring.measure import measure_into
from reclaim.instruments.measuring.plan import Measured, Plan
from reclaim.instruments.measuring.sheet import Sheet
from reclaim.instruments.measuring.unknowns import Choice
from reclaim.signatures import checked

RESULT, DEVICE = "fit.json", "fitted.toml"
RUNS = "runs"
KIND = "device fit"
"""What its folder says that it is of."""
HALVINGS, CORRECTIONS = 4, 3
"""An end that breaks a fitted line is corrected so often, and moved half the way to the solution so often."""


class _Fitting:
    """Simulates drives of a plan; what is stored in the folder is not run again."""

    def __init__(self, plan: FitPlan, folder: Path, how: How, progress: Report | None) -> None:
        self._plan = plan
        self._folder = folder
        self._how = how
        self._progress = progress

    def _measure(self, plan: Plan, name: str, loads: Sequence[Load]) -> Measured:
        plan.loads = list(dict.fromkeys(loads))
        return measure_into(plan, self._folder / RUNS / name, self._how, self._progress, report=False)

    def _plan_of(self, choice: Choice, places: Places) -> tuple[str, Plan]:
        """The name of a drive, and all that is measured of it."""
        file = self._plan.file(self._folder, choice, places)
        return file.stem, Plan(str(file), "sheet", self._plan.sheet)

    def _fitted_lines(self, choice: Choice, places: Places) -> Measured:
        name, plan = self._plan_of(choice, places)
        return self._measure(plan, f"{name}-fitted", [each.load for each in self._plan.fitted])

    def run(self, choice: Choice, places: Places) -> Measured:
        """Measure all lines of the sheet; the fitted ones have been measured to solve it."""
        fitted = self._fitted_lines(choice, places)
        name, plan = self._plan_of(choice, places)
        others = [each for each in plan.loads if each not in fitted.figures]
        if not others:
            return fitted
        rest = self._measure(plan, f"{name}-others", others)
        return replace(
            rest, figures={**fitted.figures, **rest.figures}, failed=[*fitted.failed, *rest.failed]
        )

    def residuals(self, choice: Choice, places: Places) -> list[float]:
        """Give how far the fitted lines are off, as logarithms."""
        lines = self._plan.fitted
        found = self._fitted_lines(choice, places)
        if found.failed:
            raise InputError("; ".join(found.failed))
        return [math.log(found.figures[each.load].metric(each.metric) / each.value) for each in lines]

    def fitted(self, choice: Choice) -> Fitted:
        """Solve one choice, and look how far the unknowns can go."""
        solution = solve(lambda places: self.residuals(choice, places), self._plan.start, self._plan.most)
        ends = [
            (self._end(choice, solution, unknown, low), self._end(choice, solution, unknown, high))
            for unknown, (low, high) in enumerate(extremes(solution))
        ]
        return Fitted(choice, solution, self.run(choice, solution.places), tuple(ends))

    def _end(self, choice: Choice, solution: Solution, unknown: int, wanted: Places) -> End:
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


def _begin(folder: Path) -> None:
    """Take a folder that is new, empty, or of an earlier fit, and say so in it.

    Raises:
        InputError: if it has something else.
    """
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder}: is a file; a fit is written to a folder")
    try:
        other = output_folder.of_another_kind(folder, KIND)
        # Those of before had no manifest.
        ours = output_folder.made_by(folder) == KIND or (folder / DRIVES).is_dir()
        if folder.is_dir() and not ours and not other and (strange := sorted(folder.iterdir())):
            other = f"{folder}: is not empty, and no fit wrote what is in it ({strange[0].name})"
        if other is not None:
            raise InputError(f"{other}; give another folder")
        folder.mkdir(parents=True, exist_ok=True)
        if not ours:
            about = output_folder.identity(KIND)
            # No list of files: a run must not take the folder for one that it may replace.
            content = {"fit": about.pop("reclaim"), **about}
            output_file.write_text(folder / output_folder.MANIFEST, json.dumps(content, indent=2) + "\n")
    except OSError as error:
        raise InputError(f"{folder}: cannot write a fit here: {error.strerror or error}") from None


def fit_into(
    plan: FitPlan,
    folder: Path,
    how: How | None = None,
    progress: Report | None = None,
    *,
    report: bool = True,
) -> Fit:
    """Fit a drive: what is stored in the folder is not run again.

    Raises:
        InputError: for a folder that cannot be used; for a drive that cannot be run; without the extra `fit`.
        KeyboardInterrupt: saying how far it came; what had ended is stored.
    """
    from reclaim.instruments.fitting.document import document
    from reclaim.instruments.fitting.report import PAGE, write_report

    _begin(folder)
    if report:
        output_file.check_page(folder / PAGE)
    fitting = _Fitting(plan, folder, how or How(), progress)
    found = Fit(plan, folder, tuple(fitting.fitted(each) for each in plan.choices))
    best = found.best
    output_file.write_text(folder / DEVICE, plan.drive(best.choice, best.solution.places).to_toml())
    output_file.write_text(folder / RESULT, document(found))
    if report:
        write_report(found, folder)
    return found


@checked
def fit(
    sheet: str | Path,
    output: str | Path,
    *,
    drives: int = MOST,
    workers: int | None = None,
    memory: str | None = None,
    progress: Report | None = None,
    report: bool = False,
    accept_build: Sequence[str] = (),
) -> Fit:
    """Solve the unknowns of a drive from the fitted lines of its sheet; predict those that are held out.

    docs/fit.md has the rules.

    Args:
        sheet: a sheet with a device, unknowns and fitted lines.
        output: the folder where points are stored; called again with the same one, it goes on.
        drives: how many may be tried for each choice.
        workers: points at the same time; one a core if not given. Figures do not depend on it.
        memory: what all runs may take together, as in `8GiB`; what is available if not given.
        progress: called about five times a second.
        report: draw `fit.html` and its charts in the folder, as the command does.
        accept_build: other builds whose points count and whose workers may run some, as messages name them.

    Raises:
        InputError: for mistakes of the sheet and its drive; for a folder that cannot be used; for a drive
            that cannot be run; without the extra `fit`.
        KeyboardInterrupt: with Ctrl-C; what had ended is stored.
    """
    how = how_of(
        workers=workers,
        dask=None,
        memory=memory,
        progress=progress,
        force=False,
        report=False,
        accept_build=accept_build,
    )
    plan = FitPlan.of(Sheet.load(checked_path("sheet", sheet)), drives)
    return fit_into(plan, checked_path("output", output), how, progress, report=report)
