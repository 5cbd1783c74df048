"""What the log of a sweep says of what was stored."""

from __future__ import annotations

import json
from pathlib import Path

from reclaim import input_file

LOG = "log.jsonl"
CHECKSUMS = "checksums"
"""Of the tables of all points, in the manifest of a sweep."""
Checksums = dict[str, str]
"""Of the files of a point, by their names."""


def stored_checksums(folder: Path) -> dict[str, Checksums]:
    """Give the checksums of points, from the last line about each; lines that are none count for nothing.

    Args:
        folder: that of the sweep; without a log nothing is known.
    """
    known: dict[str, Checksums] = {}
    try:
        lines = input_file.data(folder / LOG).split(b"\n")
    except OSError:
        return known
    for line in lines:
        try:
            noted = json.loads(line)
            point, files = noted["point"], noted["files"]
        except (ValueError, KeyError, TypeError, RecursionError):
            continue
        if isinstance(point, str) and isinstance(files, dict) and files and _are_names(files):
            known[point] = files
    return known


def _are_names(files: dict[str, object]) -> bool:
    return all("/" not in name and "\0" not in name for name in files)
