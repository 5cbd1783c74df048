"""`reclaim run`: one trace through one drive."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from reclaim.cli.job import Job, plays_a_trace
from reclaim.cli.progress import busy
from reclaim.results.table import result_tables


@plays_a_trace
def run(
    job: Job,
    scheme: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Named combination of policies; repeatable.")
    ] = None,
    save_state: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Save the drive's state after the warm-up.")
    ] = None,
    load_state: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Start from a saved state instead of warming up.")
    ] = None,
) -> None:
    """Run a trace through a drive and print what requests experienced and what the drive did."""
    drive = job.drive(tuple(scheme or ()))
    job.introduce(drive, load_state=load_state)
    result = job.run(drive, save_state=save_state, load_state=load_state)
    if job.output is not None:
        with busy("writing the report"):
            result.save(job.output)
    job.show([result], tables=lambda: result_tables(result), text=result.to_json)
