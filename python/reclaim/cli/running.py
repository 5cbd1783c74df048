"""Options of commands that run the points of an experiment."""

from __future__ import annotations

from typing import Annotated

import typer

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
PointsForce = Annotated[
    bool, typer.Option("--force", help="Use a folder that has other things, or another experiment's points.")
]
