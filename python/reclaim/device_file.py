"""Files that a drive is made of, looked at before they are read: some could not be, and others never end."""

from __future__ import annotations

import difflib
import os
import stat
import tomllib
from pathlib import Path

from reclaim.errors import InputError

LARGEST_BYTES = 1 << 20
"""More than a description of a drive could have."""
MOST_FILES = 16
"""Files that may be based on one another."""


def files(device: str) -> list[Path]:
    """Give the file that describes a drive and those it is based on, in order; none for a preset.

    What cannot be read ends the list: whoever loads the drive says what is wrong with it.

    >>> files("gc-bypass-mini")
    []

    Raises:
        InputError: for a path that is no UTF-8, a file that is missing, something that is no regular file or
            far too large, and files that are based on one another in a circle.
    """
    found: list[Path] = []
    known: list[tuple[int, int]] = []
    # Of a longer list, whoever loads the drive says how long it may be.
    while device and len(found) <= MOST_FILES:
        try:
            device.encode()
        except UnicodeEncodeError:
            raise InputError(
                f"{os.fsencode(device)!r}: the path of a device file must be UTF-8; rename it"
            ) from None
        path = Path(device)
        if path.suffix != ".toml" and "/" not in device:
            break
        status = _status(device, path, found)
        try:
            if stat.S_ISDIR(status.st_mode):
                break
            if not stat.S_ISREG(status.st_mode):
                raise InputError(f"{device}: is not a regular file: a device file is read more than once")
            identity = (status.st_dev, status.st_ino)
            if identity in known:
                circle = [*found[known.index(identity) :], path]
                names = " → ".join(str(each) for each in circle)
                raise InputError(f"{device}: base goes round in a circle: {names}")
            if status.st_size > LARGEST_BYTES:
                raise InputError(
                    f"{device}: is no device file: it has {status.st_size} bytes, and "
                    f"{LARGEST_BYTES} at most are read"
                )
            found.append(path)
            known.append(identity)
            base = tomllib.loads(path.read_text(encoding="utf-8")).get("base")
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError):
            break
        except RecursionError:
            raise InputError(f"{device}: is no device file: lists or tables are nested too deeply") from None
        device = base if isinstance(base, str) else ""
    return found


def _status(device: str, path: Path, based: list[Path]) -> os.stat_result:
    """What lies at a path; `based` are the files that led there."""
    try:
        return path.stat()
    except (OSError, ValueError) as error:
        if isinstance(error, FileNotFoundError) and not path.is_symlink():
            reason = "no such device file" + _similar(path)
        elif isinstance(error, FileNotFoundError):
            reason = f"is a link to {path.readlink()}, which is not there"
        elif isinstance(error, OSError):
            reason = f"cannot read the device file: {error.strerror}"
        else:
            reason = "no path has a zero character in it"
        where = f" (the base of {based[-1]})" if based else ""
        raise InputError(f"{device}: {reason}{where}".replace("\0", "\\0")) from None


def _similar(path: Path) -> str:
    """Suggest a device file beside one that is missing."""
    try:
        names = [each.name for each in path.parent.iterdir() if each.suffix == ".toml"]
    except OSError:
        return ""
    near = difflib.get_close_matches(path.name, names, 1)
    return f"; did you mean {path.with_name(near[0])}?" if near else ""
