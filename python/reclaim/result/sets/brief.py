"""What a terminal has of a set: the schemes side by side, and what speaks against that."""

from __future__ import annotations

from collections.abc import Sequence

from reclaim.report.document import Block, Notes, Text
from reclaim.report.ratios import answer_of_pairs
from reclaim.result.sets.comparison_report import comparison_table
from reclaim.result.sets.comparisons import comparisons_of
from reclaim.result.sets.measured import MeasuredSet
from reclaim.result.sets.metrics import PADDED, amplification
from reclaim.result.sets.opening import opening
from reclaim.result.sets.remarks import of_orders, of_traces, remarks
from reclaim.result.sets.report_tables import about, legend, not_collected, tables

SHOWN = (
    "read_mean_ns",
    "read_p99_9_ns",
    "write_mean_ns",
    "write_p99_9_ns",
    "gc_nand_write_amplification",
)
"""Of the headline's metrics those that are told; the report has all."""


def brief(results: MeasuredSet) -> list[Block]:
    """Give ratios to the first scheme with their intervals, or the comparisons that the experiment names."""
    return [
        Text(not_collected(results), "strong"),
        *ratio_tables(results),
        Text(_told(results), "strong"),
        Notes([*of_orders(results), *of_traces(results)]),
    ]


def ratio_tables(results: MeasuredSet) -> list[Block]:
    """Give a table for each drive and value of an axis: metrics down, schemes across."""
    # Results of an earlier day have write amplification in pages alone.
    shown = (*SHOWN, amplification(results.points), PADDED)
    metrics = [name for name in results.headline() if name in shown]
    alone = results.points["scheme"].n_unique() < 2
    return [] if alone or not metrics else _tables(results, metrics)


def whole(results: MeasuredSet, *, traces: bool) -> list[Block]:
    """Give the main figures of every scheme, of each trace too if asked for, and all that must be known."""
    said = Text(repr(results).strip("<>").partition(" ")[2])
    told = _tables(results, traces=traces)
    answer = Text(_told(results), "strong")
    return [said, Text(not_collected(results), "strong"), *told, answer, Notes(remarks(results))]


def _told(results: MeasuredSet) -> str:
    """What the tables show, in a sentence below them: they are longer than a screen."""
    compared = comparisons_of(results)
    if compared:
        return answer_of_pairs([each.panel() for each in compared])
    return opening(results) if results.points["scheme"].n_unique() > 1 else ""


def _tables(
    results: MeasuredSet, metrics: Sequence[str] | None = None, *, traces: bool = False
) -> list[Block]:
    compared = None if traces else comparison_table(results)
    if compared is not None:
        return [compared]
    first, further = tables(results, metrics)
    shown = [*first, *(further if traces else [])]
    return [*shown, Text(legend(shown)), Text(about(results), "level")]
