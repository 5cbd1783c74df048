"""What a sweep prints at its end: the schemes side by side, and where everything is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reclaim.bench.run import Swept
from reclaim.cli.console import out
from reclaim.errors import InputError
from reclaim.report.document import Block, Note, Notes, Text
from reclaim.report.terminal import show as show_document

if TYPE_CHECKING:
    from reclaim.results.sets import ResultSet

SHOWN = (
    "read_mean_ns",
    "read_p99_9_ns",
    "write_mean_ns",
    "write_p99_9_ns",
    "gc_nand_write_amplification",
)
"""Of the headline's metrics those that a terminal shows; the report has all."""


def show(swept: Swept) -> None:
    """Print ratios to the first scheme with their intervals, what is no ratio, and where the report is."""
    from reclaim.results.sets import ResultSet
    from reclaim.results.sets.comparison_report import comparison_table
    from reclaim.results.sets.remarks import of_orders
    from reclaim.results.sets.report_tables import not_collected

    try:
        results = ResultSet.load(swept.folder)
    except InputError:
        # No point at all.
        results = None
    if results is not None:
        compared = comparison_table(results)
        notes = [Note(each.text, each.where, each.severity) for each in of_orders(results)]
        tables = ratio_tables(results) if compared is None else [compared]
        show_document([Text(not_collected(results), "strong"), *tables, Notes(notes)], out)
    out.print(f"results: {swept.report or swept.folder}", soft_wrap=True, markup=False)


def ratio_tables(results: ResultSet) -> list[Block]:
    """A table for each drive and value of an axis: metrics down, schemes across."""
    from reclaim.results.sets.metrics import PADDED, amplification
    from reclaim.results.sets.report_tables import about, legend, tables

    # Results of an earlier day have write amplification in pages alone.
    shown = (*SHOWN, amplification(results.points), PADDED)
    metrics = [name for name in results.headline() if name in shown]
    if results.points["scheme"].n_unique() < 2 or not metrics:
        return []
    first, _ = tables(results, metrics)
    return [*first, Text(legend(first)), Text(about(results), "level")]
