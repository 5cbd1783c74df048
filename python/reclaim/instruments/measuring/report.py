"""A measurement as a document: the lines of its sheet, every load, what was run."""

from __future__ import annotations

from reclaim.instruments.measuring import plots
from reclaim.instruments.measuring.plan import Measured
from reclaim.instruments.measuring.tables import fact_rows, reasons, rows, scaled, sheet_rows, uses
from reclaim.instruments.measuring.words import conclusion, notes, window_text
from reclaim.report.document import Chart, Document, Fold, Source, Table, Text, Title, beginning

HEAD = ("state", "load", "IOPS", "MB/s", "mean", "p99", "p99.99", "write amplification (bytes)", "window")
SHEET_HEAD = ("line", "published", "measured", "error", "use", "naive", "its error", "source")


def document(found: Measured) -> Document:
    """Give the conclusion first, then what it is drawn from."""
    sheet = found.plan.sheet
    in_doubt = bool(found.failures) or any(each.steady is False for each in found.figures.values())
    sources = [] if sheet is None else sheet.sources
    of_sources = [(each.key, f"{each.title}, {each.date}", each.url) for each in sources]
    blocks = [
        *beginning("" if sheet is None else sheet.about, conclusion(found), notes(found), in_doubt=in_doubt),
        Title("Beside its sheet"),
        (
            "The error is that of the measured figure, in the published one. The naive predictor takes "
            "what a fresh drive reaches over a closed form of write amplification."
        ),
        Chart("errors", lambda: plots.errors(found)),
        Table(SHEET_HEAD, sheet_rows(found), name="sheet"),
        Fold("What each use means", [Table(("use", "meaning"), uses(found))]),
        Fold("Why each line is used as it is", [Table(("line", "why"), reasons(found), name="reasons")]),
        Title("Every load"),
        (
            f"{window_text(found)}. A steady load has the figures of its window: the first five rounds in "
            "a row whose range is within 20 % of their average, and whose best linear fit changes by no "
            "more than 10 % of it (SNIA, Solid State Storage Performance Test Specification 2.0.2). A "
            "fresh one has those of all rounds. A percentile with fewer than ten requests beyond it is "
            "left out."
        ),
        Table(HEAD, rows(found), name="loads"),
        Title("The steady state", page=True),
        "Requests a second in each round. Dashed: a tenth above and below the average of the window.",
        Chart("steady", lambda: plots.steady(found)),
        Title("What was run"),
        Text(scaled(found)),
        Title("What the drive is made of", page=True),
        Table(("what", "value", "source"), fact_rows(found), name="facts"),
        Table(("source", "title", "address"), of_sources, name="sources"),
        Fold("experiment.toml", [Source(found.plan.experiment.text)]),
    ]
    return Document(f"{found.name}, measured", blocks)
