"""`reclaim device fit`: the unknowns of a drive, solved from its data sheet."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from reclaim.bench.runner import How
from reclaim.builds import checked
from reclaim.cli.console import err, out, print_table
from reclaim.cli.running import AcceptBuild, Memory, Retry, Workers
from reclaim.cli.sweep_progress import live


def fit(
    sheet: Annotated[
        Path, typer.Argument(metavar="SHEET.toml", help="Published figures, with device and \\[\\[unknown]].")
    ],
    output: Annotated[
        Path,
        typer.Option("--output", "-o", metavar="DIR", help="Store points here; the same folder goes on."),
    ],
    drives: Annotated[
        int, typer.Option(metavar="N", help="How many drives may be tried for each choice.")
    ] = 40,
    workers: Workers = None,
    memory: Memory = None,
    report: Annotated[bool, typer.Option("--report/--no-report", help="Draw the page and charts.")] = True,
    accept_build: AcceptBuild = None,
    retry: Retry = False,
) -> None:
    """Solve what a sheet leaves open of a drive from its fitted lines, and predict what is held out."""
    # What computes is for this command alone: `reclaim --help` must not wait for it.
    from reclaim.instruments.fitting.fit import DEVICE, fit_into
    from reclaim.instruments.fitting.plan import FitPlan
    from reclaim.instruments.fitting.tables import (
        CHOICES_HEAD,
        LINES_HEAD,
        UNKNOWNS_HEAD,
        choice_rows,
        line_rows,
        unknown_rows,
    )
    from reclaim.instruments.fitting.words import conclusion, notes
    from reclaim.instruments.measuring.sheet import Sheet

    plan = FitPlan.of(Sheet.load(sheet), drives)
    how = How(workers=workers, memory=memory, accept=checked(accept_build or ()), retry=retry)
    with live(plan.sheet.name) as progress:
        found = fit_into(plan, output, how, progress, report=report)
    out.print(conclusion(found), soft_wrap=True, markup=False)
    print_table("What is determined", UNKNOWNS_HEAD, unknown_rows(found))
    if len(found.choices) > 1:
        print_table("Choices", CHOICES_HEAD, choice_rows(found))
    print_table("Lines of the sheet", LINES_HEAD, line_rows(found))
    for note in notes(found):
        err.print(f"note: {note}", soft_wrap=True, markup=False)
    out.print(f"results: {output}", soft_wrap=True, markup=False)
    out.print(f"the drive: {output / DEVICE}", soft_wrap=True, markup=False)
