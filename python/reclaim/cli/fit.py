"""`reclaim device fit`: the unknowns of a drive, solved from its data sheet."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from reclaim.cli.running import StudyCommand, runs_a_study


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
    # What computes is for this command alone: `reclaim --help` must not wait for it.
    from reclaim.instruments.fitting.fit import FitStudy
    from reclaim.instruments.fitting.plan import FitPlan
    from reclaim.instruments.measuring.sheet import Sheet

    study.carry_out(lambda _: FitStudy(FitPlan.of(Sheet.load(sheet), drives)))
