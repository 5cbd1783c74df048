"""`reclaim config`: the configuration file itself."""

from __future__ import annotations

import sys

from reclaim.cli.commands import Commands
from reclaim.device_schema import schema_text

app = Commands(no_args_is_help=True, help="Describe the configuration file.")


@app.callback()
def group() -> None:
    """Describe the configuration file."""


@app.command()
def schema() -> None:
    """Print the JSON Schema of a device file, for editors that check and complete TOML."""
    sys.stdout.write(schema_text())
