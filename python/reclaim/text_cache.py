"""Texts that take seconds to make and are the same each time, kept for the next command."""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Callable
from pathlib import Path

from reclaim import input_file, output_file
from reclaim.errors import InputError


def folder() -> Path | None:
    """Where they are kept: `reclaim` in `$XDG_CACHE_HOME` or in `~/.cache`; None without a home."""
    with contextlib.suppress(RuntimeError):
        named = os.environ.get("XDG_CACHE_HOME", "")
        above = Path(named) if Path(named).is_absolute() else Path.home() / ".cache"
        return above / "reclaim"
    return None


def text(name: str, make: Callable[[], str]) -> str:
    """Give the text of this name, which says everything that it depends on; made if it is not there.

    What was cut off or altered is made anew, and where nothing can be written nothing is kept.
    """
    above = folder()
    if above is None:
        return make()
    with contextlib.suppress(OSError):
        found = input_file.data(above / name)
        digest, _, content = found.partition(b"\n")
        if digest == _digest(content):
            return content.decode()
    made = make()
    with contextlib.suppress(InputError), output_file.whole(above / name) as partial:
        partial.write_bytes(_digest(made.encode()) + b"\n" + made.encode())
    return made


def _digest(content: bytes) -> bytes:
    return hashlib.blake2b(content).hexdigest().encode()
