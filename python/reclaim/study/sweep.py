"""`reclaim.sweep` and `reclaim.compare`: experiments from Python."""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from reclaim.arguments import names, path, shown
from reclaim.errors import InputError, ResultWarning
from reclaim.experiment.experiment import Experiment
from reclaim.signatures import checked
from reclaim.study.run import Sweep
from reclaim.study.study import StudyOptions, carry_out

if TYPE_CHECKING:
    from reclaim.result.sets import ResultSet


def experiment_of(experiment: Experiment | str | Path | Mapping[str, Any]) -> Experiment:
    """Take an experiment, or read it from a file or a mapping."""
    if isinstance(experiment, Experiment):
        return experiment
    if isinstance(experiment, Mapping):
        return Experiment.from_dict(experiment)
    return Experiment.load(path("experiment", experiment))


@checked
def sweep(
    experiment: Experiment | str | Path | Mapping[str, Any],
    output: str | Path,
    **options: Unpack[StudyOptions],
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
        retry: run points again that have ended a process, as out of memory.

    Raises:
        InputError: for mistakes of the experiment, all of them; for a folder that cannot be used; if every
            point failed.
        KeyboardInterrupt: with Ctrl-C; what had ended is stored.
    """
    swept = carry_out(lambda: Sweep(experiment_of(experiment)), output, options)
    from reclaim.result.sets import ResultSet

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
    **options: Unpack[StudyOptions],
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
        dask: address of a Dask scheduler whose workers run the points.
        memory: what all runs may take together.
        progress: called about five times a second.
        force: use a folder that has other things.
        report: draw `report.html` in the folder.
        accept_build: other builds whose points count and whose workers may run some.
        retry: run points again that have ended a process.

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
    return sweep(description, folder, **options)
