"""`reclaim sensitivity`: which choice of the model would turn the conclusion of a comparison."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from reclaim.bench.experiment import Experiment
from reclaim.bench.study import RunOptions
from reclaim.bench.task import cores
from reclaim.cli.console import err, out
from reclaim.cli.leaving import leave
from reclaim.cli.running import MaybeFolder, runs_points
from reclaim.cli.sweep_progress import duration, live
from reclaim.errors import InputError
from reclaim.instruments.conclusion import comparison_text
from reclaim.instruments.report import document
from reclaim.instruments.sensitivity import Prepared, study_into
from reclaim.report.terminal import show

MOST_FAILURES = 5


@runs_points
def sensitivity(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="The experiment (TOML), with a section \\[sensitivity].")
    ],
    output: MaybeFolder = None,
    cost_only: Annotated[
        bool, typer.Option("--cost", help="Say how many runs it takes and how long, and run nothing.")
    ] = False,
    *,
    how: RunOptions,
) -> None:
    """Move every choice of the model to its alternatives, and say which turn a comparison of two schemes."""
    experiment = Experiment.load(file)
    if output is None and not cost_only:
        raise InputError("give the folder that points are stored in, as in -o out/study, or --cost")
    prepared = Prepared(experiment)
    _tell_cost(prepared, to_stdout=cost_only)
    if cost_only or output is None:
        return
    with live(experiment.name) as progress:
        found = study_into(prepared, output, how, progress)
    for damaged in found.damaged:
        err.print(f"warning: {damaged}", soft_wrap=True, markup=False)
    _tell_failures(found.failures)
    parts = experiment.parts
    show(document(parts.name, parts.about, found.names, found.studies, found.runs), out)
    out.print(f"{found.runs} runs; result: {found.report.parent}", soft_wrap=True, markup=False)
    for study, _ in found.studies:
        if study.side == 0:
            leave(3, comparison_text(found.names, study.base, 0))


def _tell_cost(prepared: Prepared, *, to_stdout: bool) -> None:
    """Say what it takes before it begins."""
    known = prepared.cost()
    text = (
        f"{known.keys} keys, {known.variations} variations: {known.base} runs as it is, {known.screen} to "
        f"screen, {known.most} at most without pairs and combinations; base and screen take about "
        f"{duration(known.seconds)} on {cores()} cores"
    )
    (out if to_stdout else err).print(text, soft_wrap=True, markup=False)


def _tell_failures(failures: list[str]) -> None:
    """Name runs that ended with an error; the conclusion counts them among what could not be run."""
    for failure in failures[:MOST_FAILURES]:
        err.print(f"could not be run: {failure}", soft_wrap=True, markup=False)
    more = len(failures) - MOST_FAILURES
    if more > 0:
        err.print(f"could not be run: {more} more; the report has them", soft_wrap=True, markup=False)
