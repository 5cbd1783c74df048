"""The points that a sweep has stored: each in a folder of its own, or many in one file."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from reclaim.checksums import changed
from reclaim.errors import InputError
from reclaim.result.result import Result
from reclaim.result.sets import packed
from reclaim.result.sets.log import Log, Noted, Notes
from reclaim.result.sets.packed import Files, Packs, Place

POINTS = "points"
PARTIAL = ".partial-"
"""How folders begin that are not complete."""


class StoredPoints:
    """Reads points."""

    def __init__(self, folder: Path) -> None:
        """Take the folder of the sweep."""
        self.folder = folder
        self._log = Log(folder)
        self._points = f"{folder / POINTS}{os.sep}"
        self._packs = Packs(folder / POINTS)

    @property
    def notes(self) -> Notes:
        """What the log says now."""
        return self._log.notes

    def noted(self, id: str) -> Noted:
        """Give what the log says of a point, which may be nothing."""
        return self.notes.of(id)

    def point(self, id: str) -> Path:
        """Where a point is, or will be; of one among many, the file that it is in."""
        place = self.noted(id).place
        return self.folder / POINTS / (id if place is None else place.file)

    def has(self, id: str) -> bool:
        """Whether a point is there: if it is, it is whole."""
        noted = self.notes.points.get(id)
        if (
            noted is not None
            and noted.place is not None
            and self._packs.size(noted.place.file) >= noted.place.end
        ):
            return True
        return (self.folder / POINTS / id).is_dir()

    def ids(self) -> set[str]:
        """Name all points that are there, with one look at the log and one at the folder."""
        there = set()
        with suppress(OSError), os.scandir(self._points) as entries:
            there = {each.name for each in entries if each.is_dir() and not each.name.startswith(PARTIAL)}
        notes = self.notes
        ends = {each.place.file for each in notes.points.values() if each.place is not None}
        size = {file: self._packs.size(file) for file in ends}
        return there | {
            point
            for point, noted in notes.points.items()
            if (place := noted.place) is not None and size[place.file] >= place.end
        }

    def unpacked(self, id: str) -> Files | None:
        """Give the files of a point that is one of many in a file; None if it has a folder.

        Raises:
            InputError: if the file cannot be read, or was changed.
        """
        noted = self.noted(id)
        return None if noted.place is None else packed.unpacked(self._read(noted.place, noted))

    def _read(self, place: Place, noted: Noted) -> bytes:
        """Give a point of many as it was stored.

        Raises:
            InputError: if it cannot be read, or was changed.
        """
        data = self._packs.read(place)
        noted.as_written = True
        return data

    def result(self, id: str) -> Result:
        """Give what a point measured.

        Raises:
            InputError: as `Result.load`.
        """
        files = self.unpacked(id)
        return Result.load(self.point(id)) if files is None else Result.of_files(files)

    def changed(self, id: str, known: Mapping[str, str], noted: Noted | None = None) -> str | None:
        """Say which file of a point is not as it was; None if all are.

        Args:
            id: of the point.
            known: checksums of its files, by their names.
            noted: what the log says of it, where that was asked already.
        """
        noted = self.noted(id) if noted is None else noted
        if noted.place is None:
            return changed(self.point(id), known)
        try:
            if not noted.as_written:
                self._read(noted.place, noted)
        except InputError as error:
            return str(error).removeprefix(self._points)
        theirs = noted.files or {}
        # Tables are other files in a folder; what they have, results tell as well.
        shared = theirs.keys() & known.keys()
        return next((f"{name} was changed" for name in sorted(shared) if theirs[name] != known[name]), None)

    def close(self) -> None:
        """Close the files of many points; whoever reads on opens them again."""
        self._packs.close()
