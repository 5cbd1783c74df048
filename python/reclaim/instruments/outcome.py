"""What came of one run: its figures and its verdict, or why there are none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from reclaim.results.result import Result
from reclaim.results.verdict import Level, Severity, Verdict

UNBOUNDED = "unbounded-queue"
"""Code of the warning that requests came faster than the drive could answer them (docs/verdicts.md)."""


@dataclass(frozen=True)
class Outcome:
    """What came of one run: it was refused, it failed, or it has figures and a verdict."""

    point: str
    """Name of the point in the folder."""
    refused: str = ""
    """Why the configuration refuses it; empty if it does not."""
    failed: str = ""
    """Why it failed; empty if it did not."""
    verdict: Verdict | None = None
    """How far the run says itself that its figures can be trusted; None without figures."""
    figures: Mapping[str, float] = field(default_factory=dict, repr=False)
    """Numbers that it measured by the names of the columns of `points.parquet`, in the units of those."""

    @property
    def ran(self) -> bool:
        """Whether it has figures."""
        return self.verdict is not None

    @property
    def level(self) -> Level | None:
        """How far its figures can be trusted; None without figures."""
        return None if self.verdict is None else self.verdict.level

    @property
    def codes(self) -> tuple[str, ...]:
        """Codes of the warnings and doubts of its verdict, warnings first."""
        if self.verdict is None:
            return ()
        return tuple(each.code for each in (*self.verdict.warnings, *self.verdict.doubts))

    @property
    def unbounded(self) -> bool:
        """Whether its queues grew without bound, so that its latencies are of how long it ran."""
        return UNBOUNDED in self.codes

    def concerning(self, metric: str) -> Severity | None:
        """The worst kind of remark of its verdict that names a figure, by its column; None if none does."""
        if self.verdict is None:
            return None
        named = {
            figure
            for each in (*self.verdict.warnings, *self.verdict.doubts, *self.verdict.notes)
            for figure in each.figures
            if column(figure) == metric
        }
        return next(
            (
                severity
                for severity in ("warning", "doubt", "note")
                if any(self.verdict.concerning(figure) == severity for figure in named)
            ),
            None,
        )


def column(figure: str) -> str:
    """Name the column of a figure that a verdict names by its path in the results.

    >>> column("requests.read.p99_ns"), column("gc.nand_write_amplification")
    ('read_p99_ns', 'gc_nand_write_amplification')
    """
    return figure.removeprefix("requests.").removeprefix("policies.").replace(".", "_")


def measured(point: str, result: Result) -> Outcome:
    """Give the outcome of a run that came to its end."""
    figures = {
        name: value
        for name, value in result.summary().items()
        if isinstance(value, int | float) and not isinstance(value, bool)
    }
    return Outcome(point, verdict=result.verdict, figures=figures)
