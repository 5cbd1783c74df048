"""How a command ends whose figures are not all to be relied on: with a code, and the reason of it."""

from __future__ import annotations

import typer

from reclaim.cli.console import err


def leave(code: int, reason: str) -> None:
    """End with an exit code and say why; go on with 0.

    Raises:
        typer.Exit: with any other code.
    """
    if not code:
        return
    if reason:
        err.print(f"exit code {code}: {reason}")
    raise typer.Exit(code)
