"""`reclaim ablate`: which of the settings in which two schemes differ makes the difference."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from reclaim.bench.experiment import Experiment
from reclaim.cli.running import StudyCommand, runs_a_study


@runs_a_study
def ablate(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="An experiment with a section ablate (TOML).")],
    study: StudyCommand,
) -> None:
    """Find which part of what two schemes differ in makes the difference, by running what is between them."""
    # What computes with arrays is for this command alone: `reclaim --help` must not wait for it.
    from reclaim.instruments.ablation.ablate import AblationStudy

    study.carry_out(lambda tell: AblationStudy(Experiment.load(file), tell))
