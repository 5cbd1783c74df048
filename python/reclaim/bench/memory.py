"""How much memory all runs together may take."""

from __future__ import annotations

import os

from reclaim import _core

VARIABLE = "RECLAIM_MEMORY_LIMIT"


def budget(wanted: str | None) -> int | None:
    """Give the memory that runs may take together, in bytes; None for any.

    >>> budget("8GiB"), budget("unlimited")
    (8589934592, None)

    Args:
        wanted: what the user says; None for the limit of every run (the environment), or what is available.

    Raises:
        InputError: for what is no size.
    """
    text, what = (wanted, "--memory") if wanted is not None else (os.environ.get(VARIABLE), VARIABLE)
    return _core.memory_limit(text, what) if text else _core.memory_limit()
