"""The page of a measurement, one HTML file that opens offline, and its charts as PNG."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from reclaim import output_file
from reclaim.charts import finished, panels_of
from reclaim.html import inline_json, render_page, with_code
from reclaim.instruments.measuring import plots
from reclaim.instruments.measuring.plan import Measured
from reclaim.instruments.measuring.tables import (
    HEAD,
    SHEET_HEAD,
    fact_rows,
    reasons,
    rows,
    scaled,
    sheet_rows,
    uses,
)
from reclaim.instruments.measuring.words import conclusion, notes, window_text
from reclaim.pictures import write_pngs

PAGE = "report.html"


def charts(found: Measured) -> dict[str, dict[str, Any]]:
    """Give the specifications of the charts that there are, by the names of their files."""
    drawn = {"steady": plots.steady(found), "errors": plots.errors(found)}
    return {name: finished(each) for name, each in drawn.items() if each is not None}


def render(found: Measured) -> str:
    """HTML of the page."""
    drawn: dict[str, Any] = {name: panels_of(each) for name, each in charts(found).items()}
    sheet = found.plan.sheet
    return render_page(
        "measure.html.j2",
        name=found.name,
        about="" if sheet is None else sheet.about,
        told=with_code(conclusion(found)),
        in_doubt=bool(found.failed) or any(each.steady is False for each in found.figures.values()),
        notes=list(notes(found)),
        head=HEAD,
        rows=rows(found),
        sheet_head=SHEET_HEAD,
        sheet=sheet_rows(found),
        uses=uses(found),
        reasons=reasons(found),
        facts=fact_rows(found),
        sources=[] if sheet is None else sheet.sources,
        scaled=scaled(found),
        rounds=window_text(found),
        figures=list(drawn),
        specs=inline_json(drawn),
        experiment=found.plan.experiment.text,
    )


def write_report(found: Measured, path: Path) -> None:
    """Write the page.

    Raises:
        InputError: if it cannot be written, or is there and Reclaim did not draw it.
    """
    output_file.check_page(path)
    output_file.write_text(path, render(found))


def write_pictures(found: Measured, folder: Path) -> None:
    """Write the charts as PNG; none under a limit of memory that is too low.

    Raises:
        InputError: if one cannot be written.
    """
    write_pngs(charts(found), folder)
