"""Makes tables over all points of what every point has: Parquet that polars, pandas and DuckDB read."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from hashlib import blake2b
from itertools import groupby
from pathlib import Path
from typing import Any

from reclaim import _core, builds, input_file, output_file, table_file
from reclaim.checksums import checksum
from reclaim.errors import InputError
from reclaim.experiment.experiment import Experiment
from reclaim.experiment.point import Point
from reclaim.output_folder import EXPERIMENT, MADE_BY, MANIFEST
from reclaim.parsing import json_value
from reclaim.result.result import Result
from reclaim.result.sets import remarks_table as remarks
from reclaim.result.sets.log import CHECKSUMS, LOG
from reclaim.result.sets.packed import TEXT, Files
from reclaim.result.sets.stored import POINTS
from reclaim.result.sets.tables import check_unchanged
from reclaim.study.store import FAILURES, TRACES, Store

RECORDED = {"histograms": "histograms", "timelines": "timeline", "gc_logs": "gc_log"}
"""Table of all points: that of one."""
TABLES = [f"{table}{TEXT}" for table in RECORDED.values()]
"""The same as files of a point that is one of many."""
FIGURES = ("requests", "flash", "gc", "buffer", "policies", "wear", "utilisation", "simulated_ns", "events")
"""Sections of results that tell whether two runs measured the same."""
PATH = "file of the point"
"""Column that says which file a row came from, while tables are put together."""
WARNINGS = "warnings.json"
AT_ONCE = 500
"""Points whose rows, and whose tables as they are stored, are kept before they are packed."""
TABLES_OF = "tables_of"
"""In the manifest of a sweep: what its tables were made of."""


def consolidate(store: Store, points: Sequence[Point]) -> list[dict[str, Any]]:
    """Write all tables of the points that are stored, in the order of the experiment.

    Returns:
        Warnings: groups of repeats that measured the same.

    Raises:
        InputError: if something cannot be read or written.
    """
    there = store.ids()
    stored = [each for each in points if each.id in there]
    alike = Counter(map(_cell, stored))
    rows, said, measured = _Table(), _Table(remarks.COLUMNS), []
    recorded: dict[str, list[Any]] = {table: [] for table in RECORDED}
    seen: set[str] = set()
    for first in range(0, len(stored), AT_ONCE):
        new: dict[str, Files | None] = {}
        for point in stored[first : first + AT_ONCE]:
            # One at a time: a result takes many times the memory of its row.
            files = store.unpacked(point.id)
            result = Result.load(store.point(point.id)) if files is None else Result.of_files(files)
            rows.add(row(point, result))
            measured.append(_measured(result) if alike[_cell(point)] > 1 else "")
            for each in remarks.rows(point.id, result):
                said.add(each)
            if point.id not in seen:
                new[point.id] = files and {name: data for name, data in files.items() if name in TABLES}
        seen.update(new)
        for table, name in RECORDED.items():
            recorded[table] += _recorded(store, new, name)
    rows.write(store.folder / "points.parquet")
    said.write(store.folder / remarks.TABLE)
    for table in RECORDED:
        _write_recorded(store.folder / f"{table}.parquet", recorded.pop(table))
    warnings = identical(stored, measured)
    target = store.folder / WARNINGS
    if warnings:
        output_file.write_text(target, json.dumps(warnings, indent=2, ensure_ascii=False) + "\n")
    else:
        target.unlink(missing_ok=True)
    return warnings


def tables_made(store: Store, experiment: Experiment, points: Sequence[Point]) -> list[dict[str, Any]] | None:
    """Give the warnings kept with the tables of these points; None if the tables are to be made anew."""
    try:
        known = json_value(input_file.text(store.folder / MANIFEST))
        made = known[TABLES_OF] == _made_of(store, experiment, points)
        check_unchanged(store.folder, known[CHECKSUMS])
        kept = store.folder / WARNINGS
        warnings: list[dict[str, Any]] = json_value(input_file.text(kept)) if kept.exists() else []
    except (OSError, ValueError, KeyError, TypeError, InputError):
        return None
    return warnings if made else None


def _made_of(store: Store, experiment: Experiment, points: Iterable[Point]) -> str:
    """Give a digest of all that the tables of points follow from: the experiment, and what is stored."""
    found = blake2b(f"{builds.build()}\0{experiment.text}".encode(), digest_size=16)
    there, notes = store.ids(), store.notes
    for point in (each.id for each in points):
        noted = notes.of(point) if point in there else None
        files = None if noted is None else noted.files if noted.place is None else noted.place.checksum
        found.update(f"{point}{files}".encode())
    return found.hexdigest()


def row(point: Point, result: Result) -> dict[str, Any]:
    """Give the row of a point: what it is, then what it measured."""
    known = point.row()
    return known | {
        f"result_{key}" if key in known else key: value for key, value in result.summary().items()
    }


def _column(kinds: AbstractSet[type]) -> Any:
    """Give the kind of a column by those of its values, which may be missing in some rows."""
    import polars as pl

    if kinds == {list}:
        return pl.List(pl.String)
    if kinds <= {int} and kinds:
        return pl.Int64
    if kinds <= {int, float} and kinds:
        return pl.Float64
    return pl.Boolean if kinds == {bool} else pl.String


class _Table:
    """Rows that become a table; every few hundred are packed, so that they take a tenth of the memory."""

    def __init__(self, kinds: Mapping[str, type] | None = None) -> None:
        """Begin with the kinds of columns that are known."""
        self._columns: dict[str, list[Any]] = {}
        """Values of rows that are not packed yet; a column ends with the last row that has it."""
        self._rows = 0
        self._frames: list[tuple[Any, int]] = []
        """Packed rows, and how many."""
        self._kinds = {name: {kind} for name, kind in (kinds or {}).items()}
        """By column, in the order in which they came, those of its values."""

    def add(self, row: Mapping[str, Any]) -> None:
        """Take a row; what it lacks of the columns is missing in it."""
        for name, value in row.items():
            column = self._columns.setdefault(name, [])
            if len(column) < self._rows:
                column += [None] * (self._rows - len(column))
            column.append(value)
        self._rows += 1
        if self._rows == AT_ONCE:
            self._pack()

    def _pack(self) -> None:
        import polars as pl

        columns = []
        for name, known in self._columns.items():
            values = known + [None] * (self._rows - len(known))
            kinds = set(map(type, values)) - {type(None)}
            self._kinds.setdefault(name, set()).update(kinds)
            columns.append(pl.Series(name, values, dtype=_column(kinds), strict=False))
        self._frames.append((pl.DataFrame(columns), self._rows))
        self._columns, self._rows = {}, 0

    def write(self, file: Path) -> None:
        """Write all rows, and let them go."""
        import polars as pl

        self._pack()
        schema = {name: _column(kinds) for name, kinds in self._kinds.items()}
        columns = []
        for name, kind in schema.items():
            # One after the other: no more than one is there twice.
            parts = [
                each.drop_in_place(name).cast(kind)
                if name in each.columns
                else pl.Series(name, [None] * rows, kind)
                for each, rows in self._frames
            ]
            columns.append(pl.concat(parts, rechunk=True))
        self._frames = []
        with output_file.whole(file) as partial:
            table_file.write(pl.DataFrame(columns), partial)


def _write_recorded(target: Path, frames: list[Any]) -> None:
    """Write a table of all points, whose parts are let go; none where no point has it."""
    import polars as pl

    if not frames:
        target.unlink(missing_ok=True)
        return
    whole = pl.concat(frames, rechunk=True)
    frames.clear()
    with output_file.whole(target) as partial:
        table_file.write(whole, partial)


def _recorded(store: Store, points: Mapping[str, Files | None], name: str) -> Iterator[Any]:
    """Give a table of some points, in parts, with a column that says of which point a row is.

    Args:
        store: where they are.
        points: the tables of each; None for one that has a folder.
        name: of the table.
    """
    import polars as pl

    for has_folder, some in groupby(points, lambda each: points[each] is None):
        if has_folder:
            parts = (store.point(each) / f"{name}.parquet" for each in some)
            files = [file for file in parts if input_file.is_there(file)]
            if files:
                whole = table_file.read_all(files, PATH)
                point = pl.col(PATH).str.split("/").list.get(-2).alias("point")
                yield whole.select(point, pl.all().exclude(PATH))
            continue
        text = f"{name}{TEXT}"
        there = ((each, tables[text]) for each in some if text in (tables := points[each] or {}))
        yield from table_file.of_texts(there, "point")


def _cell(point: Point) -> tuple[Any, ...]:
    """All of a point but its repeat."""
    return (point.device, point.trace, point.scheme, point.vary, *point.axes.items())


def _measured(result: Result) -> str:
    text = json.dumps([result.section(name) for name in FIGURES], sort_keys=True)
    return blake2b(text.encode(), digest_size=16).hexdigest()


def identical(points: Sequence[Point], measured: Sequence[str]) -> list[dict[str, Any]]:
    """Find repeats that measured the same as another of their point: they repeat nothing."""
    groups: dict[tuple[Any, ...], dict[str, list[Point]]] = {}
    for point, figures in zip(points, measured, strict=True):
        groups.setdefault(_cell(point), {}).setdefault(figures, []).append(point)
    found = []
    for same in (each for measured in groups.values() for each in measured.values() if len(each) > 1):
        first = same[0]
        found.append(
            {
                "code": "identical-repeats",
                "text": f"{first.label()}: {len(same)} repeats measured exactly the same: nothing in which "
                'they differ matters to this drive, and they give no interval; repeat with by = "rotate" '
                'or by = "jitter"',
                "points": [each.id for each in same],
            }
        )
    return found


def write_manifest(
    store: Store,
    experiment: Experiment,
    points: Sequence[Point],
    further: Iterable[Path] = (),
    *,
    kind: str = "sweep",
    command: str | None = None,
) -> None:
    """List what the sweep wrote; last, so that a folder with it is complete.

    Args:
        store: the folder.
        experiment: what was run.
        points: its points; what instruments have stored beside them is not of the sweep.
        further: other files that it wrote.
        kind: the command that wrote it.
        command: the same as a line for a shell, where that is known.

    It is no manifest of a run: `-o` of another command must not take the folder for one that it may replace.
    """
    stored, notes = store.ids(), store.notes
    there = [each for each in dict.fromkeys(each.id for each in points) if each in stored]
    packs = {each: place.file for each in there if (place := notes.of(each).place) is not None}
    # Those of many points are the same file.
    places = [store.folder / POINTS / each for each in dict.fromkeys(packs.get(each, each) for each in there)]
    listed = [place for place in places if place.is_file()]
    places += [store.folder / folder for folder in (FAILURES, TRACES)]
    listed += [file for place in places if place.is_dir() for file in place.rglob("*") if file.is_file()]
    listed += [each for each in store.folder.iterdir() if each.suffix in (".parquet", ".json", ".html")]
    names = {each.relative_to(store.folder).as_posix() for each in (*listed, *further)} | {EXPERIMENT}
    names -= {MANIFEST, LOG}
    by_build = Counter(notes.of(each).build or builds.UNKNOWN for each in there)
    tables = sorted(each for each in store.folder.iterdir() if each.suffix == ".parquet")
    content = {
        "sweep": _core.__version__,
        "commit": _core.COMMIT,
        "build": builds.build(),
        MADE_BY: kind,
        **({"command": command} if command else {}),
        "builds": dict(sorted(by_build.items())),
        "experiment": experiment.name,
        TABLES_OF: _made_of(store, experiment, points),
        CHECKSUMS: {each.name: checksum(each) for each in tables},
        "wrote": sorted(names),
    }
    output_file.write_text(store.folder / MANIFEST, json.dumps(content, indent=2, ensure_ascii=False) + "\n")
