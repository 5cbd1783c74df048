"""The file that something is written to: nothing that is there is lost, least of all what is being read."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from reclaim import input_file, limits
from reclaim.errors import InputError

FORCED = "--force overwrites it"
QUIET_SECONDS = 5.0
"""After so long without a byte, what a process that is gone was writing is left over."""


def fault(
    target: Path, *, reading: Iterable[Path] = (), overwrite: bool = False, otherwise: str = FORCED
) -> str | None:
    """Say why `target` must not be written; None if it may.

    Args:
        target: the file to write.
        reading: files that are read at the same time; none of them may be written, under whatever name.
        overwrite: whether a file that is there may be overwritten.
        otherwise: what to do where it may not.
    """
    if not target.exists():
        if target.is_symlink():
            return f"{target}: is a link to {target.readlink()}, which is not there; give another name"
        return _no_place(target)
    if target.is_dir():
        return f"{target}: is a directory; name the file to write"
    if any(each.exists() and target.samefile(each) for each in reading):
        return f"{target}: is what is being read; give another name"
    if not target.is_file():
        return f"{target}: is not a regular file; give another name"
    return None if overwrite else f"{target}: exists already; {otherwise}"


def _no_place(target: Path) -> str | None:
    if str(target) == "-":
        return "-: nothing is written to standard output; give the name of a file"
    above = nearest(target.parent)
    if not above.is_dir():
        return f"{target}: cannot be written: {above} is no folder"
    if os.statvfs(above).f_flag & os.ST_RDONLY:
        return f"{target}: cannot be written: Read-only file system"
    if not os.access(above, os.W_OK):
        return f"{target}: cannot be written: no permission to write in {above}"
    return None


def nearest(folder: Path) -> Path:
    """Give the folder, or where it is not there what is nearest above it: there the rest is made."""
    return next(each for each in (folder, *folder.parents) if os.path.lexists(each))


@contextmanager
def folder_made(folder: Path) -> Iterator[None]:
    """Make a folder, with those above it, for what is written meanwhile; those that stay empty are removed.

    Raises:
        OSError: if it cannot be made.
    """
    made = [each for each in (folder, *folder.parents) if not each.exists()]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        yield
    finally:
        for each in made:
            with contextlib.suppress(OSError):
                each.rmdir()


def check(
    target: Path, *, reading: Iterable[Path] = (), overwrite: bool = False, otherwise: str = FORCED
) -> None:
    """Refuse to write `target` where `fault` finds something against it.

    Raises:
        InputError: with the reason.
    """
    try:
        reason = fault(target, reading=reading, overwrite=overwrite, otherwise=otherwise)
    except OSError as error:
        # A folder that may not be looked into, a name that is too long.
        reason = f"{target}: cannot be written: {error.strerror}"
    except ValueError:
        reason = f"{str(target)!r}: cannot be written: no path has a zero character in it"
    if reason is not None:
        raise InputError(reason)


def clear_stale(target: Path, pattern: str) -> None:
    """Remove what runs left beside `target` that were killed while they wrote it.

    It has the number of its process in its name, and no process has that any more: none here, and none on
    another computer that shares the folder, as it has been quiet for a while.

    Args:
        target: the file that is to be written.
        pattern: names of what is not complete, with * for the number.
    """
    before, _, after = pattern.partition("*")
    with contextlib.suppress(OSError):
        for each in target.resolve().parent.iterdir():
            number = each.name.removeprefix(before).removesuffix(after)
            if each.name != f"{before}{number}{after}" or not (number.isascii() and number.isdigit()):
                continue
            quiet = time.time() - each.lstat().st_mtime > QUIET_SECONDS
            if quiet and not _runs(int(number)):
                each.unlink(missing_ok=True)


def _runs(process: int) -> bool:
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:
        return True
    return True


@contextmanager
def whole(target: Path, *, stale: bool = True) -> Iterator[Path]:
    """Give the name of a file to write in place of `target`, which it becomes at the end, or not at all.

    Folders above it that are missing are made.

    Args:
        target: the file.
        stale: remove what runs left of it that were killed, for which all names in its folder are read.

    Raises:
        InputError: if it cannot be written.
    """
    place = target.resolve()
    # The end of the name says how it is packed.
    partial = place.with_name(f".partial-{os.getpid()}-{place.name}")
    if stale:
        clear_stale(place, f".partial-*-{place.name}")
    try:
        with folder_made(place.parent):
            with partial.open("xb"):
                if place.exists():
                    partial.chmod(place.stat().st_mode)
            try:
                yield partial
                partial.replace(place)
            finally:
                partial.unlink(missing_ok=True)
    except InputError as error:
        raise InputError(str(error).replace(str(partial), str(target))) from None
    except OSError as error:
        raise InputError(f"{target}: cannot be written: {error.strerror or error}") from None


def write_text(target: Path, text: str, *, stale: bool = True) -> None:
    """Write a file as a whole; `stale` is as for `whole`.

    Raises:
        InputError: if it cannot be written.
    """
    with whole(target, stale=stale) as partial:
        partial.write_text(text, encoding="utf-8")


def is_page(path: Path) -> bool:
    """Whether a file is an HTML page that Reclaim drew."""
    try:
        with input_file.opened(path) as file:
            head = file.read(1024)
    except OSError:
        return False
    return head.startswith(b"<!doctype html>") and b"<title>Reclaim: " in head


def check_page(page: Path, *, reading: Iterable[Path] = ()) -> None:
    """Refuse to write an HTML page over anything but an earlier one of Reclaim.

    Raises:
        InputError: with the reason.
    """
    limits.demand(limits.PAGE, f"{page}: cannot be drawn")
    check(
        page,
        reading=reading,
        overwrite=is_page(page),
        otherwise="it is no page that Reclaim drew and is not overwritten",
    )
