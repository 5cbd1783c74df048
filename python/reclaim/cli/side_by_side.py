"""What collection costs under a trace and under its stand-in, as a table in the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from reclaim.cli.console import out
from reclaim.cli.progress import counted
from reclaim.report import terminal as shown
from reclaim.report.document import Table, figures_of
from reclaim.trace.trace import Trace
from reclaim.units import MISSING

if TYPE_CHECKING:
    from reclaim.paper.collecting import SideBySide

NEAR = 0.10
"""Greatest deviation of write amplification that is not marked."""
SHORT = {
    "relocated_per_victim": "moved",
    "erases": "erases",
    **{f"{op}_p{p}_ns": f"{op[0]} p{p}" for op in ("read", "write") for p in ("50", "99", "99.9")},
}
"""Heads of the columns that have deviations only."""
NARROW = ("relocated_per_victim", "read_p99_ns", "write_p99_ns")
WIDE = 126
"""Characters from which on there is room for all columns."""


def played(source: Trace, stand_in: Trace) -> list[SideBySide]:
    """Play both on every drive, and show how many runs are done."""
    from reclaim.paper.collecting import side_by_side

    with counted("playing both") as tell:
        return side_by_side(source, stand_in, tell)


def show(cells: Sequence[SideBySide]) -> None:
    """Print write amplification of both, and the deviation of everything else that there is room for."""
    columns = {name: head for name, head in SHORT.items() if out.width >= WIDE or name in NARROW}
    names = ("spare", "source", "stand-in", "", *columns.values())
    loads = list(dict.fromkeys(cell.load for cell in cells))
    victims = list(dict.fromkeys(cell.victim for cell in cells))
    rows: list[list[str]] = []
    bad: list[int] = []
    before = ("", "")
    for cell in sorted(cells, key=lambda each: (loads.index(each.load), victims.index(each.victim))):
        workload = (cell.load, cell.victim)
        deviation = cell.deviation("write_amplification")
        if deviation is not None and abs(deviation) > NEAR:
            bad.append(len(rows))
        rows.append(
            [
                *(("", "") if workload == before else workload),
                f"{100 * cell.spare:g} %",
                *(_ratio(each.write_amplification) for each in (cell.source, cell.stand_in)),
                _share(deviation),
                *(_share(cell.deviation(name)) for name in columns),
            ]
        )
        before = workload
    title = "Write amplification and what else collection costs"
    shown.show([Table(["load", *figures_of("victim", names)], rows, title, bad=bad)], out)
    said = "moved: valid pages of a victim; r, w: latency of reads and writes; red: write amplification "
    said += f"more than {100 * NEAR:g} % off"
    out.print(said if len(columns) == len(SHORT) else f"{said}; --json has more")
    out.print(summary(cells))


def summary(cells: Sequence[SideBySide]) -> str:
    """Give the median and the largest deviation of write amplification for each victim policy."""
    from reclaim.paper.collecting import amplification_off

    parts = [
        f"{off.victim} {_share(off.median)} (largest {_share(off.largest)}, {off.runs} runs)"
        for off in amplification_off(cells)
    ]
    if not parts:
        return "The source makes no victim policy move anything: there is nothing to compare."
    return f"Write amplification off, median of the runs in which there was pages to move: {', '.join(parts)}"


def _ratio(value: float | None) -> str:
    return MISSING if value is None else f"{value:.3f}"


def _share(value: float | None) -> str:
    if value is None:
        return MISSING
    return f"{100 * value:+.0f} %" if abs(value) < 10 else f"x{value + 1:.0f}"
