"""The page of a tuning, one HTML file that opens offline, and its charts as PNG."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from reclaim import output_file
from reclaim.charts import finished, panels_of
from reclaim.html import inline_json, render_page, with_code
from reclaim.instruments.tuning import plots
from reclaim.instruments.tuning.device_file import NAME, files_of
from reclaim.instruments.tuning.study import Tuned
from reclaim.instruments.tuning.tables import (
    HEAD,
    around_rows,
    found_rows,
    front_rows,
    judged_rows,
    legend,
    trial_rows,
)
from reclaim.instruments.tuning.words import conclusion, notes, places, verdict
from reclaim.pictures import write_pngs

PAGE = "report.html"
PICTURES = ("search.png", "traded.png", "judged.png", "around.png")


def charts(found: Tuned) -> dict[str, dict[str, Any]]:
    """Give the specifications of the charts that there are, by the names of their files."""
    judged = found.of_found()
    drawn = {
        "search": plots.progress(found),
        "traded": plots.traded(found),
        "judged": None if judged is None else plots.judging(found, judged),
        "around": plots.around(found),
    }
    return {name: finished(each) for name, each in drawn.items() if each is not None}


def render(found: Tuned) -> str:
    """HTML of the page."""
    prepared = found.prepared
    entry = prepared.entry
    drawn: dict[str, Any] = {name: panels_of(each) for name, each in charts(found).items()}
    return render_page(
        "tune.html.j2",
        name=prepared.experiment.name,
        about=prepared.experiment.parts.about,
        scheme=prepared.scheme.name,
        told=with_code(conclusion(found)),
        in_doubt=verdict(found) != 0,
        notes=notes(found),
        head=HEAD,
        found=found_rows(found),
        judged=judged_rows(found),
        legend=legend(found),
        front=front_rows(found),
        around=around_rows(found),
        trials=trial_rows(found),
        tuned_on=places(found, judged=False),
        judged_on=places(found, judged=True),
        objectives=entry.objectives,
        constraints=[each.text for each in entry.constraints],
        combinations=prepared.space.size,
        runs=found.runs,
        refused=len(found.refused),
        files=list(files_of(found)),
        device=NAME,
        figures=list(drawn),
        experiment=prepared.experiment.text,
        specs=inline_json(drawn),
    )


def write_report(found: Tuned, path: Path) -> None:
    """Write the page.

    Raises:
        InputError: if it cannot be written, or is there and Reclaim did not draw it.
    """
    output_file.check_page(path)
    output_file.write_text(path, render(found))


def write_pictures(found: Tuned, folder: Path) -> None:
    """Write the charts as PNG; none under a limit of memory that is too low.

    Raises:
        InputError: if one cannot be written.
    """
    write_pngs(charts(found), folder)
