"""The folder of a sweep: every point appears in it whole, under its own name, and is never run twice."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from io import FileIO
from pathlib import Path
from typing import Any, NamedTuple

from reclaim import builds, input_file, output_file, output_folder, table_file
from reclaim.checksums import checksums
from reclaim.errors import InputError
from reclaim.experiment.experiment import Experiment
from reclaim.experiment.parts import Record
from reclaim.experiment.point import Point
from reclaim.output_folder import EXPERIMENT
from reclaim.parsing import json_value, toml_file
from reclaim.result.result import Result
from reclaim.result.sets import log, packed
from reclaim.result.sets.log import LOG
from reclaim.result.sets.packed import ENDING, Files
from reclaim.result.sets.stored import PARTIAL, POINTS, StoredPoints
from reclaim.trace.generate import generate_trace

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


def described(folder: Path, name: str) -> Path:
    """Where the description of a generated trace is."""
    return folder / TRACES / f"{name}.toml"


def sync(path: Path) -> None:
    """See that a file, or the names in a folder, are on the disk before something that relies on it."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


class Packed(NamedTuple):
    """A point for the file of many."""

    id: str
    files: Files
    note: Mapping[str, Any]
    """The line of the log, which gets the checksums of the files."""


class Store(StoredPoints):
    """Points, failures, states and the log of one sweep."""

    def __init__(self, folder: Path, *, packs: bool = False) -> None:
        """Take a folder.

        Args:
            folder: of the sweep.
            packs: put the files of many points into one; tables that only some points have need folders.
        """
        super().__init__(folder)
        self.packs = packs
        self._own: tuple[str, FileIO] | None = None
        """The file of points that this one writes."""
        self._logging: FileIO | None = None
        self._writing = threading.Lock()

    def packs_with(self, record: Record) -> bool:
        """Whether a point of which this is recorded goes into the file of many."""
        return self.packs and record.packs

    def prepare(self) -> None:
        """Make the folders."""
        for name in (POINTS, FAILURES, STATES):
            (self.folder / name).mkdir(exist_ok=True)

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
                partial.rename(self.folder / POINTS / id)
            except OSError:
                # Another command has run the same point meanwhile: its files are the same.
                if not self.has(id):
                    raise
            sync(self.folder / POINTS)
            self._failure(id).unlink(missing_ok=True)
        except OSError as error:
            raise self._cannot(id, error) from None
        finally:
            shutil.rmtree(partial, ignore_errors=True)

    def pack(self, points: Sequence[Packed]) -> None:
        """Add points to the file of many: they are on the disk before the log says that they are there.

        Raises:
            InputError: if it cannot be written.
        """
        name, file = self._packing()
        lines, whole = [], bytearray()
        try:
            begin = file.seek(0, os.SEEK_END)
            for each in points:
                data = packed.packed(each.id, each.files)
                place = packed.Place(name, begin + len(whole), len(data), packed.checksum(data))
                sums = {name: packed.checksum(content) for name, content in sorted(each.files.items())}
                lines.append({**each.note, "files": sums, packed.KEY: place._asdict()})
                whole += data
            left = memoryview(whole)
            while left:
                left = left[file.write(left) :]
            os.fsync(file.fileno())
        except OSError as error:
            raise InputError(
                f"{self.folder / POINTS / name}: cannot be written: {error.strerror or error}"
            ) from None
        self.log(*lines, sync=True)
        failures = f"{self.folder / FAILURES}{os.sep}"
        for each in points:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(f"{failures}{each.id}.json")  # noqa: PTH108 - most have none

    def _packing(self) -> tuple[str, FileIO]:
        """Begin a file that nobody else writes."""
        number = 1
        while self._own is None:
            name = f"{number}{ENDING}"
            try:
                self._own = name, (self.folder / POINTS / name).open("xb", buffering=0)
                sync(self.folder / POINTS)
            except FileExistsError:
                number += 1
            except OSError as error:
                raise InputError(
                    f"{self.folder / POINTS / name}: cannot be written: {error.strerror or error}"
                ) from None
        return self._own

    def close(self) -> None:
        """Close the files of many points, and the log."""
        super().close()
        if self._own is not None:
            self._own[1].close()
            self._own = None
        if self._logging is not None:
            self._logging.close()
            self._logging = None

    def __del__(self) -> None:
        self.close()

    def _cannot(self, id: str, error: OSError) -> InputError:
        return InputError(f"{self.point(id)}: cannot be written: {error.strerror or error}")

    def _failure(self, id: str) -> Path:
        return self.folder / FAILURES / f"{id}.json"

    def fail(self, id: str, failure: Mapping[str, Any]) -> None:
        """Note why a point failed."""
        told = json.dumps(failure, indent=2, ensure_ascii=False) + "\n"
        # `clear` removes what a killed run left: each of many failures would look through all others.
        output_file.write_text(self._failure(id), told, stale=False)

    def log(self, *entries: Mapping[str, Any], sync: bool = False) -> None:
        """Add lines to the log, in one write: other commands may add theirs at the same time.

        Args:
            entries: the lines.
            sync: see that they are on the disk, as far as can be.

        Raises:
            InputError: if it cannot be written.
        """
        line = "".join(json.dumps(each, ensure_ascii=False) + "\n" for each in entries).encode()
        place = self.folder / LOG
        try:
            with self._writing:
                log = self._log_file(place)
                written = log.write(line)
                if written < len(line):
                    # A disk that has room for a part of it alone; what is left says why.
                    log.write(line[written:])
                if sync:
                    with contextlib.suppress(OSError):
                        os.fsync(log.fileno())
        except OSError as error:
            raise InputError(f"{place}: cannot be written: {error.strerror or error}") from None

    def _log_file(self, place: Path) -> FileIO:
        """Open the log, once, unless it was removed since."""
        if self._logging is not None and not os.fstat(self._logging.fileno()).st_nlink:
            self._logging.close()
            self._logging = None
        if self._logging is None:
            self._logging = place.open("ab", buffering=0)
        return self._logging

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
        place, noted = self.folder / where, self.noted(id)
        try:
            place.mkdir(exist_ok=True)
            shutil.rmtree(place / id, ignore_errors=True)
            if noted.place is not None:
                with contextlib.suppress(OSError):
                    (place / f"{id}{ENDING}").write_bytes(self._packs.peek(noted.place))
                self.log({"point": id, "outcome": log.DISCARDED})
                return
            with contextlib.suppress(FileNotFoundError):
                # Another command has found it, too.
                self.point(id).rename(place / id)
        except OSError as error:
            raise self._cannot(id, error) from None

    def arrange(self, wanted: Iterable[str]) -> int:
        """Put points aside that are not wanted, and take those back that are; give how many were put aside.

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
        self.take_back(names)
        for each in (self.folder / FAILURES).glob("*.json"):
            if each.stem not in names:
                each.unlink()
        return out

    def take_back(self, wanted: Iterable[str]) -> None:
        """Take back points that were put aside."""
        names = set(wanted)
        aside = self.folder / ASIDE
        for each in sorted(aside.iterdir()) if aside.is_dir() else []:
            if each.name in names and not self.has(each.name):
                each.rename(self.folder / POINTS / each.name)
        with contextlib.suppress(OSError):
            aside.rmdir()

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


def fault(folder: Path, name: str, kind: str = "sweep") -> str | None:
    """Say why a sweep must not write into `folder` without being forced; None if it may.

    Args:
        folder: where.
        kind: the command that writes there; results of another one are not touched.
        name: what the experiment is called: one of the same name may have been edited since.
    """
    known = folder / EXPERIMENT
    # Looked at first: another command of the sweep may begin, and the experiment is what it writes first.
    strange = sorted(each.name for each in folder.iterdir() if not each.name.startswith(PARTIAL))
    if (other := output_folder.of_another_kind(folder, kind)) is not None:
        return other
    if not input_file.is_there(known):
        return (
            f"{folder}: is not empty, and no {kind} wrote what is in it ({strange[0]})" if strange else None
        )
    try:
        there = toml_file(known).get("name")
    except InputError:
        return f"{known}: is no experiment"
    if there == name:
        return None
    return f'{folder}: has the points of another experiment, "{there}", not of "{name}"'


@contextmanager
def opened(
    folder: Path,
    experiment: Experiment,
    *,
    force: bool,
    shared: bool,
    kind: str = "sweep",
    packs: bool = False,
) -> Iterator[Store]:
    """Open a folder for a sweep, and keep others out as long.

    Args:
        folder: where points are stored.
        experiment: what is run.
        force: use a folder that has other things: points of another experiment are put aside.
        shared: let other commands of the same kind write there, too.
        kind: the command that writes there.
        packs: put the files of many points into one.

    Raises:
        InputError: if the folder cannot be used, or another run is writing there.
    """
    with begun(
        folder,
        experiment.name,
        lambda: _describe(folder, experiment),
        force=force,
        shared=shared,
        kind=kind,
        packs=packs,
    ) as store:
        yield store


@contextmanager
def begun(
    folder: Path,
    name: str,
    describe: Callable[[], object],
    *,
    force: bool,
    shared: bool = False,
    kind: str = "sweep",
    packs: bool = False,
) -> Iterator[Store]:
    """Open a folder for the points of an experiment, and keep others out as long.

    Args:
        folder: where points are stored.
        name: what the experiment is called.
        describe: writes into the folder what is run.
        force: use a folder that has other things.
        shared: let other commands of the same kind write there, too.
        kind: the command that writes there.
        packs: put the files of many points into one.

    Raises:
        InputError: if the folder cannot be used, or another run is writing there.
    """

    def refused() -> str | None:
        reason = None if force else fault(folder, name, kind)
        if reason is not None:
            return f"{reason}; give another folder, or --force, which keeps what it does not replace"
        # First of all: whatever ends this process, the next one knows the folder.
        describe()
        store.prepare()
        return None

    store = Store(folder, packs=packs)
    with output_folder.held(folder, refused, f"a {kind}", shared=shared), contextlib.closing(store):
        yield store


def _describe(folder: Path, experiment: Experiment) -> None:
    """Write what is run, and what generates its traces, where it is not there already."""
    _write(folder / EXPERIMENT, experiment.text)
    for entry in experiment.parts.traces:
        if entry.generate is not None:
            text = generate_trace(name=entry.name, **entry.generate).description
            (folder / TRACES).mkdir(exist_ok=True)
            _write(described(folder, entry.name), text or "")


def _write(path: Path, text: str) -> None:
    if not path.is_file() or input_file.data(path) != text.encode():
        output_file.write_text(path, text)


FOUND = "found"
"""Outcome in the log of a point that was stored without a checksum: by an earlier version, or by a command
that was killed between the two."""


@dataclass(frozen=True)
class Stored:
    """What is known of the points that are stored."""

    damaged: dict[str, str]
    """Those that are not as they were written: which each is, why, and what becomes of it."""
    found: int
    """Those that had no checksum, are complete, and have one now."""
    count: int = 0
    """All that count: those that are damaged do not."""


def _incomplete(store: Store, id: str, record: Record) -> str | None:
    """Say what a point lacks that no checksum is known of; None if it has all that its run wrote."""
    folder = store.point(id)
    recorded = {"histograms": True, "timeline": record.timeline, "gc_log": record.gc}
    tables = [name for name, kept in (recorded | {"requests": record.requests}).items() if kept]
    for name in ("results.json", "config.toml", *(f"{table}.parquet" for table in tables)):
        if not (folder / name).is_file():
            return f"{name} is missing"
    try:
        Result.load(folder)
        for table in tables:
            columns = table_file.OF_REQUESTS if table == "histograms" else table_file.NUMBERS
            table_file.read(folder / f"{table}.parquet", columns)
    except InputError as error:
        return str(error).removeprefix(f"{folder}/")
    return None


def check_builds(
    store: Store, points: Iterable[Point], accepted: Sequence[str] = (), *, force: bool = False
) -> None:
    """See that stored points count for this build.

    Args:
        store: where they are.
        points: those that shall count.
        accepted: builds that the user accepts; that is noted, and holds for this build from then on.
        force: put what other builds have run out of the way, to be run again.

    Raises:
        InputError: naming the other builds, and what to do.
    """
    # Before the log, which has its line first: another command may store one meanwhile.
    stored = store.ids()
    notes = store.notes
    ours = builds.build()
    before = {each for build, others in notes.accepted.items() if builds.same(build, ours) for each in others}
    by_build: dict[str, list[str]] = {}
    for point in dict.fromkeys(each.id for each in points):
        if point in stored:
            by_build.setdefault(notes.of(point).build or builds.UNKNOWN, []).append(point)
    strange = {theirs: ids for theirs, ids in by_build.items() if not builds.accepts(theirs, before)}
    refused = {build: ids for build, ids in strange.items() if not builds.accepts(build, accepted)}
    if refused and not force:
        count = sum(map(len, refused.values()))
        raise InputError(
            f"{store.folder}: {count} of its points {'was' if count == 1 else 'were'} "
            f"{builds.refusal(refused)}, or --force to run them again "
            f"(what is there is kept in {store.folder.name}/{OTHER_BUILDS})"
        )
    for point in (each for found in refused.values() for each in found):
        store.discard(point, OTHER_BUILDS)
    if newly := sorted(set(strange) - set(refused)):
        store.log({log.ACCEPTED: newly, "build": ours})


def look(store: Store, points: Sequence[Point], *, mend: bool) -> Stored:
    """Compare stored points with their checksums.

    Args:
        store: where they are.
        points: those to look at.
        mend: put those that are damaged out of the way, and note checksums of those that have none.
    """
    stored = store.ids()
    notes = store.notes
    damaged, found = {}, 0
    for point in (each for each in points if each.id in stored):
        noted = notes.of(point.id)
        sums = noted.files
        fault = (
            _incomplete(store, point.id, point.record)
            if sums is None
            else store.changed(point.id, sums, noted)
        )
        if fault is not None:
            damaged[point.id] = _told(store, point, fault)
        elif sums is None:
            found += 1
            if mend:
                # Who has run it is not known; that it counts was said before.
                store.log({"point": point.id, "outcome": FOUND, "files": checksums(store.point(point.id))})
    if mend:
        for each in damaged:
            store.discard(each)
    return Stored(damaged, found)


def missing(store: Store, points: Iterable[Point]) -> list[str]:
    """Give the names of points that are to be run: not stored, or damaged."""
    unique = {each.id: each for each in points}
    damaged = look(store, list(unique.values()), mend=False).damaged
    stored = store.ids() - damaged.keys()
    return [each for each in unique if each not in stored]


def _told(store: Store, point: Point, fault: str) -> str:
    where = f"{store.folder.name}/{DAMAGED}/{point.id}"
    return f"{store.point(point.id)} ({point.label()}): {fault}; it is kept in {where}, and run again"
