"""A fit as JSON."""

from __future__ import annotations

from typing import Any

from reclaim.instruments.fitting.found import Fit, Fitted
from reclaim.instruments.fitting.words import conclusion, is_inside, notes
from reclaim.report.forms import result_json

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
                    "load": each.line.load.name,
                    "metric": each.line.metric,
                    "use": each.line.use,
                    "published": each.line.value,
                    "solved": each.measured,
                    "error": each.error,
                    "permitted": list(found.range_of(each.line)),
                    "inside": is_inside(found, each.line),
                    "naive": each.naive,
                    "naive_error": each.naive_error,
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
