"""The folder that results are written to: they appear whole, and nothing is lost that a run did not write.

Everything is written into a folder inside it first and moved to its place when all is there. `manifest.json`
lists what a run wrote, so that the next one replaces just that and leaves no stale file among new ones.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import json
import os
import shutil
import signal
import stat
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from reclaim import _core, builds, input_file, limits
from reclaim.errors import InputError
from reclaim.parsing import json_value

MANIFEST = "manifest.json"
MADE_BY = "made_by"
"""Key of a manifest: the command, without `reclaim`."""
EXPERIMENT = "experiment.toml"
"""What a folder of points has from the beginning on."""
PARTIAL = ".reclaim-partial"
"""What is not complete; it is gone when a run ends, and the next run clears what a killed one left."""
TRIES = 100
"""How often a folder is made that other runs, which had nothing to publish, remove at the same time."""
FORCED = "--force writes there all the same and replaces what has the same name"


def listed(folder: Path) -> set[str] | None:
    """Files that an earlier run wrote into `folder`, by its manifest; None without one."""
    try:
        found = json_value(input_file.text(folder / MANIFEST))
        if not isinstance(found, dict) or "reclaim" not in found:
            return None
        paths = [PurePosixPath(each) for each in found["files"]]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None
    return {str(each) for each in paths if not each.is_absolute() and ".." not in each.parts} | {MANIFEST}


def command_of(file: Path) -> str | None:
    """Give the command that wrote a file, by the manifest in its folder or in the one above; None without."""
    for folder in (file.parent, file.parent.parent):
        with contextlib.suppress(OSError, ValueError, AttributeError, TypeError, RecursionError):
            known = json_value(input_file.text(folder / MANIFEST))
            if file.relative_to(folder).as_posix() in known.get("files", known.get("wrote", ())):
                command = known.get("command")
                return command if isinstance(command, str) else None
    return None


def identity(kind: str) -> dict[str, str]:
    """Give what a manifest says of who wrote the folder."""
    return {"reclaim": _core.__version__, "commit": _core.COMMIT, "build": builds.build(), MADE_BY: kind}


def made_by(folder: Path) -> str | None:
    """Give the command that results in a folder are of, without `reclaim`; None if nothing says so."""
    try:
        found = json_value(input_file.text(folder / MANIFEST))
    except (OSError, ValueError, RecursionError):
        found = None
    if isinstance(found, dict):
        if isinstance(kind := found.get(MADE_BY), str):
            return kind
        words = str(found.get("command") or "").split(" ")
        if "reclaim" in found and len(words) > 1:
            return words[1]
    # Until the end, when the manifest is written; the experiment of `compare` begins with its command.
    if not (folder / EXPERIMENT).is_file():
        return None
    with contextlib.suppress(OSError, ValueError):
        return "compare" if input_file.text(folder / EXPERIMENT).startswith("# reclaim compare") else "sweep"
    return "sweep"


def of_another_kind(folder: Path, kind: str) -> str | None:
    """Say that a folder has results of another command than `kind`; None if it has not."""
    theirs = made_by(folder)
    return (
        None
        if theirs in (None, kind)
        else f"{folder}: has what reclaim {theirs} wrote, and this is reclaim {kind}"
    )


def _files(folder: Path, below: str = "") -> set[str]:
    """Files in a folder, or in a part of it, by their paths from `folder`."""
    top = folder / below
    if not top.is_dir() or top.is_symlink():
        return {below} if os.path.lexists(top) else set()
    return {each.relative_to(folder).as_posix() for each in top.rglob("*") if not each.is_dir()}


def _no_folder(folder: Path) -> str | None:
    """Say why no folder can be at `folder`; None if there is one, or making it can be tried."""
    try:
        is_folder = stat.S_ISDIR(folder.stat().st_mode)
    except OSError as error:
        if error.errno not in (errno.ENOENT, errno.ELOOP):
            raise
        return _astray(folder)
    return None if is_folder else f"{folder}: is a file; results are written to a folder"


def _in_the_way(
    folder: Path, names: Iterable[str], reading: Iterable[Path], *, force: bool, kind: str
) -> str | None:
    """Say what in `folder` must not be replaced; None if nothing. What is given is as for `writing`."""
    ours = listed(folder)
    touched = (ours or set()).union(*(_files(folder, name) for name in (*names, MANIFEST)))
    read = [each for each in reading if each.exists()]
    for name in sorted(touched):
        path = folder / name
        if path.exists() and any(path.samefile(each) for each in read):
            return f"{path}: is what is being read; give another folder"
    if force:
        return None
    if (other := of_another_kind(folder, kind)) is not None:
        removes = "removes it" if ours is not None else "writes among it and replaces what has the same name"
        return f"{other}; give another folder, or --force, which {removes}"
    if ours is None:
        strange = any(each.name != PARTIAL for each in folder.iterdir())
        return f"{folder}: is not empty, and no run wrote what is in it; {FORCED}" if strange else None
    foreign = sorted(name for name in touched - ours if os.path.lexists(folder / name))
    return f"{folder / foreign[0]}: was not written by the run before; {FORCED}" if foreign else None


def _astray(folder: Path) -> str | None:
    """Say on which link the way to a folder that is not there ends; None if on none."""
    for each in (folder, *folder.parents):
        if each.is_symlink() and not each.exists():
            way = f"{each} is a link to {each.readlink()}, which is not there"
            return f"{folder}: cannot write results here: {way}"
    return None


def _cannot(folder: Path, error: OSError) -> InputError:
    return InputError(f"{folder}: cannot write results here: {error.strerror or error}")


def _taken_already(folder: Path) -> InputError:
    return InputError(f"{folder}: another run is writing there; wait for it, or give another folder")


@dataclass(frozen=True)
class Staged:
    """Results on their way into a folder."""

    folder: Path
    path: Path
    """Where to write them."""
    replaces: bool
    """Whether an earlier run wrote what is in the folder."""
    kind: str
    """The command that writes it, without `reclaim` and options."""
    command: str | None = None
    """What writes it, as a line for a shell."""

    def keep(self, names: Iterable[str]) -> None:
        """Throw away everything else, such as what was not written to its end."""
        kept = set(names)
        for each in self.path.iterdir():
            if each.name in kept:
                continue
            if each.is_dir():
                shutil.rmtree(each)
            else:
                each.unlink()

    def publish(self) -> None:
        """Put everything that was written into its place, and remove what an earlier run had there.

        Raises:
            InputError: if that fails half-way; what is not in its place stays where it was written.
        """
        old, new = listed(self.folder) or set(), _files(self.path)
        try:
            # Whatever happens in between: the next run knows what of this folder is not the user's.
            self._list(old | new, self.folder / MANIFEST)
            with _undisturbed():
                for name in old - new - {MANIFEST}:
                    (self.folder / name).unlink(missing_ok=True)
                for name in sorted(new):
                    (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
                    (self.path / name).replace(self.folder / name)
                for gone in sorted({str(PurePosixPath(name).parent) for name in old - new}, reverse=True):
                    with contextlib.suppress(OSError):
                        # What is not empty is kept.
                        (self.folder / gone).rmdir()
                self._list(new, self.folder / MANIFEST)
                shutil.rmtree(self.path)
        except OSError as error:
            # Under a name that neither this run nor the next one clears.
            kept = self.folder / "not-in-place"
            where = ""
            with contextlib.suppress(OSError):
                self.path.rename(kept)
                where = f"; what is not in its place is in {kept}"
            raise InputError(f"{_cannot(self.folder, error)}{where}") from None

    def _list(self, names: Iterable[str], manifest: Path) -> None:
        about = identity(self.kind) | {"command": self.command}
        text = json.dumps(about | {"files": sorted(set(names) - {MANIFEST})}, indent=2)
        fresh = self.path / f"{MANIFEST}.new"
        fresh.write_text(text + "\n", encoding="utf-8")
        fresh.replace(manifest)


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Keep Ctrl-C and a signal to end waiting for the moment that it takes to move files."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    waiting: list[int] = []
    numbers: tuple[int, ...] = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = {number: signal.signal(number, lambda number, _: waiting.append(number)) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        for number in waiting[:1]:
            signal.raise_signal(number)


def _locked(folder: Path, *, shared: bool) -> int:
    """Open `folder` for this run alone; the lock ends with the run, however it ends.

    Args:
        folder: the folder.
        shared: for this run and others that say the same.

    Returns:
        What to close when the run ends.

    Raises:
        InputError: if another run is writing there.
    """
    place = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(place, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno == errno.EWOULDBLOCK:
            os.close(place)
            raise _taken_already(folder) from None
        # A file system that knows no locks: a second run is then not noticed.
    return place


@contextmanager
def held(
    folder: Path, refused: Callable[[], str | None], what: str = "results", *, shared: bool = False
) -> Iterator[None]:
    """Hold a folder for this run, made if need be; folders that were made for nothing are removed at the end.

    Args:
        folder: where something is written.
        refused: says why that must not be, once nobody else is writing there; None if it may.
        what: is written, for messages.
        shared: let other runs hold it that say the same.

    Raises:
        InputError: if the folder cannot be used, or another run is writing there.
    """
    cannot = f"{folder}: cannot write {what} here"
    limits.demand(limits.TABLES, cannot)
    try:
        place, made = _taken(folder, shared=shared)
    except OSError as error:
        raise InputError(f"{cannot}: {error.strerror or error}") from None
    try:
        try:
            reason = refused()
        except OSError as error:
            raise InputError(f"{cannot}: {error.strerror or error}") from None
        if reason is not None:
            raise InputError(reason)
        yield
    finally:
        # While the folder is locked: no other run can have begun to write there.
        _remove_empty(made)
        os.close(place)


@contextmanager
def writing(
    folder: Path,
    names: Iterable[str],
    *,
    reading: Iterable[Path] = (),
    force: bool = False,
    command: str | None = None,
    kind: str = "run",
) -> Iterator[Staged]:
    """Prepare `folder` for results and see that they can be written; without `publish`, none appear.

    Args:
        folder: where they shall be; it need not exist.
        names: what will be written: files, and folders with all that is in them.
        reading: files that are read at the same time; none of them is replaced, under whatever name.
        force: whether files may be replaced that no run wrote.
        command: what writes them, for the manifest.
        kind: the command that writes, without `reclaim`; results of another one are not replaced.

    Raises:
        InputError: if the folder cannot be used, or another run is writing there.
    """
    names, reading, partial = list(names), list(reading), folder / PARTIAL

    def refused() -> str | None:
        reason = _in_the_way(folder, names, reading, force=force, kind=kind)
        if reason is None:
            if partial.exists():
                shutil.rmtree(partial)
            partial.mkdir()
        return reason

    with held(folder, refused):
        try:
            yield Staged(folder, partial, listed(folder) is not None, kind, command)
        except InputError as error:
            raise InputError(str(error).replace(str(partial), str(folder))) from None
        finally:
            shutil.rmtree(partial, ignore_errors=True)


def _taken(folder: Path, *, shared: bool) -> tuple[int, list[Path]]:
    """Lock `folder`, made if need be.

    Returns:
        What to close when the run ends, and the folders that were made, the innermost first.

    Raises:
        InputError: if another run is writing there, or no folder can be there.
        OSError: if it cannot be made or opened.
    """
    made: list[Path] = []
    gone: OSError | None = None
    for _ in range(TRIES):
        reason = _no_folder(folder)
        if reason is not None:
            raise InputError(reason)
        try:
            for each in reversed([each for each in (folder, *folder.parents) if not each.exists()]):
                with contextlib.suppress(FileExistsError):
                    each.mkdir()
                    made.insert(0, each)
            place = _locked(folder, shared=shared)
            if _is_at(folder, place):
                return place, made
            os.close(place)
        except FileNotFoundError as error:
            # A run that had made the folder, and had nothing to publish, removed it just now.
            gone = error
        except OSError:
            _remove_empty(made)
            raise
    raise gone or _taken_already(folder)


def _is_at(folder: Path, place: int) -> bool:
    """Say whether `place` is the folder that has that name, and not one that was removed since."""
    with contextlib.suppress(FileNotFoundError):
        return os.path.samestat(os.fstat(place), folder.stat())
    return False


def _remove_empty(folders: Iterable[Path]) -> None:
    for each in folders:
        with contextlib.suppress(OSError):
            each.rmdir()
