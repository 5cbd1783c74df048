"""What the log of a sweep says of its points: what was stored, by which build, and what ended a process."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from reclaim import input_file

LOG = "log.jsonl"
CHECKSUMS = "checksums"
"""Of the tables of all points, in the manifest of a sweep."""
BEGAN = "began"
"""Outcome in the log of a point that begins: if nothing follows, it may be what ended the process."""
DIED = "died"
"""Key in the log of a point that has ended a process of its own."""
ACCEPTED = "accepted"
"""Key in the log of builds whose points a user counts as those of this one."""
Checksums = dict[str, str]
"""Of the files of a point, by their names."""
Line = dict[str, Any]
"""Of the log, as it stands there."""


@dataclass
class Noted:
    """The last that the log says of a point."""

    files: Checksums | None = None
    """Of what was stored; None if nothing is known."""
    line: Line = field(default_factory=dict)
    """The line that says so; empty if none does."""
    build: str = ""
    """That stored it; empty if it is not known."""
    outcome: str = ""
    died: bool = False


@dataclass
class Notes:
    """What a log says."""

    points: dict[str, Noted] = field(default_factory=dict)
    accepted: dict[str, set[str]] = field(default_factory=dict)
    """By build: others whose points count for it."""

    def of(self, point: str) -> Noted:
        """What it says of a point, which may be nothing."""
        return self.points.get(point) or Noted()


def read(folder: Path) -> Notes:
    """Read the log of a sweep; lines that are none count for nothing.

    Args:
        folder: that of the sweep; without a log nothing is known.
    """
    notes = Notes()
    for line in _lines(folder):
        build, point = line.get("build"), line.get("point")
        build = build if isinstance(build, str) else ""
        accepted = line.get(ACCEPTED)
        if isinstance(accepted, list):
            notes.accepted.setdefault(build, set()).update(each for each in accepted if isinstance(each, str))
        if not isinstance(point, str):
            continue
        noted = notes.points.setdefault(point, Noted())
        noted.outcome, noted.died = str(line.get("outcome", "")), line.get(DIED) is True
        files = line.get("files")
        if isinstance(files, dict) and files and _are_names(files):
            noted.files, noted.build, noted.line = files, build, line
    return notes


def stored_checksums(folder: Path) -> dict[str, Checksums]:
    """Give the checksums of points, from the last line about each that has some."""
    return {point: noted.files for point, noted in read(folder).points.items() if noted.files is not None}


def _lines(folder: Path) -> Iterator[Line]:
    try:
        lines = input_file.data(folder / LOG).split(b"\n")
    except OSError:
        return
    for line in lines:
        try:
            noted = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(noted, dict):
            yield noted


def _are_names(files: dict[str, object]) -> bool:
    return all("/" not in name and "\0" not in name for name in files)
