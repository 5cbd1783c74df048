"""Trace files in folders, and what they are called."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from reclaim.errors import InputError
from reclaim.shipped import RECORDINGS

COMPRESSIONS = (".gz", ".zst", ".xz", ".bz2")
FORMATS = (
    ".csv",
    ".trace",
    ".spc",
    ".parquet",
    ".iolog",
    ".vscsi",
    ".blktrace",
    ".blkparse",
    ".blkparse.txt",
    ".tsv",
)
DEEPEST = 4
MOST_FILES = 10_000
VARIABLE = "RECLAIM_TRACES"


def stem(name: str) -> str | None:
    """Take the name of a trace file without what says its format and compression; None for other files.

    >>> stem("hm_0.csv.gz"), stem("sqlite.blkparse.txt.zst"), stem("README.md"), stem("stats.txt")
    ('hm_0', 'sqlite', None, None)
    """
    packed = next((each for each in COMPRESSIONS if name.lower().endswith(each)), "")
    bare = name[: len(name) - len(packed)]
    kind = next((each for each in sorted(FORMATS, key=len, reverse=True) if bare.lower().endswith(each)), "")
    if kind:
        return bare[: -len(kind)] or None
    # Public traces often end in .txt or in nothing, but then they are packed; notes are not.
    return re.sub(r"\.txt$", "", bare) or None if packed else None


def folders_of(variable: str) -> list[Path] | None:
    """Folders that a variable of the environment names, separated as in PATH; None if it is not set.

    Raises:
        InputError: for the home of somebody that there is not.
    """
    given = os.environ.get(variable)
    if given is None:
        return None
    try:
        return [Path(each).expanduser() for each in given.split(os.pathsep) if each]
    except RuntimeError:
        raise InputError(f"{variable}: {given}: a home folder cannot be found; give whole paths") from None


def user_folders() -> list[Path]:
    """Folders to look for traces in: those of RECLAIM_TRACES, else ../shared/traces where it exists.

    Several folders in RECLAIM_TRACES are separated as in PATH. Without it, `../shared/traces` is looked for
    from the present folder and from the checkout that this package runs from.
    """
    given = folders_of(VARIABLE)
    if given is not None:
        return given
    places = (Path.cwd(), RECORDINGS.parents[1])
    found: list[Path] = []
    for place in places:
        folder = (place / ".." / "shared" / "traces").resolve()
        if folder.is_dir() and folder not in found:
            found.append(folder)
    return found


def missing_folders() -> list[Path]:
    """Folders that RECLAIM_TRACES names and that are not there."""
    return [each for each in user_folders() if not each.is_dir()]


def trace_files(folder: Path) -> Iterator[tuple[str, Path]]:
    """Give the trace files under a folder, at most four folders deep, in order, each with its name.

    A file called like its folder takes the folder's name: `sqlite/sqlite.csv` is `sqlite`.
    """
    seen = 0
    for where, folders, names in os.walk(folder, followlinks=True):
        place = Path(where)
        depth = len(place.relative_to(folder).parts)
        folders[:] = sorted(each for each in folders if not each.startswith(".")) if depth < DEEPEST else []
        for name in sorted(names):
            bare = stem(name)
            if bare is None or name.startswith("."):
                continue
            seen += 1
            if seen > MOST_FILES:
                return
            parts = [*place.relative_to(folder).parts, bare]
            if len(parts) > 1 and parts[-1] == parts[-2]:
                parts.pop()
            yield "/".join(parts), place / name
