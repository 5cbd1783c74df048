"""What a sweep tells of its set at its end: the schemes side by side, and what speaks against that."""

from __future__ import annotations

from reclaim.report.document import Block, Note, Notes, Text
from reclaim.results.sets.comparison_report import comparison_table
from reclaim.results.sets.measured import Measured
from reclaim.results.sets.metrics import PADDED, amplification
from reclaim.results.sets.remarks import of_orders
from reclaim.results.sets.report_tables import about, legend, not_collected, tables

SHOWN = (
    "read_mean_ns",
    "read_p99_9_ns",
    "write_mean_ns",
    "write_p99_9_ns",
    "gc_nand_write_amplification",
)
"""Of the headline's metrics those that are told; the report has all."""


def brief(results: Measured) -> list[Block]:
    """Give ratios to the first scheme with their intervals, or the comparisons that the experiment names."""
    compared = comparison_table(results)
    notes = [Note(each.text, each.where, each.severity) for each in of_orders(results)]
    shown = ratio_tables(results) if compared is None else [compared]
    return [Text(not_collected(results), "strong"), *shown, Notes(notes)]


def ratio_tables(results: Measured) -> list[Block]:
    """Give a table for each drive and value of an axis: metrics down, schemes across."""
    # Results of an earlier day have write amplification in pages alone.
    shown = (*SHOWN, amplification(results.points), PADDED)
    metrics = [name for name in results.headline() if name in shown]
    if results.points["scheme"].n_unique() < 2 or not metrics:
        return []
    first, _ = tables(results, metrics)
    return [*first, Text(legend(first)), Text(about(results), "level")]
