"""What the log of a sweep says of its points: what was stored, by which build, and what ended a process."""

from __future__ import annotations

import json
import os
import sys
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import Any

from reclaim import input_file
from reclaim.result.sets.packed import KEY, Place

LOG = "log.jsonl"
CHECKSUMS = "checksums"
"""Of the tables of all points, in the manifest of a sweep."""
BEGAN = "began"
"""Outcome in the log of a point that begins: if nothing follows, it may be what ended the process."""
DIED = "died"
"""Key in the log of a point that has ended a process of its own."""
DISCARDED = "discarded"
"""Outcome in the log of a point that does not count any more."""
ACCEPTED = "accepted"
"""Key in the log of builds whose points a user counts as those of this one."""
Checksums = dict[str, str]
"""Of the files of a point, by their names."""
Line = dict[str, Any]
"""Of the log, as it stands there."""


@dataclass(slots=True)
class Noted:
    """The last that the log says of a point."""

    files: Checksums | None = None
    """Of what was stored; None if nothing is known."""
    build: str = ""
    """That stored it; empty if it is not known."""
    outcome: str = ""
    died: bool = False
    place: Place | None = None
    """Where it is, if it has no folder of its own."""
    as_written: bool = False
    """Whether who reads this log has seen there that it is as it was written."""


@dataclass
class Notes:
    """What a log says."""

    points: dict[str, Noted] = field(default_factory=dict)
    accepted: dict[str, set[str]] = field(default_factory=dict)
    """By build: others whose points count for it."""

    def of(self, point: str) -> Noted:
        """What it says of a point, which may be nothing."""
        return self.points.get(point) or Noted()


class Log:
    """The log of a sweep, to which others may write meanwhile; lines that are none count for nothing."""

    def __init__(self, folder: Path) -> None:
        """Read nothing yet; without a log nothing is known."""
        self._file = folder / LOG
        self._name = os.fspath(self._file)
        self._read = 0
        self._lock = Lock()
        self._notes = Notes()

    @property
    def notes(self) -> Notes:
        """What it says now: it is looked at each time, so who asks of many points keeps the answer."""
        with self._lock, suppress(OSError):
            size = os.stat(self._name).st_size  # noqa: PTH116 - half the time
            if size < self._read:
                self._read, self._notes = 0, Notes()
            if size > self._read:
                with input_file.opened(self._file) as file:
                    file.seek(self._read)
                    data = file.read()
                # A line without an end is read again: it may be being written.
                self._read += data.rfind(b"\n") + 1
                for line in data.split(b"\n"):
                    _note(line, self._notes)
        return self._notes


def _note(text: bytes, notes: Notes) -> None:
    try:
        line = json.loads(text.decode())
    except (ValueError, RecursionError):
        return
    if not isinstance(line, dict):
        return
    build, point = line.get("build"), line.get("point")
    build = sys.intern(build) if isinstance(build, str) else ""
    accepted = line.get(ACCEPTED)
    if isinstance(accepted, list):
        notes.accepted.setdefault(build, set()).update(each for each in accepted if isinstance(each, str))
    if not isinstance(point, str):
        return
    noted = notes.points.setdefault(point, Noted())
    noted.outcome, noted.died = sys.intern(str(line.get("outcome", ""))), line.get(DIED) is True
    if noted.outcome == DISCARDED:
        noted.place = noted.files = None
    files = line.get("files")
    if isinstance(files, dict) and files and _are_names(files):
        noted.files, noted.build, noted.place = files, build, Place.of(line.get(KEY))
        noted.as_written = False


def read(folder: Path) -> Notes:
    """Read the log of a sweep in that folder."""
    return Log(folder).notes


def stored_lines(folder: Path) -> dict[str, Line]:
    """Give the last line about each point that says what was stored, without where that is."""
    found: dict[str, Line] = {}
    with suppress(OSError):
        for text in input_file.data(folder / LOG).split(b"\n"):
            with suppress(ValueError, RecursionError, AttributeError, TypeError):
                line = json.loads(text)
                if line.get("files"):
                    found[line["point"]] = {key: value for key, value in line.items() if key != KEY}
    return found


def stored_checksums(folder: Path) -> dict[str, Checksums]:
    """Give the checksums of points, from the last line about each that has some."""
    return {point: noted.files for point, noted in read(folder).points.items() if noted.files is not None}


def _are_names(files: dict[str, object]) -> bool:
    return all("/" not in name and "\0" not in name for name in files)
