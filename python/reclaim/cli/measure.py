"""`reclaim device measure`: what a drive reaches under a matrix of loads, beside its data sheet."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from reclaim.bench.runner import How
from reclaim.builds import checked
from reclaim.cli.console import err, out, print_table
from reclaim.cli.running import AcceptBuild, Folder, Memory, PointsForce, Report, Retry, Workers
from reclaim.cli.sweep_progress import checking, live

Source = Annotated[str, typer.Argument(metavar="PRESET|FILE.toml", help="A preset's name or a TOML file.")]


def measure(
    device: Source,
    output: Folder,
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
    workers: Workers = None,
    memory: Memory = None,
    report: Report = True,
    force: PointsForce = False,
    accept_build: AcceptBuild = None,
    retry: Retry = False,
) -> None:
    """Measure what a drive reaches, fresh and steady, by SNIA's test specification."""
    # What draws and computes is for this command alone: `reclaim --help` must not wait for it.
    from reclaim.instruments.measuring.measure import measure_into
    from reclaim.instruments.measuring.plan import Plan
    from reclaim.instruments.measuring.sheet import Sheet
    from reclaim.instruments.measuring.tables import HEAD, SHEET_HEAD, rows, scaled, sheet_rows
    from reclaim.instruments.measuring.words import conclusion, notes

    plan = Plan(device, matrix, None if sheet is None else Sheet.load(sheet))
    with checking() as tell:
        plan.experiment.made(tell)
    accept = checked(accept_build or ())
    how = How(workers=workers, memory=memory, force=force, accept=accept, retry=retry)
    with live(plan.experiment.name) as progress:
        found = measure_into(plan, output, how, progress, report=report)
    for failure in found.failed:
        err.print(f"could not be run: {failure}", soft_wrap=True, markup=False)
    out.print(conclusion(found), soft_wrap=True, markup=False)
    print_table("Beside its sheet", SHEET_HEAD, sheet_rows(found))
    print_table("Every load", HEAD, rows(found))
    out.print(scaled(found), soft_wrap=True, markup=False)
    for note in notes(found):
        out.print(f"note: {note}", soft_wrap=True, markup=False)
    out.print(f"results: {found.folder}", soft_wrap=True, markup=False)
    if found.failed:
        raise typer.Exit(1)
