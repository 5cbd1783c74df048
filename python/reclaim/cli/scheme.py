"""`reclaim scheme`: named combinations of policies."""

from __future__ import annotations

import reclaim
from reclaim.cli import options, streams
from reclaim.cli.commands import Commands
from reclaim.cli.console import listing, out

app = Commands(no_args_is_help=True, help="List schemes.")


@app.callback()
def group() -> None:
    """List schemes."""


@app.command("list")
def list_(json: options.Json = False) -> None:
    """List the schemes that --scheme and --schemes take."""
    if json:
        streams.write_json(reclaim.schemes())
        return
    out.print(listing(reclaim.schemes()))
