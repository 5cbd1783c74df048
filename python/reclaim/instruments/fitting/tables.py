"""The tables of a fit: unknowns, choices, and lines with what is predicted."""

from __future__ import annotations

from reclaim.instruments.fitting.found import Fit
from reclaim.instruments.fitting.words import is_inside
from reclaim.instruments.measuring.tables import error_text, figure_text

YES, NO = "yes", "no"


def unknown_rows(found: Fit) -> list[tuple[str, ...]]:
    """Give every unknown: its declared range, the solution, and what the fitted lines permit."""
    rows: list[tuple[str, ...]] = []
    for place, each in enumerate(found.plan.sheet.unknowns):
        low, high = found.span(place)
        rows.append(
            (
                each.key,
                each.range_text(),
                each.shown(found.best.solution.places[place]),
                f"{each.shown(low)} to {each.shown(high)}",
                YES if found.is_determined(place) else NO,
                each.why,
            )
        )
    return rows


def choice_rows(found: Fit) -> list[tuple[str, ...]]:
    """Give every choice: how many drives were tried, and how near the fitted lines came."""
    return [
        (
            each.choice.name,
            str(each.solution.tried),
            error_text(each.solution.worst)[1:],
            each.choice.why or "–",
        )
        for each in found.choices
    ]


def line_rows(found: Fit) -> list[tuple[str, ...]]:
    """Give every line of the sheet: the solution's figure, and those of all permitted drives."""
    rows: list[tuple[str, ...]] = []
    for each in found.best.measured.compared:
        low, high = found.range_of(each.line)
        rows.append(
            (
                f"{each.line.load.state} {each.line.load.label}",
                figure_text(each.line.value, each.line.metric),
                figure_text(each.measured, each.line.metric),
                error_text(each.error),
                f"{figure_text(low, each.line.metric)} to {figure_text(high, each.line.metric)}",
                (YES if is_inside(found, each.line) else NO) if each.line.counts else "–",
                each.line.use,
                figure_text(each.naive, each.line.metric),
            )
        )
    return rows
