"""Makes tables over all points of what every point has: Parquet that polars, pandas and DuckDB read."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any

from reclaim import _core, builds, input_file, output_file, table_file
from reclaim.checksums import checksum
from reclaim.experiment.point import Point
from reclaim.output_folder import EXPERIMENT, MADE_BY, MANIFEST
from reclaim.result.result import Result
from reclaim.result.sets import log
from reclaim.result.sets.log import CHECKSUMS, LOG
from reclaim.study.store import FAILURES, TRACES, Store

RECORDED = {"histograms": "histograms", "timelines": "timeline", "gc_logs": "gc_log"}
"""Table of all points: that of one."""
FIGURES = ("requests", "flash", "gc", "buffer", "policies", "wear", "utilisation", "simulated_ns", "events")
"""Sections of results that tell whether two runs measured the same."""
PATH = "file of the point"
"""Column that says which file a row came from, while tables are put together."""
WARNINGS = "warnings.json"


def consolidate(store: Store, points: Sequence[Point]) -> list[dict[str, Any]]:
    """Write all tables of the points that are stored, in the order of the experiment.

    Returns:
        Warnings: groups of repeats that measured the same.

    Raises:
        InputError: if something cannot be read or written.
    """
    stored = [each for each in points if store.has(each.id)]
    rows, measured = [], []
    for point in stored:
        # One at a time: a result takes many times the memory of its row.
        result = Result.load(store.point(point.id))
        rows.append(row(point, result))
        measured.append(_measured(result))
    _write_points(store, rows)
    ids = list(dict.fromkeys(point.id for point in stored))
    for table, name in RECORDED.items():
        _write_recorded(store, ids, table, name)
    warnings = identical(stored, measured)
    target = store.folder / WARNINGS
    if warnings:
        output_file.write_text(target, json.dumps(warnings, indent=2, ensure_ascii=False) + "\n")
    else:
        target.unlink(missing_ok=True)
    return warnings


def row(point: Point, result: Result) -> dict[str, Any]:
    """Give the row of a point: what it is, then what it measured."""
    known = point.row()
    return known | {
        f"result_{key}" if key in known else key: value for key, value in result.summary().items()
    }


def _column(values: Sequence[Any]) -> Any:
    """Give the kind of a column: that of its values, which may be missing in some rows."""
    import polars as pl

    kinds = {type(value) for value in values if value is not None}
    if kinds <= {int} and kinds:
        return pl.Int64
    if kinds <= {int, float} and kinds:
        return pl.Float64
    return pl.Boolean if kinds == {bool} else pl.String


def _write_points(store: Store, rows: Sequence[Mapping[str, Any]]) -> None:
    import polars as pl

    names = list(dict.fromkeys(name for each in rows for name in each))
    columns = {name: [each.get(name) for each in rows] for name in names}
    schema = {name: _column(values) for name, values in columns.items()}
    frame = pl.DataFrame(
        [pl.Series(name, values, dtype=schema[name], strict=False) for name, values in columns.items()]
    )
    with output_file.whole(store.folder / "points.parquet") as partial:
        table_file.write(frame, partial)


def _write_recorded(store: Store, ids: Sequence[str], table: str, name: str) -> None:
    """Put a table of all points together; none where no point has it."""
    import polars as pl

    target = store.folder / f"{table}.parquet"
    files = [store.point(point) / f"{name}.parquet" for point in ids]
    present = [file for file in files if input_file.is_there(file)]
    if not present:
        target.unlink(missing_ok=True)
        return
    whole = table_file.read_all(present, PATH)
    point = pl.col(PATH).str.split("/").list.get(-2).alias("point")
    with output_file.whole(target) as partial:
        table_file.write(whole.select(point, pl.all().exclude(PATH)), partial)


def _measured(result: Result) -> str:
    data = result.to_dict()
    text = json.dumps([data.get(name) for name in FIGURES], sort_keys=True)
    return blake2b(text.encode(), digest_size=16).hexdigest()


def identical(points: Sequence[Point], measured: Sequence[str]) -> list[dict[str, Any]]:
    """Find repeats that measured the same as another of their point: they repeat nothing."""
    groups: dict[tuple[Any, ...], dict[str, list[Point]]] = {}
    for point, figures in zip(points, measured, strict=True):
        key = (point.device, point.trace, point.scheme, point.vary, *point.axes.items())
        groups.setdefault(key, {}).setdefault(figures, []).append(point)
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
    name: str,
    points: Iterable[str],
    further: Iterable[Path] = (),
    *,
    kind: str = "sweep",
    command: str | None = None,
) -> None:
    """List what the sweep wrote; last, so that a folder with it is complete.

    Args:
        store: the folder.
        name: of the experiment.
        points: its points; what instruments have stored beside them is not of the sweep.
        further: other files that it wrote.
        kind: the command that wrote it.
        command: the same as a line for a shell, where that is known.

    It is no manifest of a run: `-o` of another command must not take the folder for one that it may replace.
    """
    ids = list(points)
    places = [store.point(each) for each in ids]
    places += [store.folder / folder for folder in (FAILURES, TRACES)]
    listed = [file for place in places if place.is_dir() for file in place.rglob("*") if file.is_file()]
    listed += [each for each in store.folder.iterdir() if each.suffix in (".parquet", ".json", ".html")]
    names = {each.relative_to(store.folder).as_posix() for each in (*listed, *further)} | {EXPERIMENT}
    names -= {MANIFEST, LOG}
    notes = log.read(store.folder)
    by_build = Counter(notes.of(each).build or builds.UNKNOWN for each in ids if store.has(each))
    tables = sorted(each for each in store.folder.iterdir() if each.suffix == ".parquet")
    content = {
        "sweep": _core.__version__,
        "commit": _core.COMMIT,
        "build": builds.build(),
        MADE_BY: kind,
        **({"command": command} if command else {}),
        "builds": dict(sorted(by_build.items())),
        "experiment": name,
        CHECKSUMS: {each.name: checksum(each) for each in tables},
        "wrote": sorted(names),
    }
    output_file.write_text(store.folder / MANIFEST, json.dumps(content, indent=2, ensure_ascii=False) + "\n")
