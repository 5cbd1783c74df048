"""All checks, run on all cores."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from typing import Any

from reclaim.report.document import Table, figures_of
from reclaim.report.forms import markdown_of
from reclaim.units import written
from reclaim.validation import amplification, limits, load, mqsim, queueing, timed
from reclaim.validation.checks import NORMAL, Check, CheckedFigure, ExpectedFigure, Level, rows_of


@dataclass(frozen=True)
class Report:
    """Every row, in a fixed order."""

    level: str
    rows: tuple[CheckedFigure, ...]

    @property
    def passed(self) -> bool:
        """Whether every row is within its tolerance."""
        return all(row.passed for row in self.rows)

    def groups(self) -> Iterator[tuple[str, list[CheckedFigure]]]:
        """Give the rows by group, in order of appearance."""
        for group in dict.fromkeys(row.group for row in self.rows):
            yield group, [row for row in self.rows if row.group == group]

    def to_dict(self) -> dict[str, Any]:
        """Give everything as plain values; the same for the same level on every machine."""
        rows = [row.to_dict() for row in self.rows]
        return {"level": self.level, "passed": self.passed, "rows": rows}


class _StoppedError(Exception):
    """Somebody asked a run to stop."""


def all_checks(level: Level) -> list[Check]:
    """Every check there is."""
    with_time = timed.checks(level) + load.checks(level)
    return amplification.checks(level) + with_time + queueing.checks(level) + limits.checks()


def mqsim_checks() -> list[Check]:
    """The comparison with MQSim, which needs NumPy and no level."""
    return mqsim.checks()


def validate(
    level: Level = NORMAL,
    *,
    checks: Sequence[Check] | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> Report:
    """Run checks on all cores and report; Ctrl-C stops within a second or two.

    Args:
        level: how much to simulate.
        checks: some of `all_checks`; None for all.
        progress: called after every run with (done, total).
    """
    chosen = all_checks(level) if checks is None else checks
    stop = threading.Event()

    def heartbeat(*_: object) -> None:
        if stop.is_set():
            raise _StoppedError

    runs: list[list[list[ExpectedFigure]]] = [[[] for _ in range(check.seeds)] for check in chosen]
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as executor:
        # The longest are the last in the list: they start first, so that no core is left alone with one.
        jobs = [(index, seed) for index, check in enumerate(chosen) for seed in range(check.seeds)]
        futures = {
            executor.submit(chosen[index].run, seed + 1, heartbeat): (index, seed)
            for index, seed in reversed(jobs)
        }
        try:
            for done, future in enumerate(as_completed(futures), 1):
                index, seed = futures[future]
                runs[index][seed] = future.result()
                if progress is not None:
                    progress(done, len(jobs))
        except BaseException:
            stop.set()
            executor.shutdown(wait=False, cancel_futures=True)
            raise
    rows = (rows_of(check, points) for check, points in zip(chosen, runs, strict=True))
    return Report(level.name, tuple(row for some in rows for row in some))


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
