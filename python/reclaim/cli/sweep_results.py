"""What a sweep prints at its end: the schemes side by side, and where everything is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from rich.table import Table
from rich.text import Text

from reclaim.bench.run import Swept
from reclaim.cli.comparison_table import NAME_WIDTH, comparison_table, short_label
from reclaim.cli.console import out
from reclaim.errors import InputError
from reclaim.results.table import marked
from reclaim.results.verdict import legend_of
from reclaim.units import MISSING, written

if TYPE_CHECKING:
    from reclaim.results.sets import ResultSet
    from reclaim.results.sets.remarks import SetRemark

SHOWN = (
    "read_mean_ns",
    "read_p99_9_ns",
    "write_mean_ns",
    "write_p99_9_ns",
    "gc_nand_write_amplification",
)
"""Of the headline's metrics those that a terminal shows; the report has all."""
FEW_DIGITS_FROM = 0.1


def _not_established(swept: Swept) -> list[SetRemark]:
    """Comparisons that hang on the order of requests; none if there is nothing to compare."""
    from reclaim.results.sets import ResultSet
    from reclaim.results.sets.remarks import of_orders

    try:
        return of_orders(ResultSet.load(swept.folder))
    except InputError:
        return []


def _cell(row: dict[str, Any] | None, mark: str) -> Text | str:
    if row is None or row["value"] is None:
        return MISSING
    value, low, high = row["value"], row["low"], row["high"]
    interval = f"\n[{_short(low)}, {_short(high)}]" if low is not None and low < high else ""
    return Text.assemble(marked(f"{value:.3f}", mark) if mark else f"{value:.3f}", interval)


def _short(ratio: float) -> str:
    """Two digits at least, in few characters.

    >>> _short(1.234), _short(0.0271)
    ('1.23', '0.027')
    """
    return f"{ratio:.2f}" if ratio >= FEW_DIGITS_FROM else f"{ratio:.2g}"


def show(swept: Swept) -> None:
    """Print ratios to the first scheme with their intervals, what is no ratio, and where the report is."""
    from reclaim.results.sets import ResultSet
    from reclaim.results.sets.report_tables import not_collected

    try:
        results = ResultSet.load(swept.folder)
    except InputError:
        # No point at all.
        results = None
    if results is not None:
        if said := not_collected(results):
            out.print(said)
        compared = comparison_table(results)
        for table in ratio_tables(results) if compared is None else [compared]:
            out.print(table)
    for remark in _not_established(swept):
        out.print(Text.assemble((remark.severity, "bold yellow"), f" {remark.where}: {remark.text}"))
    out.print(f"results: {swept.report or swept.folder}", soft_wrap=True, markup=False)


def ratio_tables(results: ResultSet) -> Iterator[Table]:
    """A table for each drive and value of an axis: schemes down, metrics across, so that any number fits."""
    from reclaim.results.sets.metrics import amplification
    from reclaim.results.sets.report_tables import settings

    schemes = results.points["scheme"].unique(maintain_order=True).to_list()
    # Results of an earlier day have write amplification in pages alone.
    shown = (*SHOWN, amplification(results.points))
    metrics = [name for name in results.headline() if name in shown]
    if len(schemes) < 2 or not metrics:
        return
    for setting, points in settings(results):
        yield _table(results.only(points), setting, schemes, metrics)


def _table(results: ResultSet, setting: str, schemes: Sequence[str], metrics: Sequence[str]) -> Table:
    from reclaim.results.sets.metrics import PADDED, describe
    from reclaim.results.sets.report_tables import padded, ratio_marks_of

    traces = results.points["trace"].n_unique() > 1
    ratios = results.normalize(by="scheme", to=schemes[0], metrics=metrics, over="trace" if traces else None)
    rows = {(row["scheme"], row["metric"]): row for row in ratios.iter_rows(named=True)}
    title = f"Ratios to {schemes[0]}" + (", geometric mean over traces" if traces else "")
    table = Table(title=f"{title}; {setting}" if setting else title, title_justify="left")
    marks = {name: ratio_marks_of(results, name, schemes) for name in metrics}
    table.caption = legend_of(each for of_scheme in marks.values() for each in of_scheme.values()) or None
    table.caption_justify = "left"
    further = [padded(results, schemes)] if PADDED in results.headline() else []
    if further:
        table.padding = (0, 0, 0, 1)
    table.add_column("", max_width=NAME_WIDTH)
    for name in metrics:
        table.add_column(short_label(describe(name).label), no_wrap=True)
    if further:
        table.add_column("pages\npadded per\nhost page", no_wrap=True)
    for number, scheme in enumerate(schemes):
        figures = (written(each[number], "ratio") for each in further)
        table.add_row(
            scheme, *(_cell(rows.get((scheme, name)), marks[name][scheme]) for name in metrics), *figures
        )
    return table
