"""`reclaim tune`: the best parameters of a scheme for some runs, judged on others."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from reclaim.bench.experiment import Experiment
from reclaim.bench.runner import How
from reclaim.cli.console import err, out
from reclaim.cli.leaving import leave
from reclaim.cli.running import MaybeFolder, runs_points
from reclaim.cli.sweep_progress import checking, live
from reclaim.errors import InputError


@runs_points
def tune(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="An experiment with a section \\[tune] (TOML).")
    ],
    output: MaybeFolder = None,
    cost_only: Annotated[
        bool,
        typer.Option(
            "--cost", help="Say what is searched, how many runs it takes and how long; run nothing."
        ),
    ] = False,
    *,
    how: How,
) -> None:
    """Search the parameters of a scheme for what is best on some runs, and judge what is found on others."""
    # What draws and computes is for this command alone: `reclaim --help` must not wait for it.
    from reclaim.cli.tune_results import cost_lines, show
    from reclaim.instruments.tuning.plan import Prepared
    from reclaim.instruments.tuning.tune import tune_into
    from reclaim.instruments.tuning.words import reason, verdict

    experiment = Experiment.load(file)
    if output is None and not cost_only:
        raise InputError("give the folder that points are stored in, as in -o out/tuned, or --cost")
    with checking() as tell:
        experiment.made(tell)
    prepared = Prepared(experiment)
    for line in cost_lines(prepared):
        (out if cost_only else err).print(line, soft_wrap=True, markup=False)
    if cost_only or output is None:
        return
    with live(experiment.name) as progress:
        found = tune_into(prepared, output, how, progress)
    show(found)
    leave(verdict(found.tuned), reason(found.tuned))
