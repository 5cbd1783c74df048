"""`reclaim sensitivity`: which choice of the model would turn the conclusion of a comparison."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from reclaim.bench.experiment import Experiment
from reclaim.cli.running import StudyCommand, runs_a_study


@runs_a_study
def sensitivity(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="The experiment (TOML), with a section \\[sensitivity].")
    ],
    study: StudyCommand,
) -> None:
    """Move every choice of the model to its alternatives, and say which turn a comparison of two schemes."""
    from reclaim.instruments.sensitivity import SensitivityStudy

    study.carry_out(lambda tell: SensitivityStudy(Experiment.load(file), tell))
