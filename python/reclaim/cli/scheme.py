"""`reclaim scheme`: named combinations of policies."""

from __future__ import annotations

import reclaim
from reclaim.cli.commands import Commands
from reclaim.cli.console import listing, out

app = Commands(no_args_is_help=True, help="List schemes.")


@app.callback()
def group() -> None:
    """List schemes."""


@app.command("list")
def list_() -> None:
    """List the schemes that --scheme and --schemes take."""
    out.print(listing(reclaim.schemes()))
