"""Files that are read: the one way to any of them.

Only a regular file has an end, and a beginning to come back to: a named pipe waits for whoever writes into
it, and a device never ends. Nothing else of the package opens a file to read it; `tests/tidy.toml` sees to
that.
"""

from __future__ import annotations

import errno
import os
import stat
from io import BufferedReader
from pathlib import Path

from reclaim.errors import InputError

MOST_BYTES = 1 << 28
"""Of a text: more than any TOML or JSON file has that Reclaim wrote, and less than a machine has memory."""
KINDS = {
    stat.S_IFDIR: "a directory",
    stat.S_IFIFO: "a named pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device of the system",
    stat.S_IFBLK: "a device of the system",
}


class SpecialFileError(OSError):
    """What is there is no regular file; `strerror` says what it is."""


def fault(error: OSError) -> str:
    """Say what an error means, in words that follow the name of the file."""
    reason = error.strerror or str(error)
    return reason if isinstance(error, SpecialFileError) else f"cannot be read: {reason}"


def check(file: str | Path) -> None:
    """See that a regular file is there.

    Raises:
        OSError: if none is, or if it is something else.
    """
    mode = os.stat(file).st_mode  # noqa: PTH116 - `file` may be text
    if not stat.S_ISREG(mode):
        what = KINDS.get(stat.S_IFMT(mode), "something else")
        raise SpecialFileError(errno.EINVAL, f"is {what}, not a regular file")


def is_there(file: Path) -> bool:
    """Whether there is a file to read.

    Raises:
        InputError: if what is there is no regular file: it must not be called missing.
    """
    try:
        check(file)
    except SpecialFileError as error:
        raise InputError(f"{file}: {error.strerror}") from None
    except (OSError, ValueError):
        return False
    return True


def opened(file: str | Path) -> BufferedReader:
    """Open a regular file.

    Raises:
        OSError: if it cannot be opened, or is no regular file.
    """
    check(file)
    return Path(file).open("rb")


def data(file: str | Path, *, most: int | None = None) -> bytes:
    """Read the bytes of a regular file, of which there may be `most`.

    Raises:
        OSError: if it cannot be read, is no regular file, or has more.
    """
    with opened(file) as content:
        if most is None:
            return content.read()
        found = content.read(most + 1)
    if len(found) > most:
        raise OSError(errno.EFBIG, f"has more than {most} bytes, which no file of this kind has")
    return found


def text(file: str | Path, *, encoding: str = "utf-8", errors: str = "strict", most: int = MOST_BYTES) -> str:
    """Read the text of a regular file, with the ends of lines that Python has.

    Raises:
        OSError: as `data`.
        UnicodeDecodeError: if it is no such text.
    """
    found = data(file, most=most).decode(encoding, errors)
    return found.replace("\r\n", "\n").replace("\r", "\n")
