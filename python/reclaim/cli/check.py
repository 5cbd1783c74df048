"""`reclaim check`: an experiment file is read, explained and costed; nothing runs."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from reclaim.bench.check import Checked
from reclaim.bench.check import check as check_file
from reclaim.bench.local import cores
from reclaim.bench.plan import in_words
from reclaim.bench.schema import schema_text
from reclaim.cli.console import err, out
from reclaim.cli.sweep_progress import checking, duration
from reclaim.errors import InputError
from reclaim.units import written

LISTED = 10
"""More points of one kind than this are counted, not listed."""


def check(
    file: Annotated[Path | None, typer.Argument(metavar="FILE", help="The experiment (TOML).")] = None,
    schema: Annotated[
        bool, typer.Option("--schema", help="Print the JSON Schema of experiment files, for editors.")
    ] = False,
) -> None:
    """Explain the mistakes of an experiment file; say how many points, how long, how much memory and disk."""
    if schema:
        sys.stdout.write(schema_text())
        return
    if file is None:
        raise InputError("check: name an experiment file, as in: reclaim check victims.toml")
    with checking() as tell:
        checked = check_file(file, tell)
    if checked.mistakes:
        *first, last = checked.mistakes
        for message in first:
            err.print(f"error: {message}", soft_wrap=True, markup=False)
        raise InputError(last)
    ablation, tuning = _ablation(checked), _tuning(checked)
    _show(checked)
    for line in ablation:
        _say(f"ablation: {line}")
    for line in tuning:
        _say(f"tuning: {line}")
    if checked.refusals:
        raise typer.Exit(1)


def _ablation(checked: Checked) -> list[str]:
    """What it takes to run its ablation; nothing where it has none.

    Raises:
        InputError: for mistakes that only the drives of both schemes show.
    """
    if checked.experiment.parts.ablate is None:
        return []
    # What computes with arrays is for experiments that have one alone.
    from reclaim.cli.ablate_results import cost_lines
    from reclaim.instruments.ablation.ablate import cost_of, planned

    plan, points = planned(checked.experiment)
    return cost_lines(plan, cost_of(plan, points))


def _tuning(checked: Checked) -> list[str]:
    """What it takes to tune its scheme; nothing where it says nothing of that.

    Raises:
        InputError: for mistakes that only the drive of the scheme shows.
    """
    if checked.experiment.parts.tune is None:
        return []
    from reclaim.cli.tune_results import cost_lines
    from reclaim.instruments.tuning.plan import Prepared

    return list(cost_lines(Prepared(checked.experiment)))


def _show(checked: Checked) -> None:
    experiment, known = checked.experiment, checked.estimate
    _say(f"{experiment.name}: {in_words(experiment.parts)}")
    for refusal in checked.refusals:
        _say(f"refused: {refusal.text}")
        for point in refusal.points[:LISTED]:
            _say(f"  {point}")
        if len(refusal.points) > LISTED:
            _say(f"  and {len(refusal.points) - LISTED} more")
    for warning in checked.warnings[:LISTED]:
        _say(f"warning: {warning}")
    if len(checked.warnings) > LISTED:
        _say(f"warning: and {len(checked.warnings) - LISTED} more of these")
    for note in checked.notes[:LISTED]:
        _say(f"note: {note}")
    if len(checked.notes) > LISTED:
        _say(f"note: and {len(checked.notes) - LISTED} more of these")
    if known is None:
        return
    refused = sum(bool(each.refused) for each in checked.points)
    _say(f"points: {known.points}" + (f", and {refused} that are refused" if refused else ""))
    _say(f"time: about {duration(known.seconds)} on {cores()} cores; more for an overloaded drive")
    largest = written(known.largest_bytes, "bytes")
    _say(f"memory: {written(known.memory_bytes, 'bytes')}, the largest run {largest}, without traces")
    _say(f"disk: about {written(known.disk_bytes, 'bytes')}")


def _say(text: str) -> None:
    out.print(text, soft_wrap=True, markup=False)
