"""`reclaim.sweep` and `reclaim.compare`: experiments from Python."""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reclaim import builds
from reclaim.arguments import function, names, path, shown, switch, text, whole
from reclaim.bench.experiment import Experiment
from reclaim.bench.progress import Report
from reclaim.bench.run import How, sweep_into
from reclaim.errors import InputError, ResultWarning
from reclaim.signatures import checked

if TYPE_CHECKING:
    from reclaim.results.sets import ResultSet


def experiment_of(experiment: Experiment | str | Path | Mapping[str, Any]) -> Experiment:
    """Take an experiment, or read it from a file or a mapping."""
    if isinstance(experiment, Experiment):
        return experiment
    if isinstance(experiment, Mapping):
        return Experiment.from_dict(experiment)
    return Experiment.load(path("experiment", experiment))


def how_of(
    *,
    workers: int | None,
    dask: str | None,
    memory: str | None,
    progress: Report | None,
    force: bool,
    report: bool,
    accept_build: Sequence[str] = (),
) -> How:
    """Take what a caller says of how to run, and refuse arguments of other types.

    Raises:
        InputError: with the name of the first that cannot be.
    """
    workers = None if workers is None else whole("workers", workers, lowest=1)
    for name, value in (("dask", dask), ("memory", memory)):
        if value is not None:
            text(name, value)
    how = How(
        workers=workers,
        dask=dask,
        memory=memory,
        force=switch("force", force),
        report=switch("report", report),
        accept=builds.given(accept_build),
    )
    function("progress", progress)
    return how


@checked
def sweep(
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
) -> ResultSet:
    """Run every point of an experiment that is not stored in `output` yet, and give the results of all.

    Points that fail are reported in `ResultSet.failures`; the others go on.

    Args:
        experiment: what to run: an experiment file, its content as a mapping, or an `Experiment`.
        output: the folder where points are stored; called again with the same one, it goes on.
        workers: points at the same time; one a core if not given.
        dask: address of a Dask scheduler (`tcp://…`) whose workers run the points.
        memory: what all runs may take together, as in `8GiB`; what is available if not given.
        progress: called about five times a second.
        force: use a folder that has other things; points of another experiment are put aside.
        report: draw `report.html` in the folder, as the command does; `ResultSet.report` does it later.
        accept_build: other builds whose points count and whose workers may run some, as messages name them.

    Raises:
        InputError: for mistakes of the experiment, all of them; for a folder that cannot be used; if every
            point failed.
        KeyboardInterrupt: with Ctrl-C; what had ended is stored.
    """
    from reclaim.results.sets import ResultSet

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
    swept = sweep_into(experiment_of(experiment), folder, how, progress)
    for each in (*swept.damaged, *swept.notes):
        warnings.warn(each, ResultWarning, stacklevel=3)
    return ResultSet.load(swept.folder)


@checked
def compare(
    trace: str | Path,
    device: str | Path,
    schemes: Sequence[str],
    *,
    set: Mapping[str, Any] | None = None,
    repeats: int = 1,
    by: str = "seed",
    output: str | Path | None = None,
    workers: int | None = None,
    memory: str | None = None,
    progress: Report | None = None,
) -> ResultSet:
    """Run one trace on one drive under several schemes; the first is what the others are compared with.

    Args:
        trace: a file, or a name of the catalogue.
        device: a preset, or a .toml file.
        schemes: names joined by `+`, with settings, as in `greedy+gc.pages_in_flight=4`.
        set: settings of every run, by dotted keys.
        repeats: how often each is run.
        by: in what repeats differ: `seed`, where the trace begins (`rotate`), or which draw of a generated
            trace it is and where a recorded one begins (`workload`).
        output: the folder to store results in; a new temporary one if not given.
        workers: points at the same time; one a core if not given.
        memory: what all runs may take together.
        progress: called about five times a second.

    Raises:
        InputError: as `sweep`.
    """
    if set is not None and not isinstance(set, Mapping):
        raise InputError(f'set must be a mapping, as in {{"gc.pages_in_flight": 4}}, not {shown(set)}')
    description = {
        "name": "comparison",
        "devices": [str(path("device", device))],
        "traces": [str(path("trace", trace))],
        "schemes": names("schemes", schemes, example="greedy"),
        "set": dict(set or {}),
        "repeats": {"count": repeats, "by": by},
    }
    folder = path("output", output) if output is not None else Path(tempfile.mkdtemp(prefix="reclaim-"))
    return sweep(description, folder, workers=workers, memory=memory, progress=progress)
