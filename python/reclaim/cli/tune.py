"""`reclaim tune`: the best parameters of a scheme for some runs, judged on others."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from reclaim.bench.experiment import Experiment
from reclaim.cli.running import StudyCommand, runs_a_study


@runs_a_study
def tune(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="An experiment with a section \\[tune] (TOML).")
    ],
    study: StudyCommand,
) -> None:
    """Search the parameters of a scheme for what is best on some runs, and judge what is found on others."""
    # What draws and computes is for this command alone: `reclaim --help` must not wait for it.
    from reclaim.instruments.tuning.tune import TuningStudy

    study.carry_out(lambda tell: TuningStudy(Experiment.load(file), tell))
