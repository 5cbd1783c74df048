"""`reclaim trace`: what a trace contains."""

from __future__ import annotations

import json as json_module
import sys

import typer

import reclaim
from reclaim.cli import options, trace_generate
from reclaim.cli.console import entries, listing, out
from reclaim.cli.progress import busy

app = typer.Typer(no_args_is_help=True, help="Look into traces.")


@app.callback()
def group() -> None:
    """Look into traces."""


app.command("generate")(trace_generate.generate)


@app.command()
def formats() -> None:
    """List the trace formats that can be read, each with a sample line."""
    out.print(listing(reclaim.formats()))


@app.command()
@options.opens_a_trace
def info(
    trace: options.TraceFile,
    opening: options.Opening,
    json: options.Json = False,
) -> None:
    """Read and validate a whole trace and print what it contains."""
    with busy(f"reading {trace.name}"):
        summary = opening.open(trace).summary()
    if json:
        sys.stdout.write(json_module.dumps(summary, indent=2) + "\n")
    else:
        out.print(entries(summary))
