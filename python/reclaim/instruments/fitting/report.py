"""The page of a fit, one HTML file that opens offline, and its charts as PNG."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from reclaim import output_file
from reclaim.charts import finished, panels_of
from reclaim.html import inline_json, render_page, with_code
from reclaim.instruments.fitting import plots
from reclaim.instruments.fitting.found import Fit
from reclaim.instruments.fitting.solve import TOLERANCE
from reclaim.instruments.fitting.tables import (
    CHOICES_HEAD,
    LINES_HEAD,
    UNKNOWNS_HEAD,
    choice_rows,
    line_rows,
    unknown_rows,
)
from reclaim.instruments.fitting.words import conclusion, notes
from reclaim.pictures import write_pngs
from reclaim.units import written

PAGE = "fit.html"


def charts(found: Fit) -> dict[str, dict[str, Any]]:
    """Give the specifications of the charts that there are, by the names of their files."""
    drawn = {"fit-unknowns": plots.unknowns(found), "fit-lines": plots.lines(found)}
    return {name: finished(each) for name, each in drawn.items() if each is not None}


def render(found: Fit) -> str:
    """HTML of the page."""
    drawn: dict[str, Any] = {name: panels_of(each) for name, each in charts(found).items()}
    return render_page(
        "fit.html.j2",
        name=found.plan.sheet.name,
        about=found.plan.sheet.about,
        told=with_code(conclusion(found)),
        in_doubt=not found.best.solution.fits,
        notes=list(notes(found)),
        tolerance=written(TOLERANCE, "share"),
        unknowns_head=UNKNOWNS_HEAD,
        unknowns=unknown_rows(found),
        choices_head=CHOICES_HEAD,
        choices=choice_rows(found),
        lines_head=LINES_HEAD,
        lines=line_rows(found),
        figures=list(drawn),
        specs=inline_json(drawn),
        drive=found.plan.drive(found.best.choice, found.best.solution.places).to_toml(),
    )


def write_report(found: Fit, folder: Path) -> None:
    """Write the page and its charts.

    Raises:
        InputError: if one cannot be written, or the page is there and Reclaim did not draw it.
    """
    output_file.check_page(folder / PAGE)
    output_file.write_text(folder / PAGE, render(found))
    write_pngs(charts(found), folder)
