"""The files of a set: which there are, and what their columns must be."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from reclaim.errors import InputError

POINTS = "points.parquet"
TABLES = ("histograms", "timelines", "gc_logs")
"""What all points recorded, each a Parquet file whose first column is `point`."""
IDENTITY = ("point", "experiment", "device", "trace", "scheme", "repeat", "perturbation", "vary")
"""What tells points from one another; the axes of the experiment follow, then what was measured."""
FIRST_FIGURE = "format"
"""The first column of what a run says of itself."""


@dataclass(frozen=True)
class Failure:
    """A point that did not succeed."""

    label: str
    error: str
    command: str
    """What runs it again; empty if unknown."""


def read_points(folder: Path) -> pl.DataFrame:
    """Read the table of points.

    Raises:
        InputError: if there is none, or it is not one.
    """
    file = folder / POINTS
    if not file.is_file():
        if (folder / "points").is_dir():
            raise InputError(
                f"{folder}: the sweep has not ended: there is no {POINTS} yet; run the same command again"
            )
        what = "no such folder" if not folder.is_dir() else f"not a set of results: no {POINTS} in it"
        raise InputError(f"{folder}: {what}; reclaim sweep writes sets")
    try:
        points = pl.read_parquet(file)
    except (OSError, pl.exceptions.PolarsError) as error:
        raise InputError(f"{file}: cannot be read: {one_line(error)}") from None
    missing = [name for name in (*IDENTITY, FIRST_FIGURE) if name not in points.columns]
    if missing:
        raise InputError(f"{file}: not the points of a set: no column {', '.join(missing)} in it")
    if not points.height:
        raise InputError(f"{file}: no points in it: every one failed, or none has ended yet")
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
    return pl.scan_parquet(file) if file.is_file() else None


def failures(folder: Path) -> list[Failure]:
    """The points that failed, as a sweep noted them."""
    found = []
    for file in sorted((folder / "failures").glob("*.json")):
        try:
            noted: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            noted = {"error": f"{file.name} cannot be read"}
        point = noted.get("point") if isinstance(noted.get("point"), dict) else noted
        parts = [str(point[key]) for key in ("device", "trace", "scheme", "repeat") if point and key in point]
        label = " · ".join(parts) or file.stem
        found.append(Failure(label, str(noted.get("error", "")), str(noted.get("command", ""))))
    return found


def one_line(error: object) -> str:
    """What an error says, without the lines that point into a text."""
    return " ".join(str(error).split("\n\nLINE ", 1)[0].split())
