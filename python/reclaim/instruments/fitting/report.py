"""A fit as a document: what the sheet determines, its lines, the drive."""

from __future__ import annotations

from reclaim.instruments.fitting import plots
from reclaim.instruments.fitting.found import Fit
from reclaim.instruments.fitting.solve import TOLERANCE
from reclaim.instruments.fitting.tables import choice_rows, line_rows, unknown_rows
from reclaim.instruments.fitting.words import conclusion, notes
from reclaim.report.document import Chart, Document, Fold, Source, Table, Title, beginning
from reclaim.units import written

PAGE = "fit.html"
UNKNOWNS_HEAD = ("unknown", "looked for", "solved", "permitted", "determined", "why this range")
CHOICES_HEAD = ("choice", "drives tried", "farthest fitted line", "why")
LINES_HEAD = ("line", "published", "solved", "error", "permitted drives reach", "inside", "use", "naive")


def document(found: Fit) -> Document:
    """Give the conclusion first, then what it is drawn from."""
    sheet, best = found.plan.sheet, found.best
    drive = found.plan.drive(best.choice, best.solution.places).to_toml()
    choices = choice_rows(found) if len(found.choices) > 1 else []
    blocks = [
        *beginning(sheet.about, conclusion(found), notes(found), in_doubt=not best.solution.fits),
        Title("What the sheet determines"),
        (
            f"A drive is permitted if every fitted line is within {written(TOLERANCE, 'share')} of its "
            "published figure. The band is what an unknown can be in such a drive while all others move "
            "along, the dot is the solution."
        ),
        Chart("fit-unknowns", lambda: plots.unknowns(found)),
        Table(UNKNOWNS_HEAD, unknown_rows(found), name="unknowns"),
        Table(CHOICES_HEAD, choices, "Choices", name="choices"),
        Title("Lines of the sheet"),
        (
            "The error is in the published figure. The band is what permitted drives reach, over all "
            "choices that keep the fitted lines. The naive predictor takes what a fresh drive reaches "
            "over a closed form of write amplification."
        ),
        Chart("fit-lines", lambda: plots.lines(found)),
        Table(LINES_HEAD, line_rows(found), name="lines"),
        Fold("The drive that was found", [Source(drive)]),
    ]
    return Document(f"{sheet.name}, fitted", blocks)
