"""On which line of a TOML file a key stands."""

from __future__ import annotations

from reclaim import _core

KeyPath = tuple[str | int, ...]
"""Keys from the top of the file down to a value; a number is the place in a list, counted from 0."""


def line_of(text: str, path: KeyPath) -> int | None:
    r"""Find the line of a key, or of the nearest above it; None if not even that is there.

    >>> line_of('name = "a"\n[axes]\nseed = [\n 1,\n "two",\n]\n', ("axes", "seed", 1))
    5
    >>> line_of('[[schemes]]\nname = "a"\n[[schemes]]\nname = "b"\n', ("schemes", 1, "name"))
    4
    >>> line_of('[set]\nwarmup.kind = "x"\n', ("set", "warmup.kind"))
    2
    """
    return _core.toml_line(text, path)
