"""What a reproduction leaves: agreements as JSON and Parquet, and the report."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import polars as pl

from reclaim import encoding, output_file, table_file
from reclaim.paper.evaluation import JudgedClaim, Other, Reproduction
from reclaim.paper.measured import Figure
from reclaim.paper.report import document
from reclaim.report import PAGE
from reclaim.report.forms import chosen
from reclaim.report.html import render

FILES = (PAGE, "agreement.json", "agreement.parquet")
EARLIER = ("verdicts.json", "verdicts.parquet")
"""As two of them were called before 0.1: a new run of a folder removes them."""
FORMAT = 4


def write(found: Reproduction, folder: Path) -> None:
    """Write all files.

    Raises:
        InputError: if one cannot be written.
    """
    output_file.write_text(folder / "agreement.json", text_of(found))
    table_file.write(table(found), folder / "agreement.parquet")
    output_file.write_text(folder / PAGE, render(document(found)))


def text_of(found: Reproduction) -> str:
    """Give everything as JSON."""
    return encoding.json_text(to_dict(found)) + "\n"


def to_dict(found: Reproduction) -> dict[str, Any]:
    """Give everything as plain values; the same for the same level on every machine."""
    counted = {id(row) for row in found.measurements()}
    return {
        "format": FORMAT,
        "paper": found.paper.key,
        "title": found.paper.title,
        "level": found.provenance.level,
        "load": found.paper.load,
        "command": found.provenance.command,
        "reclaim_version": found.provenance.version,
        "counts": {total.of_class: dict(total.counted) for total in found.totals() if total.counted},
        "shown": {total.of_class: dict(total.shown) for total in found.totals() if total.shown},
        "unsettled": list(found.paper.unsettled),
        "why": [each.to_dict() for each in found.findings],
        "traces": [dict(each) for each in found.provenance.traces],
        "scalings": [dict(each) for each in found.provenance.scalings],
        "failures": list(found.provenance.failures),
        "claims": [_row(row, id(row) in counted) for row in found.rows],
    }


def _row(row: JudgedClaim, counted: bool) -> dict[str, Any]:
    claim = row.claim
    return {
        **chosen(claim, "id", "group", "what", "where", "kind", "origin"),
        "class": claim.of_class,
        "why_class": claim.why_class,
        "counted": counted,
        **chosen(claim, "printed", "value", "unit", "better", "tolerance"),
        "ours": _figure(row.figure),
        **chosen(row.judgement, "agreement", "why", "capped"),
        "parts": {name: _figure(part) for name, part in row.measured.parts} if row.measured else {},
        "refused": dict(row.measured.refused) if row.measured else {},
        "absent": list(row.measured.absent) if row.measured else [],
        "readings": [_other(each) for each in row.readings],
        "loads": [_other(each) for each in row.loads],
        "remark": claim.remark,
    }


def _figure(figure: Figure | None) -> dict[str, Any] | None:
    return None if figure is None else asdict(figure)


def _other(other: Other) -> dict[str, Any]:
    judged = chosen(other.judgement, "agreement", "why")
    return {"label": other.label, "ours": _figure(other.figure), **judged}


COLUMNS: dict[str, type[pl.DataType]] = {
    **dict.fromkeys(("paper", "level", "claim", "group", "what", "where", "kind"), pl.String),
    **dict.fromkeys(("origin", "class", "printed"), pl.String),
    "value": pl.Float64,
    "unit": pl.String,
    **dict.fromkeys(("tolerance", "ours", "low", "high"), pl.Float64),
    "repeats": pl.Int64,
    **dict.fromkeys(("agreement", "why"), pl.String),
    "capped": pl.Boolean,
}


def table(found: Reproduction) -> pl.DataFrame:
    """The claims as a table, a row each."""
    rows = []
    for claim in to_dict(found)["claims"]:
        of = {"paper": found.paper.key, "level": found.provenance.level, "claim": claim["id"]}
        number, figure = claim["value"], claim["ours"] or {}
        ours = {"ours": figure.get("value"), "low": figure.get("low"), "high": figure.get("high")}
        printed = {"printed": claim["printed"] or str(number)}
        value = {"value": number if isinstance(number, float) else None, "repeats": figure.get("count")}
        rows.append({**claim, **of, **printed, **value, **ours})
    return pl.DataFrame([{name: row[name] for name in COLUMNS} for row in rows], schema=COLUMNS)
