"""How far the simulator itself says that the runs behind a figure establish it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import polars as pl

from reclaim.errors import InputError
from reclaim.paper.decisions import Trust
from reclaim.result.sets.stored import StoredPoints
from reclaim.result.verdict import Severity, column

COLUMN = "remarks_by_metric"
"""JSON: warning or doubt, to column, to the codes of remarks on it (docs/verdicts.md)."""
OF_SEVERITY: dict[Severity, Trust] = {"warning": "not trustworthy", "doubt": "not established"}


def of_points(points: pl.DataFrame, is_meant: Callable[[str], bool]) -> tuple[Trust, str]:
    """Say how far the runs establish some metrics, the worst of them, and why not further.

    Args:
        points: those that a figure rests on.
        is_meant: whether a column is one of the metrics.
    """
    if COLUMN not in points.columns:
        return "trustworthy", ""
    codes: dict[str, dict[str, int]] = {}
    for text in points[COLUMN].to_list():
        for severity, by_metric in (json.loads(text) if text else {}).items():
            for code in {code for metric, said in by_metric.items() if is_meant(metric) for code in said}:
                of_severity = codes.setdefault(severity, {})
                of_severity[code] = of_severity.get(code, 0) + 1
    for severity, trust in OF_SEVERITY.items():
        if severity in codes:
            said = ", ".join(f"{code} ({count})" for code, count in sorted(codes[severity].items()))
            return trust, f"of {points.height} runs: {said}"
    return "trustworthy", ""


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
