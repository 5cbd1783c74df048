"""`reclaim device measure`: runs the loads of a measurement as an experiment, and takes their figures."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Unpack

from reclaim.arguments import checked, path
from reclaim.errors import InputError
from reclaim.experiment.build import Tell
from reclaim.report.document import Document
from reclaim.study.measuring.figures import Figures, figures_of
from reclaim.study.measuring.health_log import HealthLog
from reclaim.study.measuring.matrix import JobLoad
from reclaim.study.measuring.plan import Measurement, MeasurePlan
from reclaim.study.measuring.sheet import Sheet
from reclaim.study.runner import Runner
from reclaim.study.study import StudyOptions, carry_out
from reclaim.study.sweep import Sweep, SweepStudy


class MeasureStudy(SweepStudy[Measurement]):
    """What a drive reaches under some loads: the points of a sweep, and their figures beside a sheet."""

    place = "measure"
    drawn = ("errors.png", "steady.png")
    announced = False

    def __init__(self, plan: MeasurePlan, tell: Tell | None = None) -> None:
        """Make the points.

        Raises:
            InputError: for mistakes of the drive.
        """
        super().__init__(Sweep(plan.experiment, tell))
        self._plan = plan

    def judge(self, points: Runner) -> Measurement:
        """Run every load, and take its figures.

        Raises:
            InputError: if no load could be run.
        """
        swept = self._sweep.judge(points)
        failures = [f"{each['trace']}: {each['error']}" for each in swept.failures]
        broken = {each["point"] for each in swept.failures}
        by_name = {each.name: each for each in self._plan.loads}
        figures: dict[JobLoad, Figures] = {}
        for point in self._plan.experiment.points():
            if point.id not in broken:
                load = by_name[point.trace]
                figures[load] = figures_of(load, points.store.result(point.id))
        if not figures:
            raise InputError("no load could be run: " + "; ".join(failures))
        return Measurement(self._plan, swept.folder / self.place, figures, failures, swept.damaged)

    def document(self, result: Measurement) -> Document:
        """Tell the conclusion first, then what it is drawn from."""
        from reclaim.study.measuring.report import document

        return document(result)

    def files(self, result: Measurement) -> dict[str, str]:
        """Give every figure as JSON."""
        from reclaim.study.measuring.report import result as result_of

        return {self.result: result_of(result)}

    def outcome(self, result: Measurement) -> tuple[int, str]:
        """Give 1 if a load could not be run."""
        return (1, f"{len(result.failures)} loads could not be run") if result.failures else (0, "")


@checked
def measure(
    device: str | Path,
    output: str | Path,
    *,
    matrix: str = "full",
    sheet: str | Path | None = None,
    smart: str | Path | Sequence[str | Path] = (),
    **options: Unpack[StudyOptions],
) -> Measurement:
    """Measure what a drive reaches under a matrix of loads, fresh and in the steady state.

    docs/measure.md has the rules.

    Args:
        device: a preset, or a device file.
        output: the folder where points are stored; called again with the same one, it goes on.
        matrix: `full`, `small`, or `sheet` for the lines of the sheet alone.
        sheet: published lines that are put beside what was measured.
        smart: files with log pages of a real drive (SMART, Endurance Group, OCP C0h), as text or JSON.
        workers: points at the same time; one a core if not given. Figures do not depend on it.
        dask: address of a Dask scheduler (`tcp://…`) whose workers run the points.
        worker_timeout: after how many seconds without a word a worker of it is given up; 60 if not given.
        memory: what all runs may take together, as in `8GiB`; what is available if not given.
        progress: called about five times a second.
        force: use a folder that has other things.
        report: draw `measure/report.html` and the chart in the folder, as the command does.
        accept_build: other builds whose points count and whose workers may run some, as messages name them.
        retry: run points again that have ended a process, as out of memory.

    Raises:
        InputError: for mistakes of the drive, the sheet or a log page; for a folder that cannot be used; if
            no load could be run.
        KeyboardInterrupt: with Ctrl-C; what had ended is stored.
    """

    def made() -> MeasureStudy:
        read = None if sheet is None else Sheet.load(path("sheet", sheet))
        files = [smart] if isinstance(smart, str | Path) else smart
        logs = [HealthLog.load(path("smart", each)) for each in files]
        return MeasureStudy(MeasurePlan(str(device), matrix, read, logs))

    return carry_out(made, output, options)
