"""`reclaim device measure`: what a drive reaches under a matrix of loads, beside its data sheet."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from reclaim.cli.running import StudyCommand, runs_a_study

Source = Annotated[str, typer.Argument(metavar="PRESET|FILE.toml", help="A preset's name or a TOML file.")]


@runs_a_study
def measure(
    device: Source,
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
) -> None:
    """Measure what a drive reaches, fresh and steady, by SNIA's test specification."""
    # What draws and computes is for this command alone: `reclaim --help` must not wait for it.
    from reclaim.instruments.measuring.measure import MeasureStudy
    from reclaim.instruments.measuring.plan import Plan
    from reclaim.instruments.measuring.sheet import Sheet

    plan = Plan(device, matrix, None if sheet is None else Sheet.load(sheet))
    study.carry_out(lambda tell: MeasureStudy(plan, tell))
