"""The files of many points in one file: a line of JSON for each, compressed by itself.

`zcat FILE | jq` reads such a file. The log says where in which of them a point is: it is read without the
others, and nothing of what a killed process left counts.
"""

from __future__ import annotations

import base64
import json
import os
import sys
import zlib
from collections.abc import Mapping
from hashlib import blake2b
from io import BufferedReader
from pathlib import Path
from typing import Any, NamedTuple

from reclaim import input_file, table_file
from reclaim.errors import InputError

ENDING = ".jsonl.gz"
KEY = "packed"
"""Of a line of the log: where the point is."""
TABLE, TEXT = ".parquet", ".json"
"""How the files of tables end: in a folder, and here, where all of them are text."""
WINDOW = 31
"""The format of gzip, for zlib."""
LEVEL = 1
"""Three times as small as it was, in a sixth of a millisecond; the highest level saves an eighth more."""

Files = dict[str, bytes]
"""Contents of files by their names."""


class Place(NamedTuple):
    """Where a point is."""

    file: str
    """In the folder of points."""
    at: int
    size: int
    checksum: str

    @property
    def end(self) -> int:
        """What the file is at least long if the point is in it."""
        return self.at + self.size

    @classmethod
    def of(cls, noted: Any) -> Place | None:
        """Read what the log says; None where it says nothing that can be meant."""
        try:
            place = cls(
                sys.intern(str(noted["file"])), int(noted["at"]), int(noted["size"]), noted["checksum"]
            )
        except (TypeError, ValueError, KeyError):
            return None
        return None if "/" in place.file or "\0" in place.file or place.at < 0 or place.size <= 0 else place


def packed(point: str, files: Mapping[str, bytes]) -> bytes:
    """Give the line of a point."""
    told = {name: data.decode() for name, data in files.items()}
    line = json.dumps({"point": point, "files": told}, ensure_ascii=False) + "\n"
    packer = zlib.compressobj(LEVEL, wbits=WINDOW)
    return packer.compress(line.encode()) + packer.flush()


def unpacked(data: bytes) -> Files:
    """Give the files of a line."""
    told = json.loads(zlib.decompress(data, wbits=WINDOW))["files"]
    # An earlier version kept tables as they are in a folder.
    files = {
        name: base64.b64decode(text) if name.endswith(TABLE) else text.encode() for name, text in told.items()
    }
    return texts(files)


def texts(files: Mapping[str, bytes]) -> Files:
    """Give the files of a point's folder as they are here."""
    tables = {name: data for name, data in files.items() if name.endswith(TABLE)}
    found = {name: data for name, data in files.items() if name not in tables}
    for name, data in tables.items():
        found[f"{name.removesuffix(TABLE)}{TEXT}"] = table_file.text_of(data).encode()
    return found


def checksum(data: bytes) -> str:
    """Give that of a line as it is stored."""
    return blake2b(data, digest_size=16).hexdigest()


class Packs:
    """Reads points of the files in a folder; each file is opened once."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._open: dict[str, BufferedReader] = {}

    def _handle(self, file: str) -> int:
        if file not in self._open:
            self._open[file] = input_file.opened(self._folder / file)
        return self._open[file].fileno()

    def size(self, file: str) -> int:
        """How long a file is; 0 if it is not there."""
        try:
            return os.fstat(self._handle(file)).st_size
        except OSError:
            return 0

    def read(self, place: Place) -> bytes:
        """Give a point as it was stored.

        Raises:
            InputError: if it cannot be read, or was changed.
        """
        try:
            data = self.peek(place)
        except OSError as error:
            raise InputError(f"{self._folder / place.file}: {error.strerror or error}") from None
        if checksum(data) != place.checksum:
            raise InputError(f"{self._folder / place.file} was changed")
        return data

    def peek(self, place: Place) -> bytes:
        """Give what is there now, whatever it is.

        Raises:
            OSError: if it cannot be read.
        """
        return os.pread(self._handle(place.file), place.size, place.at)

    def close(self) -> None:
        """Close the files; whoever reads on opens them again."""
        for file in self._open.values():
            file.close()
        self._open.clear()

    def __del__(self) -> None:
        self.close()
