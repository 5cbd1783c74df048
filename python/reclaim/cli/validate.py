"""`reclaim validate`: the simulator against closed forms, and against MQSim."""

from __future__ import annotations

import json as json_module
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer

from reclaim import output_file, output_folder
from reclaim.cli import options
from reclaim.cli.console import out
from reclaim.cli.progress import progress
from reclaim.cli.writing import FolderForce
from reclaim.errors import InputError
from reclaim.report.terminal import show

FILES = ("validation.json", "validation.md")


def validate(
    quick: Annotated[
        bool, typer.Option("--quick", help="Half a minute: smaller drives, fewer runs.")
    ] = False,
    full: Annotated[bool, typer.Option("--full", help="Minutes: larger drives, more runs.")] = False,
    mqsim: Annotated[
        bool,
        typer.Option(
            "--mqsim", help="Compare the preset mqsim-mirror with figures of MQSim instead: half a minute."
        ),
    ] = False,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="DIR", help="Write validation.json and validation.md here."),
    ] = None,
    force: FolderForce = False,
    json: options.Json = False,
) -> None:
    """Validate write amplification, waiting times and bandwidth against closed forms, row by row."""
    from reclaim.validation.checks import FULL, NORMAL, QUICK
    from reclaim.validation.run import markdown, mqsim_checks, table_of
    from reclaim.validation.run import validate as run

    if force and output is None:
        raise InputError("--force: nothing is written; say where with -o DIR")
    _check_options(quick=quick, full=full, mqsim=mqsim)
    level = QUICK if quick else FULL if full else NORMAL
    with ExitStack() as opened:
        staged = None
        if output is not None:
            staged = opened.enter_context(output_folder.writing(output, FILES, force=force, kind="validate"))
        with progress("validate") as tell:
            report = run(
                level,
                checks=mqsim_checks() if mqsim else None,
                progress=lambda done, total: tell("runs", done, total, 0),
            )
        text = json_module.dumps(report.to_dict(), indent=2) + "\n"
        if staged is not None:
            for name, content in zip(FILES, (text, markdown(report)), strict=True):
                output_file.write_text(staged.path / name, content)
            staged.publish()
    if json:
        sys.stdout.write(text)
    else:
        show([table_of(group, rows) for group, rows in report.groups()], out)
        failed = sum(not row.passed for row in report.rows)
        out.print(f"{len(report.rows)} rows, {failed} beyond their tolerance")
    if not report.passed:
        raise typer.Exit(1)


def _check_options(*, quick: bool, full: bool, mqsim: bool) -> None:
    if quick and full:
        raise InputError("--quick and --full: give one of them")
    if mqsim and (quick or full):
        raise InputError(
            "--mqsim: its runs are as long as those of MQSim; neither --quick nor --full goes with it"
        )
