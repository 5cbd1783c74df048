"""`reclaim trace record`: the block trace of a command."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from reclaim.cli import options, streams
from reclaim.cli.console import err, out
from reclaim.cli.writing import Force
from reclaim.errors import InputError
from reclaim.trace.record import RecordingPlan, missing
from reclaim.trace.record import record as record_plan
from reclaim.trace.record.plan import BUFFER_KIB

UNITS = {"MiB": 1 << 20, "GiB": 1 << 30}
SMALLEST_BYTES = 64 << 20
INTERRUPTED = 130


def parse_size(text: str) -> int:
    """Read the size of a device.

    >>> parse_size("8GiB")
    8589934592
    """
    match = re.fullmatch(r"(\d+)\s*(MiB|GiB)", text.strip())
    size = int(match[1]) * UNITS[match[2]] if match else 0
    if size < SMALLEST_BYTES:
        raise InputError(f'--size "{text}": expected at least 64MiB, written as in 512MiB or 8GiB')
    return size


def _say_steps(plan: RecordingPlan, reasons: Sequence[str], *, json: bool) -> None:
    """Say what would be done."""
    if json:
        streams.write_json({"steps": list(plan.steps()), "missing": list(reasons)})
        return
    for number, step in enumerate(plan.steps(), 1):
        out.print(f"{number}. {step}")


def record(
    command: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="-- COMMAND",
            help="What to run, in the mounted folder; {mount} in a word stands for the folder.",
        ),
    ] = None,
    output: Annotated[
        Path,
        typer.Option(
            "--output", "-o", metavar="FILE", help="Trace to write: blkparse text, packed if it ends in .gz."
        ),
    ] = Path("recorded.blkparse.txt"),
    size: Annotated[str, typer.Option(metavar="SIZE", help="Size of the device.")] = "8GiB",
    workspace: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Folder for the device's image; that of the output if not given."),
    ] = None,
    drop_cache: Annotated[
        float,
        typer.Option(
            min=0,
            metavar="SECONDS",
            help="Drop the files from memory so often, so that reads reach the device.",
        ),
    ] = 0.0,
    buffer_kib: Annotated[
        int, typer.Option("--buffer", min=64, metavar="KIB", help="Kernel trace buffer of each processor.")
    ] = BUFFER_KIB,
    under_memory_limit: Annotated[
        bool,
        typer.Option(
            "--under-memory-limit", help="Record even in a memory-limited control group; it may hang."
        ),
    ] = False,
    force: Force = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would be done and do nothing.")
    ] = False,
    json: options.Json = False,
) -> None:
    """Record the block trace of a command on a fresh ext4 of its own (Linux, root)."""
    plan = RecordingPlan(
        tuple(command or ()), output, parse_size(size), workspace, drop_cache, buffer_kib, force
    )
    reasons = missing(plan, memory_limit_accepted=under_memory_limit)
    if dry_run:
        _say_steps(plan, reasons, json=json)
    if reasons:
        raise InputError(
            "cannot record here; nothing was touched:\n" + "\n".join(f"  {each}" for each in reasons)
        )
    if dry_run:
        return
    done = record_plan(plan, say=lambda line: err.print(line, style="dim"))
    if json:
        streams.write_json({**asdict(done), "output": str(done.output)})
    else:
        out.print(f"{done.output}: {done.requests:,} requests")
    if done.lost:
        err.print(
            f"{done.lost:,} events were lost: the trace has gaps; record again with a larger --buffer",
            style="bold red",
        )
    if done.interrupted:
        err.print("stopped; the trace ends where it was stopped")
        raise typer.Exit(INTERRUPTED)
    if done.exit_code:
        err.print(f"the command ended with exit code {done.exit_code}")
    if done.exit_code or done.lost:
        raise typer.Exit(1)
