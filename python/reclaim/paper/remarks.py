"""What the simulator says itself of the figures of a sweep: a column that is added to its points."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl

from reclaim.errors import InputError
from reclaim.paper.trust import COLUMN, OF_SEVERITY
from reclaim.result.sets.stored import StoredPoints
from reclaim.result.verdict import column


def with_remarks(points: pl.DataFrame, folder: Path) -> pl.DataFrame:
    """Add the column.

    Args:
        points: of the sweep.
        folder: where the sweep is.
    """
    if points.is_empty():
        return points
    stored = StoredPoints(folder)
    found = [_remarks(stored, point) for point in points["point"].to_list()]
    return points.with_columns(pl.Series(COLUMN, found, dtype=pl.String))


def _remarks(stored: StoredPoints, point: str) -> str:
    try:
        verdict = stored.result(point).verdict
    except InputError:
        # Of a run that is not there any more nobody knows which figures its level is of.
        return ""
    table: dict[str, dict[str, list[str]]] = {}
    for severity in OF_SEVERITY:
        for remark in verdict.remarks(severity):
            for figure in remark.figures:
                table.setdefault(severity, {}).setdefault(column(figure), []).append(remark.code)
    return json.dumps(table, sort_keys=True) if table else ""
