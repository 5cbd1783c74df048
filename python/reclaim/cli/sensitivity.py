"""`reclaim sensitivity`: which choice of the model would turn the conclusion of a comparison."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from reclaim.bench.experiment import Experiment
from reclaim.bench.local import cores
from reclaim.bench.runner import How
from reclaim.cli.console import err, out
from reclaim.cli.leaving import leave
from reclaim.cli.running import MaybeFolder, runs_points
from reclaim.cli.sweep_progress import duration, live
from reclaim.errors import InputError
from reclaim.instruments.conclusion import comparison_text, sentence
from reclaim.instruments.report import rows
from reclaim.instruments.sensitivity import Prepared, Sensitivity, study_into
from reclaim.instruments.study import Study
from reclaim.results.verdict import legend_of

SHOWN = 20
"""Rows of the table that a terminal shows; the report has all."""
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
    how: How,
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
    _show(found)
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


def _show(found: Sensitivity) -> None:
    """Print the conclusion, then the table, then where everything is."""
    for study, kept in found.studies:
        out.print(sentence(found.names, study, kept), soft_wrap=True, markup=False)
        out.print(_table(study))
    out.print(f"{found.runs} runs; result: {found.report.parent}", soft_wrap=True, markup=False)


def _short(text: str, most: int) -> str:
    """Cut a text off.

    >>> _short("long text", 6)
    'long …'
    """
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _table(study: Study) -> Table:
    listed = list(rows(study))
    left = len(listed) - SHOWN
    marks = legend_of(each.last.mark for key in study.keys for each in key.variations if each.last)
    told = [f"and {left} more in the report"] if left > 0 else []
    caption = "; ".join([*told, marks] if marks else told) or None
    table = Table(caption=caption, caption_justify="left")
    for name in ("key", "kind", "here", "conclusion", "p", "farthest against it"):
        table.add_column(name)
    for row in listed[:SHOWN]:
        here, pulls = _short(row.present, 20), _short(row.strongest, 70)
        table.add_row(row.key, row.kind, here, row.status, row.corrected, pulls)
    return table
