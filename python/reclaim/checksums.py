"""Checksums of files: whether one is still what was written."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import blake2b
from pathlib import Path

from reclaim import input_file

CHUNK = 1 << 20
BYTES = 16


def checksum(file: Path, size: int = BYTES) -> str:
    """Give that of a file, as hexadecimal digits: two for each byte of its size.

    Raises:
        OSError: if it cannot be read.
    """
    digest = blake2b(digest_size=size)
    with input_file.opened(file) as content:
        while chunk := content.read(CHUNK):
            digest.update(chunk)
    return digest.hexdigest()


def checksums(folder: Path) -> dict[str, str]:
    """Give those of all files in a folder, by their names.

    Raises:
        OSError: if one cannot be read.
    """
    return {each.name: checksum(each) for each in sorted(folder.iterdir()) if each.is_file()}


def changed(folder: Path, known: Mapping[str, str]) -> str | None:
    """Say which of the files in a folder is not as it was; None if all are.

    Args:
        folder: where they are; other files may be there, too.
        known: the checksum of each by its name.
    """
    for name, expected in known.items():
        try:
            if checksum(folder / name) != expected:
                return f"{name} was changed"
        except FileNotFoundError:
            return f"{name} is missing"
        except OSError as error:
            return f"{name} {input_file.fault(error)}"
    return None
