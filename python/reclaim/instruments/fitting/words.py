"""What is said of a fit: the conclusion in some sentences, and its notes."""

from __future__ import annotations

from collections.abc import Iterator

from reclaim.instruments.fitting.plan import Fit
from reclaim.instruments.fitting.solve import TOLERANCE
from reclaim.instruments.measuring.sheet import Line
from reclaim.instruments.measuring.words import error_text


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


def is_inside(found: Fit, line: Line) -> bool:
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
