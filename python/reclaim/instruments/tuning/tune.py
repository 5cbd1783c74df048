"""`reclaim.tune`: the best parameters of a scheme for some runs, judged on others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reclaim import output_file
from reclaim.arguments import path
from reclaim.bench.experiment import Experiment
from reclaim.bench.progress import Report
from reclaim.bench.runner import How
from reclaim.bench.sweep import experiment_of, how_of
from reclaim.device import Device
from reclaim.instruments.runs import running
from reclaim.instruments.tuning.device_file import NAME, device_of, files_of
from reclaim.instruments.tuning.document import document
from reclaim.instruments.tuning.plan import Prepared
from reclaim.instruments.tuning.study import Study, Tuned
from reclaim.instruments.tuning.words import conclusion, notes
from reclaim.signatures import checked

PLACE = "tune"
"""Its folder in that of the sweep."""
RESULT = "result.json"


@dataclass(frozen=True)
class Tuning:
    """What came of a tuning, and where it is."""

    tuned: Tuned
    folder: Path
    """Where result, report and device files are, in the folder that has the points."""

    @property
    def conclusion(self) -> str:
        """What was found, in some sentences."""
        return conclusion(self.tuned)

    @property
    def notes(self) -> list[str]:
        """What must be known beside that."""
        return notes(self.tuned)

    @property
    def values(self) -> dict[str, str] | None:
        """Keys in which what was found differs from the scheme as it is; None where nothing was found."""
        return None if self.tuned.found is None else dict(self.tuned.found.values)

    @property
    def device(self) -> Device | None:
        """The drive that was found; None where nothing was.

        Raises:
            InputError: for a drive that only the settings of a trace make possible.
        """
        return None if self.tuned.found is None else device_of(self.tuned, self.tuned.found)


def tune_into(prepared: Prepared, folder: Path, how: How, progress: Report | None = None) -> Tuning:
    """Run a tuning in the folder of the experiment's sweep, and write what was found.

    Raises:
        InputError: for a folder that cannot be used; if the scheme itself cannot be run.
        KeyboardInterrupt: saying how far it came; what had ended is stored.
    """
    from reclaim.instruments.tuning.report import PAGE, PICTURES, write_pictures, write_report

    with running(prepared.experiment, PLACE, prepared.points, folder, how, progress) as runs:
        place = runs.place
        if how.report and place.is_dir():
            output_file.check_page(place / PAGE)
        found = Tuning(Study(prepared, runs).go(), place)
        # What an earlier budget found is no longer what was found.
        old = [NAME, *PICTURES, *(each.name for each in place.glob("trial-*.toml"))]
        old += [PAGE] if output_file.is_page(place / PAGE) else []
        for name in old:
            (place / name).unlink(missing_ok=True)
        for name, text in files_of(found.tuned).items():
            output_file.write_text(place / name, text)
        output_file.write_text(place / RESULT, document(found.tuned))
        if how.report:
            write_report(found.tuned, place / PAGE)
            write_pictures(found.tuned, place)
    return found


@checked
def tune(
    experiment: Experiment | str | Path | Mapping[str, Any],
    output: str | Path,
    *,
    workers: int | None = None,
    dask: str | None = None,
    memory: str | None = None,
    progress: Report | None = None,
    force: bool = False,
    report: bool = False,
    accept_build: Sequence[str] = (),
) -> Tuning:
    """Search the parameters of a scheme on some runs of an experiment, and judge what is found on others.

    The experiment has a section `[tune]`; docs/tune.md has the rules.

    Args:
        experiment: an experiment file, its content as a mapping, or an `Experiment`.
        output: the folder where points are stored, that of the experiment's sweep if there is one; called
            again with the same one, it goes on.
        workers: points at the same time; one a core if not given. What is found does not depend on it.
        dask: address of a Dask scheduler (`tcp://…`) whose workers run the points.
        memory: what all runs may take together, as in `8GiB`; what is available if not given.
        progress: called about five times a second.
        force: use a folder that has other things.
        report: draw `tune/report.html` and the charts in the folder, as the command does.
        accept_build: other builds whose points count and whose workers may run some, as messages name them.

    Raises:
        InputError: for mistakes of the experiment, all of them; for a folder that cannot be used; if the
            scheme itself cannot be run; without the extra `tune`, where the sampler needs Optuna.
        KeyboardInterrupt: with Ctrl-C; what had ended is stored.
    """
    how = how_of(
        workers=workers,
        dask=dask,
        memory=memory,
        progress=progress,
        force=force,
        report=report,
        accept_build=accept_build,
    )
    folder = path("output", output)
    return tune_into(Prepared(experiment_of(experiment)), folder, how, progress)
