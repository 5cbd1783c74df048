"""`reclaim ablate`: which of the settings in which two schemes differ makes the difference."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from reclaim.bench.experiment import Experiment
from reclaim.bench.run import How
from reclaim.cli.console import err
from reclaim.cli.leaving import leave
from reclaim.cli.running import Folder, runs_points
from reclaim.cli.sweep_progress import checking, live


@runs_points
def ablate(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="An experiment with a section ablate (TOML).")],
    output: Folder,
    *,
    how: How,
) -> None:
    """Find which part of what two schemes differ in makes the difference, by running what is between them."""
    # What computes with arrays is for this command alone: `reclaim --help` must not wait for it.
    from reclaim.cli.ablate_results import cost_lines, exit_code, reason, show
    from reclaim.instruments.ablation.ablate import ablate_into, cost_of, planned

    experiment = Experiment.load(file)
    with checking() as tell:
        plan, points = planned(experiment, tell)
        cost = cost_of(plan, points, output)
    for line in cost_lines(plan, cost):
        err.print(line, soft_wrap=True, markup=False)
    with live(experiment.name) as progress:
        found = ablate_into(plan, points, output, how, progress)
    show(found)
    leave(exit_code(found), reason(found))
