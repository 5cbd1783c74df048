"""A fit as a document: what the sheet determines, its lines, the drive."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from reclaim.report.document import Chart, Document, Fold, Source, Table, Title
from reclaim.report.forms import result_json
from reclaim.report.ratios import beginning
from reclaim.study.fitting import plots
from reclaim.study.fitting.plan import Fit, Fitted
from reclaim.study.fitting.solve import TOLERANCE
from reclaim.study.measuring.report import beside_line, error_text, figure_text, of_line
from reclaim.study.measuring.sheet import PublishedFigure
from reclaim.units import MISSING, written


def conclusion(found: Fit) -> str:
    """Say what is determined, and whether held-out lines lie in what is predicted."""
    best, unknowns = found.best, found.plan.sheet.unknowns
    determined = [each.key for place, each in enumerate(unknowns) if found.is_determined(place)]
    left = [each.key for each in unknowns if each.key not in determined]
    text = f"{found.plan.sheet.name}: "
    if best.solution.fits:
        text += f"the fitted lines are kept within {error_text(best.solution.worst)[1:]}. "
    else:
        text += (
            f"no drive within the declared ranges keeps the fitted lines within {TOLERANCE:.0%}; "
            f"the nearest is off by {error_text(best.solution.worst)[1:]}. "
        )
    if found.fits:
        text += f"Determined: {_listed(determined)}; not determined: {_listed(left)}."
    else:
        text += "So nothing is determined: these figures are of the nearest drive, not of that of the sheet."
    if len(found.plan.choices) > 1:
        kept = [each.choice.name for each in found.choices if each.solution.fits]
        text += f" Of {len(found.plan.choices)} choices {len(kept)} keep the fitted lines: {_listed(kept)}."
    lines = [each.line for each in found.held_out]
    if lines and found.fits:
        inside = sum(is_inside(found, each) for each in lines)
        text += f" {inside} of {len(lines)} held-out lines lie within what the permitted drives make of them."
    return text


def is_inside(found: Fit, line: PublishedFigure) -> bool:
    """Whether the published figure lies between the least and the most that permitted drives reach."""
    low, high = found.range_of(line)
    return found.fits and low <= line.value <= high


def _listed(names: list[str]) -> str:
    return ", ".join(names) or "none"


def notes(found: Fit) -> Iterator[str]:
    """Give what must be known beside that."""
    for each in found.choices:
        for text in each.measured.failures:
            yield f"{each.choice.name}: could not be run: {text}"
        if not each.solution.fits:
            yield (
                f"{each.choice.name}: the fitted lines are off by up to {error_text(each.solution.worst)[1:]}"
            )
    if any(not each.settings for each in found.plan.sheet.choices):
        yield "a [[choice]] without settings is the device file again"


YES, NO = "yes", "no"


def unknown_rows(found: Fit) -> list[tuple[str, ...]]:
    """Give every unknown: its declared range, the solution, and what the fitted lines permit."""
    return [
        (
            each.key,
            each.range_text(),
            each.shown(found.best.solution.places[number]),
            " to ".join(map(each.shown, found.span(number))),
            YES if found.is_determined(number) else NO,
            each.why,
        )
        for number, each in enumerate(found.plan.sheet.unknowns)
    ]


def choice_rows(found: Fit) -> list[tuple[str, ...]]:
    """Give every choice: how many drives were tried, and how near the fitted lines came."""
    return [
        (
            each.choice.name,
            str(each.solution.tried),
            error_text(each.solution.worst)[1:],
            each.choice.why or MISSING,
        )
        for each in found.choices
    ]


def line_rows(found: Fit) -> list[tuple[str, ...]]:
    """Give every line of the sheet: the solution's figure, and those of all permitted drives."""
    return [
        (
            *beside_line(each),
            " to ".join(figure_text(end, each.line.metric) for end in found.range_of(each.line)),
            (YES if is_inside(found, each.line) else NO) if each.line.counts else MISSING,
            each.line.use,
            figure_text(each.naive, each.line.metric),
        )
        for each in found.best.measured.compared
    ]


FORMAT = 1


def result(found: Fit) -> str:
    """Write all figures; the same bytes at any number of workers."""
    return result_json(
        {
            "format": FORMAT,
            "sheet": found.plan.sheet.name,
            "conclusion": conclusion(found),
            "notes": list(notes(found)),
            "best": found.best.choice.name,
            "choices": [_choice(found, each) for each in found.choices],
            "lines": [
                {
                    **of_line(each),
                    "solved": each.measured,
                    "permitted": found.range_of(each.line),
                    "inside": is_inside(found, each.line),
                }
                for each in found.best.measured.compared
            ],
        }
    )


def _choice(found: Fit, each: Fitted) -> dict[str, Any]:
    unknowns = found.plan.sheet.unknowns
    return {
        "name": each.choice.name,
        "drives_tried": each.solution.tried,
        "keeps_fitted_lines": each.solution.fits,
        "unknowns": [
            {
                "key": unknown.key,
                "solved": unknown.text(each.solution.places[place]),
                "permitted": [unknown.text(end) for end in each.permitted(place)],
                "determined": found.is_determined(place),
            }
            for place, unknown in enumerate(unknowns)
        ],
        "fitted": [
            {
                "load": line.load.name,
                "metric": line.metric,
                "log_error": off,
                "changes_by": dict(zip((one.key for one in unknowns), slope, strict=True)),
            }
            for line, off, slope in zip(
                found.plan.fitted, each.solution.residuals, each.solution.jacobian, strict=True
            )
        ],
    }


PAGE = "fit.html"
UNKNOWNS_HEAD = ("unknown", "looked for", "solved", "permitted", "determined", "why this range")
CHOICES_HEAD = ("choice", "drives tried", "farthest fitted line", "why")
LINES_HEAD = ("line", "published", "solved", "error", "permitted drives reach", "inside", "use", "naive")


def document(found: Fit) -> Document:
    """Give the conclusion first, then what it is drawn from."""
    sheet, best = found.plan.sheet, found.best
    drive = found.plan.drive(best.choice, best.solution.places).to_toml()
    level = "" if best.solution.fits else "not-established"
    choices = choice_rows(found) if len(found.choices) > 1 else []
    blocks = [
        *beginning(sheet.about, conclusion(found), notes(found), level=level),
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
