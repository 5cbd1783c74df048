"""`reclaim device measure`: runs the loads of a measurement as an experiment, and takes their figures."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from reclaim import output_file
from reclaim.arguments import path as checked_path
from reclaim.bench.progress import Report
from reclaim.bench.run import sweep_into
from reclaim.bench.runner import How
from reclaim.bench.store import POINTS
from reclaim.bench.sweep import how_of
from reclaim.errors import InputError
from reclaim.instruments.measuring.figures import Figures, figures_of
from reclaim.instruments.measuring.matrix import Load
from reclaim.instruments.measuring.plan import Measured, Plan
from reclaim.instruments.measuring.sheet import Sheet
from reclaim.results.result import Result
from reclaim.signatures import checked

PLACE = "measure"
"""Its folder in that of the sweep."""
RESULT = "result.json"


def measure_into(
    plan: Plan, folder: Path, how: How | None = None, progress: Report | None = None, *, report: bool = True
) -> Measured:
    """Measure a drive: what is stored in the folder is not run again.

    Raises:
        InputError: for a folder that cannot be used; if no load could be run.
        KeyboardInterrupt: saying how far it came; what had ended is stored.
    """
    from reclaim.instruments.measuring.document import document
    from reclaim.instruments.measuring.report import PAGE, write_pictures, write_report

    place = folder / PLACE
    if report and place.is_dir():
        output_file.check_page(place / PAGE)
    swept = sweep_into(plan.experiment, folder, how, progress)
    failed = [f"{each['trace']}: {each['error']}" for each in swept.failures]
    broken = {each["point"] for each in swept.failures}
    by_name = {each.name: each for each in plan.loads}
    figures: dict[Load, Figures] = {}
    for point in plan.experiment.points():
        if point.id in broken:
            continue
        load = by_name[point.trace]
        figures[load] = figures_of(load, Result.load(folder / POINTS / point.id))
    if not figures:
        raise InputError("no load could be run: " + "; ".join(failed))
    place.mkdir(exist_ok=True)
    found = Measured(plan, place, figures, failed)
    output_file.write_text(place / RESULT, document(found))
    if report:
        write_report(found, place / PAGE)
        write_pictures(found, place)
    return found


@checked
def measure(
    device: str | Path,
    output: str | Path,
    *,
    matrix: str = "full",
    sheet: str | Path | None = None,
    workers: int | None = None,
    memory: str | None = None,
    progress: Report | None = None,
    force: bool = False,
    report: bool = False,
    accept_build: Sequence[str] = (),
) -> Measured:
    """Measure what a drive reaches under a matrix of loads, fresh and in the steady state.

    docs/measure.md has the rules.

    Args:
        device: a preset, or a device file.
        output: the folder where points are stored; called again with the same one, it goes on.
        matrix: `full`, `small`, or `sheet` for the lines of the sheet alone.
        sheet: published lines that are put beside what was measured.
        workers: points at the same time; one a core if not given. Figures do not depend on it.
        memory: what all runs may take together, as in `8GiB`; what is available if not given.
        progress: called about five times a second.
        force: use a folder that has other things.
        report: draw `measure/report.html` and the chart in the folder, as the command does.
        accept_build: other builds whose points count and whose workers may run some, as messages name them.

    Raises:
        InputError: for mistakes of the drive or the sheet; for a folder that cannot be used; if no load
            could be run.
        KeyboardInterrupt: with Ctrl-C; what had ended is stored.
    """
    how = how_of(
        workers=workers,
        dask=None,
        memory=memory,
        progress=progress,
        force=force,
        report=False,
        accept_build=accept_build,
    )
    read = None if sheet is None else Sheet.load(checked_path("sheet", sheet))
    plan = Plan(str(device), matrix, read)
    return measure_into(plan, checked_path("output", output), how, progress, report=report)
