"""Commands that run a study: `reclaim sweep`, `device measure` and `fit`, and those of sections of a file.

What computes with arrays or draws is imported by the command that needs it: `reclaim --help` must not wait.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from reclaim.cli.console import out
from reclaim.cli.progress import checking
from reclaim.cli.running import StudyCommand, runs_a_study
from reclaim.encoding import shell_line
from reclaim.errors import InputError
from reclaim.experiment.experiment import Experiment
from reclaim.experiment.studies import OF_EXPERIMENTS

EXPERIMENT = typer.Argument(metavar="FILE", help="The experiment (TOML).")


@runs_a_study
def sweep(
    file: Annotated[Path, EXPERIMENT],
    study: StudyCommand,
    emit: Annotated[
        bool, typer.Option("--emit", help="Print a command for each point that is to run, and run nothing.")
    ] = False,
    only: Annotated[
        list[str] | None, typer.Option(metavar="POINT", help="Run this point and make no tables; repeatable.")
    ] = None,
    shard: Annotated[
        str | None,
        typer.Option(
            metavar="I/N", help="Run part I of N, from 1, and make no tables: for jobs of an array."
        ),
    ] = None,
) -> None:
    """Run every point of an experiment that is not stored yet, then make tables and a report of all."""
    from reclaim.study.sweep import Sweep

    if emit and (only or shard):
        raise InputError("--emit prints commands with --only; give one of these options")
    if not emit:
        if only and shard:
            raise InputError("--only and --shard: give one of the two")
        options = replace(study.options, only=tuple(only or ()), shard=_part(shard))
        replace(study, options=options).carry_out(
            lambda tell: Sweep(Experiment.load(file), tell, study.output)
        )
        return
    folder = study.folder()
    with checking() as tell:
        missing = Sweep(Experiment.load(file), tell, folder).missing(folder)
    for point in missing:
        words = ["reclaim", "sweep", str(file.absolute()), "-o", str(folder.absolute()), "--only", point]
        out.print(shell_line(words))


def _part(shard: str | None) -> tuple[int, int] | None:
    """Read `I/N`.

    Raises:
        InputError: for what is none.
    """
    if shard is None:
        return None
    found = re.fullmatch(r"(\d{1,6})/(\d{1,6})", shard)
    if found is None:
        raise InputError(f"--shard {shard}: write which part of how many, as in 3/8")
    return int(found[1]), int(found[2])


def of_a_section(name: str) -> Any:
    """Give the command of a study that an experiment has a section for."""
    registered = OF_EXPERIMENTS[name]

    def command(file: Path, study: StudyCommand) -> None:
        made = registered.get(registered.study)
        study.carry_out(lambda tell: made(Experiment.load(file), tell))

    about = rf"An experiment with a section \[{name}] (TOML)."
    command.__annotations__["file"] = Annotated[Path, typer.Argument(metavar="FILE", help=about)]
    command.__doc__ = registered.about
    return runs_a_study(command)


@runs_a_study
def measure(
    device: Annotated[
        str, typer.Argument(metavar="NAME|FILE.toml", help="A name of reclaim device list, or a TOML file.")
    ],
    study: StudyCommand,
    sheet: Annotated[
        Path | None,
        typer.Option(metavar="SHEET.toml", help="Published figures, put beside the measured ones."),
    ] = None,
    matrix: Annotated[
        str,
        typer.Option(
            metavar="full|small|sheet", help="Which loads: all, a few of them, or those of the sheet alone."
        ),
    ] = "full",
    smart: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE", help="Log page of a real drive, put beside what is written; repeatable."
        ),
    ] = None,
) -> None:
    """Measure what a drive reaches, fresh and steady, by SNIA's test specification."""
    from reclaim.study.measuring.health_log import HealthLog
    from reclaim.study.measuring.measure import MeasureStudy
    from reclaim.study.measuring.plan import MeasurePlan
    from reclaim.study.measuring.sheet import Sheet

    logs = [HealthLog.load(each) for each in smart or ()]
    plan = MeasurePlan(device, matrix, None if sheet is None else Sheet.load(sheet), logs)
    study.carry_out(lambda tell: MeasureStudy(plan, tell))


@runs_a_study
def fit(
    sheet: Annotated[
        Path, typer.Argument(metavar="SHEET.toml", help="Published figures, with device and \\[\\[unknown]].")
    ],
    study: StudyCommand,
    drives: Annotated[
        int, typer.Option(metavar="N", help="How many drives may be tried for each choice.")
    ] = 40,
) -> None:
    """Solve what a sheet leaves open of a drive from its fitted lines, and predict what is held out."""
    from reclaim.study.fitting.fit import FitStudy
    from reclaim.study.fitting.plan import FitPlan
    from reclaim.study.measuring.sheet import Sheet

    study.carry_out(lambda _: FitStudy(FitPlan.of(Sheet.load(sheet), drives)))
