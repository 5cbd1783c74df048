"""Rows as text, for the terminal and for `docs/validation.md`."""

from __future__ import annotations

from collections.abc import Sequence

from reclaim.report.document import Table, figures_of
from reclaim.report.forms import markdown_of
from reclaim.units import written
from reclaim.validation.checks import CheckedFigure
from reclaim.validation.run import Report

DETAILS = {
    "spare_factor": ("nominal Sf", ".5f"),
    "erased_blocks_per_plane": ("erased blocks of a plane", ".2f"),
    "effective_spare_factor": ("effective Sf", ".5f"),
}
"""Column and format of what is shown of the details, where a group has it."""


def _figure(value: float, row: CheckedFigure) -> str:
    if row.unit == "ratio":
        return f"{value:.4f}"
    if row.unit == "bytes/s":
        return written(value, "bandwidth")
    if row.unit == "count":
        return f"{value:,.0f}"
    return f"{value:,.0f} ns" if row.tolerance == 0 else f"{value / 1000:,.2f} µs"


def _percent(value: float) -> str:
    """A share with its sign.

    >>> _percent(-0.00123), _percent(0.0)
    ('-0.12 %', '0')
    """
    return f"{100 * value:+.2f} %" if value else "0"


def table_of(group: str, rows: Sequence[CheckedFigure]) -> Table:
    """Give the table of a group."""
    shown = [key for key in DETAILS if any(key in row.details for row in rows)]
    details = [DETAILS[key][0] for key in shown]
    names = (*details, "measured", rows[0].against, "deviation", "± noise", "tolerance", "")
    cells = [_cells(row, shown) for row in rows]
    bad = [number for number, row in enumerate(rows) if not row.passed]
    return Table(figures_of("", names), cells, group, bad=bad)


def _cells(row: CheckedFigure, shown: Sequence[str]) -> list[str]:
    # The share in use is told beside write amplification and has no spare factor of its own.
    details = (f"{row.details[key]:{DETAILS[key][1]}}" if key in row.details else "" for key in shown)
    return [
        row.name,
        *details,
        _figure(row.measured, row),
        _figure(row.expected, row),
        _percent(row.deviation),
        "" if row.noise is None else f"{100 * row.noise:.2f} %",
        f"{100 * row.tolerance:g} %" if row.tolerance else "exact",
        "pass" if row.passed else "FAIL",
    ]


def markdown(report: Report) -> str:
    """Give the whole report as Markdown tables, one per group."""
    return "\n".join(
        f"### {group}\n\n{markdown_of(table_of(group, rows))}" for group, rows in report.groups()
    )
