"""How much memory all runs together may take."""

from __future__ import annotations

import os
import re
from pathlib import Path

from reclaim.errors import InputError

VARIABLE = "RECLAIM_MEMORY_LIMIT"
UNLIMITED = "unlimited"
UNITS = {"": 0, "K": 10, "M": 20, "G": 30, "T": 40}
SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([KMGT]?)(?:i?B)?", re.IGNORECASE)


def size(text: str, what: str) -> int:
    """Read a size; units count in 1024.

    >>> size("8GiB", "--memory"), size("512M", "--memory")
    (8589934592, 536870912)

    Raises:
        InputError: if it is none.
    """
    found = SIZE.fullmatch(text.strip())
    if not found or float(found[1]) == 0:
        raise InputError(f'{what} {text}: expected a size such as 8GiB, or "{UNLIMITED}"')
    return int(float(found[1]) * (1 << UNITS[found[2].upper()]))


def available() -> int | None:
    """Bytes that the computer has available; None where it does not tell."""
    try:
        told = Path("/proc/meminfo").read_text(encoding="ascii")
    except OSError:
        return None
    found = re.search(r"^MemAvailable:\s*(\d+) kB", told, re.MULTILINE)
    return int(found[1]) * 1024 if found else None


def budget(wanted: str | None) -> int | None:
    """Give the memory that runs may take together, in bytes; None for any.

    Args:
        wanted: what the user says; None for the limit of every run (the environment), or what is available.

    Raises:
        InputError: for what is no size.
    """
    text, what = (wanted, "--memory") if wanted is not None else (os.environ.get(VARIABLE), VARIABLE)
    if text is None or not text.strip():
        return available()
    return None if text.strip() == UNLIMITED else size(text, what)
