"""The results of many runs as one object."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from reclaim import encoding
from reclaim.arguments import checks
from reclaim.arguments import path as checked_path
from reclaim.report import PAGE
from reclaim.result.sets.measured import MeasuredSet
from reclaim.result.sets.names import IDENTITY

if TYPE_CHECKING:
    import polars as pl

    from reclaim.result.sets.plots import Plots


@checks
class ResultSet(MeasuredSet):
    """What a sweep measured: a row for each point, and what the points recorded.

    A point is one run: a device, a trace, a scheme, a value of every axis, and a repeat. docs/result-sets.md
    has the columns, with examples.
    """

    @property
    def plot(self) -> Plots:
        """Altair charts of this set: `cdf`, `bars`, `timeline`, `lines`."""
        from reclaim.result.sets.plots import Plots

        return Plots(self)

    def comparisons(self) -> pl.DataFrame:
        """Give what the experiment's `[[comparisons]]` found: ratios of a scheme to its own baseline.

        Returns:
            A row for each comparison and metric: `comparison`, `scheme`, `to`, `metric`, `value`, `low` and
            `high` (the median ratio and its 95 % interval), `way` (lower, higher, no difference known, or not
            established); no rows where the experiment names none.
        """
        from reclaim.result.sets.comparisons import as_table, comparisons_of

        return as_table(comparisons_of(self))

    def report(self, path: str | Path | None = None) -> Path:
        """Write the report as one HTML file, `report.html` in the set's folder if no other is named.

        Raises:
            InputError: if it cannot be written.
        """
        from reclaim.result.sets.report import write_report

        target = self.folder / PAGE if path is None else checked_path("path", path)
        return write_report(self, target)

    def save_figures(
        self, folder: str | Path, formats: Sequence[str] = ("pdf", "svg"), *, every: bool = False
    ) -> list[Path]:
        """Write a dozen figures for a paper at most, or every one; return their paths.

        Raises:
            InputError: for another format, under too low a limit of memory, or if a file cannot be written.
        """
        from reclaim.result.sets.figures import MOST_FIGURES, save_figures

        most = None if every else MOST_FIGURES
        return save_figures(self, checked_path("folder", folder), list(formats), most)

    def _repr_html_(self) -> str:
        """Show what there is in a notebook."""
        return encoding.visible(self.points.select(*IDENTITY[1:6], "verdict")._repr_html_())
