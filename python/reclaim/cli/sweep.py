"""`reclaim sweep`: all points of an experiment, on all cores, resumable."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from reclaim.bench.commands import sweep_command
from reclaim.bench.experiment import Experiment
from reclaim.bench.integrity import missing
from reclaim.bench.run import How, Swept, sweep_into
from reclaim.bench.store import Store
from reclaim.cli.console import err, out
from reclaim.cli.leaving import leave
from reclaim.cli.running import Folder, runs_points
from reclaim.cli.sweep_progress import checking, live
from reclaim.cli.sweep_results import exit_code, reason, show
from reclaim.errors import InputError


@runs_points
def sweep(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The experiment (TOML).")],
    output: Folder,
    emit: Annotated[
        bool, typer.Option("--emit", help="Print a command for each point that is to run, and run nothing.")
    ] = False,
    only: Annotated[
        list[str] | None, typer.Option(metavar="POINT", help="Run this point and make no tables; repeatable.")
    ] = None,
    *,
    how: How,
) -> None:
    """Run every point of an experiment that is not stored yet, then make tables and a report of all."""
    experiment = Experiment.load(file)
    with checking() as tell:
        points = experiment.points(tell)
    if emit:
        if only:
            raise InputError("--emit prints commands with --only; give one of the two")
        for point in missing(Store(output), points):
            command = sweep_command(str(file.absolute()), output.absolute(), "--only", point)
            out.print(command, soft_wrap=True, markup=False)
        return
    with live(experiment.name) as progress:
        swept = sweep_into(experiment, output, replace(how, only=tuple(only or ())), progress)
    _finished(swept)
    if not only:
        show(swept)
    code = exit_code(swept)
    leave(code, reason(swept) if code else "")


def _finished(swept: Swept) -> None:
    """Say what was done, and what failed with the command that runs it alone."""
    stored = swept.total - len(swept.failures)
    text = f"{stored} of {swept.total} points stored in {swept.folder}"
    text += f", {swept.before} of them before" if swept.before else ""
    text += f", {swept.found} of which had no checksum and have one now" if swept.found else ""
    text += f"; {swept.aside} put aside that the experiment no longer has" if swept.aside else ""
    err.print(text, style="dim", soft_wrap=True, markup=False)
    for note in swept.notes:
        err.print(f"note: {note}", soft_wrap=True, markup=False)
    for damaged in swept.damaged:
        err.print(f"warning: {damaged}", soft_wrap=True, markup=False)
    for failure in swept.failures:
        label = ", ".join(str(failure[key]) for key in ("device", "trace", "scheme", "repeat"))
        err.print(f"failed: {label}: {failure['error']}", soft_wrap=True, markup=False)
        err.print(f"  {failure['command']}", soft_wrap=True, markup=False)
    for warning in swept.warnings:
        err.print(f"warning: {warning['text']}", soft_wrap=True, markup=False)
