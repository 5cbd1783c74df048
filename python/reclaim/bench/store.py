"""The folder of a sweep: every point appears in it whole, under its own name, and is never run twice."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from reclaim import input_file, output_file
from reclaim.checksums import checksums
from reclaim.errors import InputError
from reclaim.parsing import json_value
from reclaim.results.sets.log import LOG

POINTS = "points"
ASIDE = "aside"
"""Points that the experiment no longer has: they come back when it has them again."""
DAMAGED = "damaged"
"""Points that are not as they were written: they have been run again."""
OTHER_BUILDS = "other-builds"
"""Points that other builds have run, put there by `--force`."""
FAILURES = "failures"
STATES = "states"
TRACES = "traces"
"""Descriptions of generated traces, so that `reclaim run` can open them."""
KEPT = "points.json"
"""In a folder beside the points: those that something else than the sweep of the experiment has run there."""
PARTIAL = ".partial-"
"""How folders begin that are not complete."""


def sync(path: Path) -> None:
    """See that a file, or the names in a folder, are on the disk before something that relies on it."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


class Store:
    """Points, failures, states and the log of one sweep."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def prepare(self) -> None:
        """Make the folders."""
        for name in (POINTS, FAILURES, STATES):
            (self.folder / name).mkdir(exist_ok=True)

    def point(self, id: str) -> Path:
        """Where a point is, or will be."""
        return self.folder / POINTS / id

    def has(self, id: str) -> bool:
        """Whether a point is there: if it is, it is whole."""
        return self.point(id).is_dir()

    def state(self, key: str) -> Path:
        """Where a state is, or will be."""
        return self.folder / STATES / f"{key}.state"

    @contextmanager
    def beginning(self, id: str) -> Iterator[Path]:
        """Give an empty folder for the files of a point, which `commit` makes the point; gone if that fails.

        Raises:
            InputError: if it cannot be written.
        """
        partial = self.folder / POINTS / f"{PARTIAL}{id}-{os.getpid()}-{threading.get_ident()}"
        try:
            shutil.rmtree(partial, ignore_errors=True)
            partial.mkdir()
            yield partial
        except BaseException as error:
            shutil.rmtree(partial, ignore_errors=True)
            if isinstance(error, OSError):
                raise self._cannot(id, error) from None
            if isinstance(error, InputError):
                raise InputError(str(error).replace(str(partial), str(self.point(id)))) from None
            raise

    def commit(self, id: str, partial: Path, note: Mapping[str, Any]) -> None:
        """Make a folder with all files of a point the point, so that it survives a failure of the machine.

        Args:
            id: of the point.
            partial: the folder; it is gone afterwards.
            note: the line of the log, which gets the checksums of the files. It is written first: of a point
                that is there, the log says who ran it.

        Raises:
            InputError: if it cannot be written.
        """
        try:
            for file in partial.iterdir():
                sync(file)
            sync(partial)
            self.log({**note, "files": checksums(partial)})
            try:
                partial.rename(self.point(id))
            except OSError:
                # Another command has run the same point meanwhile: its files are the same.
                if not self.has(id):
                    raise
            sync(self.point(id).parent)
            self._failure(id).unlink(missing_ok=True)
        except OSError as error:
            raise self._cannot(id, error) from None
        finally:
            shutil.rmtree(partial, ignore_errors=True)

    def _cannot(self, id: str, error: OSError) -> InputError:
        return InputError(f"{self.point(id)}: cannot be written: {error.strerror or error}")

    def _failure(self, id: str) -> Path:
        return self.folder / FAILURES / f"{id}.json"

    def fail(self, id: str, failure: Mapping[str, Any]) -> None:
        """Note why a point failed."""
        told = json.dumps(failure, indent=2, ensure_ascii=False) + "\n"
        # `clear` removes what a killed run left: each of many failures would look through all others.
        output_file.write_text(self._failure(id), told, stale=False)

    def log(self, entry: Mapping[str, Any]) -> None:
        """Add a line to the log, in one write: other commands may add theirs at the same time.

        Raises:
            InputError: if it cannot be written.
        """
        line = (json.dumps(entry, ensure_ascii=False) + "\n").encode()
        place = self.folder / LOG
        try:
            with place.open("ab", buffering=0) as log:
                written = log.write(line)
                if written < len(line):
                    # A disk that has room for a part of it alone; what is left says why.
                    log.write(line[written:])
        except OSError as error:
            raise InputError(f"{place}: cannot be written: {error.strerror or error}") from None

    def clear(self) -> None:
        """Throw away what a run that was killed left; nobody else may be writing."""
        for each in (self.folder / POINTS).glob(f"{PARTIAL}*"):
            shutil.rmtree(each, ignore_errors=True)
        for folder in (self.folder, self.folder / FAILURES, self.folder / STATES, self.folder / TRACES):
            for each in folder.glob(f"{PARTIAL}*"):
                each.unlink(missing_ok=True)

    def discard(self, id: str, where: str = DAMAGED) -> None:
        """Put a point that does not count out of the way, in place of what was there of it before.

        Raises:
            InputError: if it cannot be moved.
        """
        place = self.folder / where
        try:
            place.mkdir(exist_ok=True)
            shutil.rmtree(place / id, ignore_errors=True)
            with contextlib.suppress(FileNotFoundError):
                # Another command has found it, too.
                self.point(id).rename(place / id)
        except OSError as error:
            raise self._cannot(id, error) from None

    def arrange(self, wanted: Iterable[str]) -> tuple[int, int]:
        """Put points aside that are not wanted, and take those back that are; give how many of each.

        Points that an instrument keeps stay where they are.
        """
        names = set(wanted)
        out, kept = 0, self.kept()
        aside = self.folder / ASIDE
        for each in sorted((self.folder / POINTS).iterdir()):
            if each.name not in names and each.name not in kept and each.is_dir():
                aside.mkdir(exist_ok=True)
                shutil.rmtree(aside / each.name, ignore_errors=True)
                each.rename(aside / each.name)
                out += 1
        back = self.take_back(names)
        for each in (self.folder / FAILURES).glob("*.json"):
            if each.stem not in names:
                each.unlink()
        return out, back

    def take_back(self, wanted: Iterable[str]) -> int:
        """Take back points that were put aside; give how many."""
        names, back = set(wanted), 0
        aside = self.folder / ASIDE
        for each in sorted(aside.iterdir()) if aside.is_dir() else []:
            if each.name in names and not self.has(each.name):
                each.rename(self.point(each.name))
                back += 1
        with contextlib.suppress(OSError):
            aside.rmdir()
        return back

    def keep(self, name: str, points: Iterable[str]) -> None:
        """Note the points that an instrument runs, before it does: a sweep leaves them where they are.

        Args:
            name: of the instrument's folder in this one.
            points: all of them, those that the sweep has, too.

        Raises:
            InputError: if it cannot be written.
        """
        place = self.folder / name
        try:
            place.mkdir(exist_ok=True)
        except OSError as error:
            raise InputError(f"{place}: cannot be written: {error.strerror or error}") from None
        output_file.write_text(place / KEPT, json.dumps(sorted(set(points)), indent=2) + "\n")

    def kept(self) -> set[str]:
        """Give the points that instruments keep; a list that was damaged keeps none."""
        found: set[str] = set()
        for place in sorted(self.folder.iterdir()):
            with contextlib.suppress(OSError, ValueError):
                names = json_value(input_file.text(place / KEPT))
                found |= (
                    {name for name in names if isinstance(name, str)} if isinstance(names, list) else set()
                )
        return found

    def remove_state(self, key: str) -> None:
        """Remove a state that nobody needs."""
        self.state(key).unlink(missing_ok=True)

    def tidy(self) -> None:
        """Remove folders that are empty at the end."""
        for name in (FAILURES, STATES):
            with contextlib.suppress(OSError):
                (self.folder / name).rmdir()
