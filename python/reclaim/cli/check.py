"""`reclaim check`: an experiment file is read, explained and costed; nothing runs."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from reclaim.cli import options, streams
from reclaim.cli.console import err, out
from reclaim.cli.progress import checking
from reclaim.errors import InputError
from reclaim.experiment.check import Checked
from reclaim.experiment.check import check as check_file
from reclaim.experiment.experiment import Experiment
from reclaim.experiment.point import in_words
from reclaim.experiment.studies import OF_EXPERIMENTS

LISTED = 10
"""More points of one kind than this are counted, not listed."""


def check(
    file: Annotated[Path | None, typer.Argument(metavar="FILE", help="The experiment (TOML).")] = None,
    schema: Annotated[
        bool, typer.Option("--schema", help="Print the JSON Schema of experiment files, for editors.")
    ] = False,
    json: options.Json = False,
) -> None:
    """Explain the mistakes of an experiment file; say how many points, how long, how much memory and disk."""
    if schema:
        # The library of its models takes longer to import than `reclaim --help` takes.
        from reclaim.experiment.schema import schema_text

        sys.stdout.write(schema_text())
        return
    if file is None:
        raise InputError("check: name an experiment file, as in: reclaim check victims.toml")
    with checking() as tell:
        checked = check_file(file, tell)
    if checked.mistakes:
        *first, last = checked.mistakes
        for message in first:
            err.print(f"error: {message}")
        raise InputError(last)
    lines = _lines_of_studies(checked.experiment)
    if json:
        streams.write_json(_told(checked, lines))
    else:
        _show(checked)
        for line in lines:
            out.print(line)
    if checked.refusals:
        raise typer.Exit(1)


def _lines_of_studies(experiment: Experiment) -> list[str]:
    """What the studies take that it has a section for.

    Raises:
        InputError: for mistakes that only the drives of the schemes show.
    """
    return [
        f"{name}: {line}"
        for name, each in OF_EXPERIMENTS.items()
        if name in experiment.parts.sections
        for line in each.get(each.study)(experiment).cost()
    ]


def _told(checked: Checked, lines: list[str]) -> dict[str, Any]:
    """What is printed, for programs."""
    known = checked.estimate
    return {
        "experiment": checked.experiment.name,
        "refused": [{"why": each.text, "points": list(map(str, each.points))} for each in checked.refusals],
        "warnings": checked.warnings,
        "notes": checked.notes,
        "estimate": None if known is None else asdict(known),
        "studies": lines,
    }


def _show(checked: Checked) -> None:
    experiment, known = checked.experiment, checked.estimate
    out.print(f"{experiment.name}: {in_words(experiment.parts)}")
    for refusal in checked.refusals:
        out.print(f"refused: {refusal.text}")
        for point in refusal.points[:LISTED]:
            out.print(f"  {point}")
        if len(refusal.points) > LISTED:
            out.print(f"  and {len(refusal.points) - LISTED} more")
    for kind, texts in (("warning", checked.warnings), ("note", checked.notes)):
        more = [f"and {len(texts) - LISTED} more of these"] if len(texts) > LISTED else []
        for text in (*texts[:LISTED], *more):
            out.print(f"{kind}: {text}")
    if known is None:
        return
    refused = sum(bool(each.refused) for each in checked.points)
    out.print(f"points: {known.points}" + (f", and {refused} that are refused" if refused else ""))
    for line in known.lines():
        out.print(line)
