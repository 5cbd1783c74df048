"""`reclaim policy`: what can be exchanged inside the drive."""

from __future__ import annotations

import typer

import reclaim
from reclaim.cli.console import listing, out

app = typer.Typer(no_args_is_help=True, help="List policies.")


@app.callback()
def group() -> None:
    """List policies."""


@app.command("list")
def list_() -> None:
    """List every exchangeable part of the drive with its policies and their parameters."""
    for seam, described in reclaim.catalogue().items():
        out.print(f"[bold underline]{seam}[/]  {described.get('about', '')}")
        out.print(listing({each["name"]: each["about"] for each in described["members"]}))
        out.print()
