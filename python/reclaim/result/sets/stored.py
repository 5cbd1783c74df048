"""The points that a sweep has stored: each in a folder of its own, or many in one file."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from reclaim.checksums import changed
from reclaim.errors import InputError
from reclaim.result.result import Result
from reclaim.result.sets import packed
from reclaim.result.sets.log import Log, Noted, Notes
from reclaim.result.sets.packed import Files, Packs

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
        if noted is not None and noted.place is not None and self._packs.has(noted.place):
            return True
        return os.path.isdir(self._points + id)  # noqa: PTH112 - asked of a hundred thousand

    def ids(self) -> list[str]:
        """Name all points that are there."""
        folders = [each.name for each in (self.folder / POINTS).iterdir() if each.is_dir()]
        there = {each for each in folders if not each.startswith(PARTIAL)}
        return sorted(
            there | {each for each, noted in self.notes.points.items() if noted.place and self.has(each)}
        )

    def rows(self, id: str) -> int:
        """How many rows the histograms have of a point that is one of many in a file."""
        place = self.noted(id).place
        return 0 if place is None else place.rows

    def unpacked(self, id: str) -> Files | None:
        """Give the files of a point that is one of many in a file; None if it has a folder.

        Raises:
            InputError: if the file cannot be read, or was changed.
        """
        place = self.noted(id).place
        return None if place is None else packed.unpacked(self._packs.read(place))

    def result(self, id: str) -> Result:
        """Give what a point measured.

        Raises:
            InputError: as `Result.load`.
        """
        files = self.unpacked(id)
        return Result.load(self.point(id)) if files is None else Result.of_files(files)

    def changed(self, id: str, known: Mapping[str, str]) -> str | None:
        """Say which file of a point is not as it was; None if all are.

        Args:
            id: of the point.
            known: checksums of its files, by their names.
        """
        noted = self.noted(id)
        if noted.place is None:
            return changed(self.point(id), known)
        try:
            self._packs.read(noted.place)
        except InputError as error:
            return str(error).removeprefix(self._points)
        theirs = noted.files or {}
        return next(
            (f"{name} was changed" for name, expected in known.items() if theirs.get(name) != expected), None
        )

    def close(self) -> None:
        """Close the files of many points; whoever reads on opens them again."""
        self._packs.close()
