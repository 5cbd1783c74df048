"""The files of a set: which there are, and what their columns must be."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import polars as pl

from reclaim import input_file, table_file
from reclaim.checksums import checksum
from reclaim.errors import InputError
from reclaim.output_folder import MANIFEST
from reclaim.result.sets.log import CHECKSUMS
from reclaim.result.sets.metrics import HEADLINE, IN_BYTES, IN_PAGES
from reclaim.result.sets.names import IDENTITY

POINTS = "points.parquet"
TABLES = ("histograms", "timelines", "gc_logs")
"""What all points recorded, each a Parquet file whose first column is `point`."""
FIRST_FIGURE = "format"
"""The first column of what a run says of itself."""


COLUMNS: table_file.Columns = {name: "number" if name == "repeat" else "text" for name in IDENTITY} | {
    FIRST_FIGURE: "number",
    "verdict": "text",
    "reclaim_version": "text",
}
"""What must be in the table of points, and of which kind."""
OF_POINTS = {
    "histograms": {"point": "text", **table_file.OF_REQUESTS},
    "timelines": {"point": "text", **table_file.NUMBERS},
    "gc_logs": {"point": "text", **table_file.NUMBERS},
}
"""The same of `TABLES`."""


@dataclass(frozen=True)
class Failure:
    """A point that did not succeed."""

    label: str
    error: str
    command: str
    """What runs it again; empty if unknown."""


@lru_cache(maxsize=64)
def _checksum(file: Path, size: int, changed_ns: int) -> str:
    """That of a file, which is read again when it has changed."""
    del size, changed_ns
    return checksum(file)


def check_unchanged(folder: Path, names: Iterable[str]) -> None:
    """Refuse tables that are not as the sweep wrote them, by its manifest; without one nothing is known.

    Args:
        folder: that of the sweep.
        names: those that are needed; one that the sweep did not write may be missing.

    Raises:
        InputError: naming the table.
    """
    try:
        known = json.loads(input_file.text(folder / MANIFEST))[CHECKSUMS]
        expected = {name: str(known[name]) for name in names if name in known}
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return
    again = "run the sweep again, which makes the tables anew"
    for name, then in expected.items():
        file = folder / name
        try:
            stat = file.stat()
            is_same = _checksum(file.absolute(), stat.st_size, stat.st_mtime_ns) == then
        except OSError as error:
            raise InputError(f"{file}: {input_file.fault(error)}; {again}") from None
        if not is_same:
            raise InputError(f"{file}: was changed since the sweep wrote it; {again}")


def read_points(folder: Path) -> pl.DataFrame:
    """Read the table of points.

    Raises:
        InputError: if there is none, it is not one, or it was changed since the sweep wrote it.
    """
    file = folder / POINTS
    check_unchanged(folder, [POINTS])
    if not input_file.is_there(file):
        if (folder / "points").is_dir():
            raise InputError(
                f"{folder}: the sweep has not ended: there is no {POINTS} yet; run the same command again"
            )
        what = "no such folder" if not folder.is_dir() else f"not a set of results: no {POINTS} in it"
        raise InputError(f"{folder}: {what}; reclaim sweep writes sets")
    points = table_file.read(file, COLUMNS)
    for name in HEADLINE:
        # One that no point has is of no kind.
        if name in points.columns and not points[name].dtype.is_numeric() and points[name].drop_nulls().len():
            raise InputError(f'{file}: is not the table it should be: column "{name}" has no numbers in it')
    if not points.height:
        raise InputError(f"{file}: no points in it: every one failed, or none has ended yet")
    if IN_PAGES in points.columns and IN_BYTES not in points.columns:
        # An earlier version saved them: what it did not measure is shown as missing.
        points = points.with_columns(pl.lit(None, pl.Float64).alias(IN_BYTES))
    return points


def axes_of(points: pl.DataFrame) -> list[str]:
    """Names of the axes: the columns between what identifies a point and what was measured."""
    columns = points.columns
    return [
        name
        for name in columns[columns.index("vary") + 1 : columns.index(FIRST_FIGURE)]
        if name not in IDENTITY
    ]


def figures_of(points: pl.DataFrame) -> list[str]:
    """Names of the columns that hold a measured number."""
    kinds = list(points.schema.items())
    after = kinds[points.columns.index(FIRST_FIGURE) + 1 :]
    return [name for name, kind in after if name != "seed" and kind.is_numeric()]


def scan(folder: Path, name: str) -> pl.LazyFrame | None:
    """One of `TABLES`, read when it is asked for; None if nothing of the kind was recorded."""
    file = folder / f"{name}.parquet"
    check_unchanged(folder, [file.name])
    return table_file.scan(file, OF_POINTS[name]) if input_file.is_there(file) else None


def failures(folder: Path) -> list[Failure]:
    """The points that failed, as a sweep noted them."""
    found = []
    for file in sorted((folder / "failures").glob("*.json")):
        try:
            found_there = json.loads(input_file.text(file))
        except (OSError, ValueError, RecursionError):
            found_there = None
        unread = {"error": f"{file.name} cannot be read"}
        noted: dict[str, Any] = found_there if isinstance(found_there, dict) else unread
        point = noted.get("point") if isinstance(noted.get("point"), dict) else noted
        parts = [str(point[key]) for key in ("device", "trace", "scheme", "repeat") if point and key in point]
        label = " · ".join(parts) or file.stem
        found.append(Failure(label, str(noted.get("error", "")), str(noted.get("command", ""))))
    return found


def one_line(error: object) -> str:
    """What an error says, without the lines that point into a text."""
    return " ".join(str(error).split("\n\nLINE ", 1)[0].split())
