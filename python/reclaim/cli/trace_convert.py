"""`reclaim trace convert`: any trace in, a file for another program out."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from reclaim import output_file
from reclaim.cli import options, streams
from reclaim.cli.console import err, out
from reclaim.cli.progress import busy
from reclaim.cli.transforms import with_steps
from reclaim.cli.writing import As, Force, files_read, say_lost_label
from reclaim.device import Value
from reclaim.trace.trace import with_settings

Target = Annotated[
    Path,
    typer.Argument(
        metavar="OUT",
        help="File: .csv, .parquet, .mqsim (or .trace) or .fio (or .iolog); text also .gz, .zst, .bz2, .xz.",
    ),
]


@with_steps
@options.opens_a_trace
def convert(
    trace: options.TraceFile,
    target: Target,
    opening: options.Opening,
    as_: As = None,
    force: Force = False,
    remap: options.RemapItself = None,
    remap_unit: options.RemapUnit = None,
    time_scale: options.TimeScale = None,
    json: options.Json = False,
    *,
    steps: dict[str, Value],
) -> None:
    """Write a trace, changed if asked for, as Parquet, normalised CSV, MQSim ASCII or a fio iolog."""
    output_file.check(target, reading=files_read(trace, steps), overwrite=force)
    last = options.itself(remap, remap_unit, time_scale)
    opened = with_settings(
        opening.open(trace, merged="trace.merge" in steps), opening.settings() | steps, **last
    )
    with busy(f"writing {target}"):
        done = opened.convert(target, format=as_, force=force)
    for step in opened.transforms:
        err.print(f"done to it: {step}", style="dim")
    for loss in done.losses:
        err.print(f"lost: {loss}")
    say_lost_label(opened, target)
    if done.bad_lines:
        err.print(f"left out: {done.bad_lines} lines that cannot be read; the first:")
        for line in done.first_bad_lines:
            err.print(f"  {line}")
    for warning in done.warnings:
        err.print(f"warning: {warning}")
    if json:
        told = {"file": str(target), "done": list(opened.transforms), **asdict(done)}
        streams.write_json(told)
        return
    out.print(f"{target}: {done.requests} requests")
