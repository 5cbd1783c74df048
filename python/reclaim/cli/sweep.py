"""`reclaim sweep`: all points of an experiment, on all cores, resumable."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from reclaim.bench.build import Tell
from reclaim.bench.experiment import Experiment
from reclaim.bench.run import Sweep, Swept
from reclaim.cli.console import out
from reclaim.cli.running import StudyCommand, runs_a_study
from reclaim.cli.sweep_progress import checking
from reclaim.cli.sweep_results import show
from reclaim.encoding import shell_line
from reclaim.errors import InputError


@runs_a_study
def sweep(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The experiment (TOML).")],
    study: StudyCommand,
    emit: Annotated[
        bool, typer.Option("--emit", help="Print a command for each point that is to run, and run nothing.")
    ] = False,
    only: Annotated[
        list[str] | None, typer.Option(metavar="POINT", help="Run this point and make no tables; repeatable.")
    ] = None,
) -> None:
    """Run every point of an experiment that is not stored yet, then make tables and a report of all."""
    chosen = tuple(only or ())

    def made(tell: Tell) -> Sweep:
        return Sweep(Experiment.load(file), tell)

    def shown(swept: Swept) -> None:
        if not swept.in_part:
            show(swept)

    if emit:
        if chosen:
            raise InputError("--emit prints commands with --only; give one of the two")
        folder = study.folder()
        with checking() as tell:
            missing = made(tell).missing(folder)
        for point in missing:
            words = ["reclaim", "sweep", str(file.absolute()), "-o", str(folder.absolute()), "--only", point]
            out.print(shell_line(words), soft_wrap=True, markup=False)
        return
    replace(study, options=replace(study.options, only=chosen)).carry_out(made, shown)
