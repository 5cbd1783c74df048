"""What a reproduction leaves: agreements as JSON and Parquet, and the report."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import polars as pl

from reclaim import encoding, output_file, table_file
from reclaim.papers.evaluation import Other, Reproduction, Row
from reclaim.papers.measured import Figure
from reclaim.papers.report import render

FILES = ("report.html", "agreement.json", "agreement.parquet")
EARLIER = ("verdicts.json", "verdicts.parquet")
"""As two of them were called before 0.1: a new run of a folder removes them."""
FORMAT = 4


def write(found: Reproduction, folder: Path) -> None:
    """Write all files.

    Raises:
        InputError: if one cannot be written.
    """
    text = encoding.json_text(to_dict(found)) + "\n"
    output_file.write_text(folder / "agreement.json", text)
    table_file.write(table(found), folder / "agreement.parquet")
    output_file.write_text(folder / "report.html", render(found))


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


def _row(row: Row, counted: bool) -> dict[str, Any]:
    claim = row.claim
    return {
        "id": claim.id,
        "group": claim.group,
        "what": claim.what,
        "where": claim.where,
        "kind": claim.kind,
        "origin": claim.origin,
        "class": claim.of_class,
        "why_class": claim.why_class,
        "counted": counted,
        "printed": claim.printed,
        "value": claim.value,
        "unit": claim.unit,
        "better": claim.better,
        "tolerance": claim.tolerance,
        "ours": _figure(row.figure),
        "agreement": row.judgement.agreement,
        "why": row.judgement.why,
        "capped": row.judgement.capped,
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
    judged = {"agreement": other.judgement.agreement, "why": other.judgement.why}
    return {"label": other.label, "ours": _figure(other.figure), **judged}


def table(found: Reproduction) -> pl.DataFrame:
    """The claims as a table, a row each."""
    rows = []
    for row in found.rows:
        claim, figure = row.claim, row.figure
        number = claim.value if isinstance(claim.value, float) else None
        rows.append(
            {
                "paper": found.paper.key,
                "level": found.provenance.level,
                "claim": claim.id,
                "group": claim.group,
                "what": claim.what,
                "where": claim.where,
                "kind": claim.kind,
                "origin": claim.origin,
                "class": claim.of_class,
                "printed": claim.printed or str(claim.value),
                "value": number,
                "unit": claim.unit,
                "tolerance": claim.tolerance,
                "ours": None if figure is None else figure.value,
                "low": None if figure is None else figure.low,
                "high": None if figure is None else figure.high,
                "repeats": None if figure is None else figure.count,
                "agreement": row.judgement.agreement,
                "why": row.judgement.why,
                "capped": row.judgement.capped,
            }
        )
    numbers = dict.fromkeys(("value", "tolerance", "ours", "low", "high"), pl.Float64)
    return pl.DataFrame(rows, schema_overrides={**numbers, "repeats": pl.Int64}, infer_schema_length=None)
