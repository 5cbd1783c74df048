"""The file that something is written to: nothing that is there is lost, least of all what is being read."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from reclaim.errors import InputError

FORCED = "--force overwrites it"


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
    if not target.parent.is_dir():
        return f"{target}: cannot be written: no such folder: {target.parent}"
    return None


def check(
    target: Path, *, reading: Iterable[Path] = (), overwrite: bool = False, otherwise: str = FORCED
) -> None:
    """Refuse to write `target` where `fault` finds something against it.

    Raises:
        InputError: with the reason.
    """
    reason = fault(target, reading=reading, overwrite=overwrite, otherwise=otherwise)
    if reason is not None:
        raise InputError(reason)


def is_page(path: Path) -> bool:
    """Whether a file is an HTML page, as reports are."""
    if not path.is_file():
        return False
    try:
        with path.open("rb") as file:
            head = file.read(256)
    except OSError:
        return False
    return head.removeprefix(b"\xef\xbb\xbf").lstrip().lower().startswith(b"<!doctype html")


def check_page(page: Path, *, reading: Iterable[Path] = ()) -> None:
    """Refuse to write an HTML page over anything but an earlier one.

    Raises:
        InputError: with the reason.
    """
    check(
        page, reading=reading, overwrite=is_page(page), otherwise="it is no HTML page and is not overwritten"
    )
