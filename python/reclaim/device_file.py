"""Files that a drive is made of, looked at before they are read: some could not be, and others never end."""

from __future__ import annotations

import os
import stat
import tomllib
from pathlib import Path

from reclaim.errors import InputError


def files(device: str) -> list[Path]:
    """Give the file that describes a drive and those it is based on, in order; none for a preset.

    What cannot be read ends the list: whoever loads the drive says what is wrong with it.

    >>> files("gc-bypass-mini")
    []

    Raises:
        InputError: for a path that is no UTF-8, something that is no regular file, and files that are based
            on one another in a circle.
    """
    found: list[Path] = []
    known: list[tuple[int, int]] = []
    while device:
        try:
            device.encode()
        except UnicodeEncodeError:
            raise InputError(
                f"{os.fsencode(device)!r}: the path of a device file must be UTF-8; rename it"
            ) from None
        path = Path(device)
        if path.suffix != ".toml" and "/" not in device:
            break
        try:
            status = path.stat()
            if stat.S_ISDIR(status.st_mode):
                break
            if not stat.S_ISREG(status.st_mode):
                raise InputError(f"{device}: is not a regular file: a device file is read more than once")
            identity = (status.st_dev, status.st_ino)
            if identity in known:
                circle = [*found[known.index(identity) :], path]
                names = " → ".join(str(each) for each in circle)
                raise InputError(f"{device}: base goes round in a circle: {names}")
            found.append(path)
            known.append(identity)
            base = tomllib.loads(path.read_text(encoding="utf-8")).get("base")
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError):
            break
        device = base if isinstance(base, str) else ""
    return found
