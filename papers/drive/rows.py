"""The drive itself as the first paper: every row of the validation, against closed forms and MQSim."""

from __future__ import annotations

from reclaim.paper.toolkit import Figure, Level, PaperFigure, Tell
from reclaim.validation import checks
from reclaim.validation.checks import CheckedFigure
from reclaim.validation.run import all_checks, mqsim_checks, validate

LEVELS: dict[Level, checks.Level] = {"quick": checks.QUICK, "default": checks.NORMAL, "full": checks.FULL}
UNITS = {"ratio": "", "ns": "ns", "bytes/s": "B/s", "count": ""}
ERRORS = 2.0
"""Standard errors on each side of a mean that make its interval."""


def figures(level: Level, tell: Tell) -> dict[str, PaperFigure]:
    """Run what `reclaim validate` and `reclaim validate --mqsim` run, and give each row."""
    chosen = LEVELS[level]
    report = validate(
        chosen,
        checks=[*all_checks(chosen), *mqsim_checks()],
        progress=lambda done, total: tell("validation", done, total),
    )
    return {
        f"{row.name} ({row.group})" if _twice(row, report.rows) else row.name: _figure(row)
        for row in report.rows
    }


def _twice(row: CheckedFigure, rows: tuple[CheckedFigure, ...]) -> bool:
    return sum(other.name == row.name for other in rows) > 1


def _figure(row: CheckedFigure) -> PaperFigure:
    noise = None if row.noise is None else ERRORS * row.noise * row.expected
    return PaperFigure(
        Figure(
            row.measured,
            low=None if noise is None else row.measured - noise,
            high=None if noise is None else row.measured + noise,
            exact=row.tolerance == 0,
        ),
        family=row.group,
        expected=row.expected,
        tolerance=row.tolerance,
        unit=UNITS[row.unit],
        what=row.name,
    )
