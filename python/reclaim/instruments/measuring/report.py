"""A measurement as a document: the lines of its sheet, every load, what was run."""

from __future__ import annotations

from reclaim.instruments.measuring import plots
from reclaim.instruments.measuring.plan import Measured
from reclaim.instruments.measuring.tables import fact_rows, reasons, rows, scaled, sheet_rows, uses
from reclaim.instruments.measuring.words import conclusion, notes, window_text
from reclaim.report.document import (
    Chart,
    Document,
    Fold,
    Note,
    Notes,
    Section,
    Source,
    Table,
    Text,
    Verdict,
)

HEAD = ("state", "load", "IOPS", "MB/s", "mean", "p99", "p99.99", "write amplification (bytes)", "window")
SHEET_HEAD = ("line", "published", "measured", "error", "use", "naive", "its error", "source")


def document(found: Measured) -> Document:
    """Give the conclusion first, then what it is drawn from."""
    sheet = found.plan.sheet
    unsteady = any(each.steady is False for each in found.figures.values())
    sources = [] if sheet is None else sheet.sources
    return Document(
        f"{found.name}, measured",
        [
            Text("" if sheet is None else sheet.about, "sub"),
            Verdict([Text(conclusion(found))], "not-established" if found.failures or unsteady else ""),
            Notes([Note(each) for each in notes(found)], "notes"),
            Section(
                "Beside its sheet",
                [
                    Text(
                        "The error is that of the measured figure, in the published one. The naive predictor "
                        "takes what a fresh drive reaches over a closed form of write amplification.",
                        "caption",
                    ),
                    Chart("errors", lambda: plots.errors(found)),
                    Table(SHEET_HEAD, sheet_rows(found), name="sheet"),
                    Section("", [Notes([Note(text, use, "") for use, text in uses(found)])], page=True),
                    Fold(
                        "Why each line is used as it is",
                        [Table(("line", "why"), reasons(found), name="reasons")],
                    ),
                ],
            ),
            Section(
                "Every load",
                [
                    Text(
                        f"{window_text(found)}. A steady load has the figures of its window: the first "
                        "five rounds in a row whose range is within 20 % of their average, and whose best "
                        "linear fit changes by no more than 10 % of it (SNIA, Solid State Storage "
                        "Performance Test Specification 2.0.2). A fresh one has those of all rounds. A "
                        "percentile with fewer than ten requests beyond it is left out.",
                        "caption",
                    ),
                    Table(HEAD, rows(found), name="loads"),
                ],
            ),
            Section(
                "The steady state",
                [
                    Text(
                        "Requests a second in each round. Dashed: a tenth above and below the average of the "
                        "window.",
                        "caption",
                    ),
                    Chart("steady", lambda: plots.steady(found)),
                ],
                page=True,
            ),
            Section("What was run", [Text(scaled(found))]),
            Section(
                "",
                [
                    Table(("what", "value", "source"), fact_rows(found), name="facts"),
                    Notes(
                        [Note(f"{each.title}, {each.date}, `{each.url}`", each.key, "") for each in sources],
                        "sources",
                    ),
                    Fold("experiment.toml", [Source(found.plan.experiment.text)]),
                ],
                page=True,
            ),
        ],
    )
