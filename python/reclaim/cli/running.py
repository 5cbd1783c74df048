"""Options of commands that run the points of an experiment."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from reclaim.bench.runner import How
from reclaim.builds import checked
from reclaim.cli.bundle import takes

Folder = Annotated[
    Path, typer.Option("--output", "-o", metavar="DIR", help="Store points here; the same folder goes on.")
]
MaybeFolder = Annotated[
    Path | None,
    typer.Option("--output", "-o", metavar="DIR", help="Store points here; the same folder goes on."),
]
Report = Annotated[bool, typer.Option("--report/--no-report", help="Draw the report at the end.")]

Workers = Annotated[
    int | None, typer.Option(metavar="N", min=1, help="Points at the same time (default: one a core).")
]
Memory = Annotated[
    str | None,
    typer.Option(metavar="SIZE", help="What all runs may take together (default: what is available)."),
]
Dask = Annotated[
    str | None, typer.Option(metavar="tcp://HOST:PORT", help="Run on the workers of a Dask scheduler.")
]
AcceptBuild = Annotated[
    list[str] | None,
    typer.Option(metavar="ID", help="Count what this other build of Reclaim has run, or saved; repeatable."),
]
Retry = Annotated[
    bool, typer.Option("--retry", help="Run points again that have ended a process, as out of memory.")
]
PointsForce = Annotated[
    bool, typer.Option("--force", help="Use a folder that has other things, or another experiment's points.")
]


def _how(
    workers: Workers = None,
    memory: Memory = None,
    dask: Dask = None,
    report: Report = True,
    force: PointsForce = False,
    accept_build: AcceptBuild = None,
    retry: Retry = False,
) -> How:
    return How(
        workers=workers,
        memory=memory,
        dask=dask,
        report=report,
        force=force,
        accept=checked(accept_build or ()),
        retry=retry,
    )


runs_points = takes("how", _how)
"""Gives a command the options of running points, as its parameter `how`."""
