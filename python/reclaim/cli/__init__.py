"""The command `reclaim`."""

from __future__ import annotations

import sys

from reclaim.errors import InputError, ReclaimError

INTERRUPTED = 130


def main() -> None:
    """Run the command line; every expected failure is one message and an exit code, never a traceback."""
    from reclaim.cli.app import app

    try:
        app()
    except InputError as error:
        sys.stderr.write(f"error: {error}\n")
        sys.exit(2)
    except ReclaimError as error:
        sys.stderr.write(f"error: {error}\n")
        sys.exit(1)
    except KeyboardInterrupt:
        sys.stderr.write("stopped\n")
        sys.exit(INTERRUPTED)
