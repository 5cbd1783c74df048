"""What a sweep prints at its end: the schemes side by side, and where everything is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.table import Table
from rich.text import Text

from reclaim import table_file
from reclaim.bench.run import Swept
from reclaim.cli.comparison_table import comparison_table
from reclaim.cli.console import out
from reclaim.errors import InputError
from reclaim.units import MISSING, written

if TYPE_CHECKING:
    from reclaim.results.sets import ResultSet
    from reclaim.results.sets.remarks import SetRemark

SHOWN = (
    "read_mean_ns",
    "read_p99_9_ns",
    "write_mean_ns",
    "write_p99_9_ns",
    "mean_latency_ns",
    "gc_write_amplification",
)
"""Of the headline's metrics those that a terminal shows; the report has all."""
LEVEL_CODES = {"not-trustworthy": 1, "not-established": 3}


def _levels(swept: Swept) -> list[str]:
    file = swept.folder / "points.parquet"
    if not file.is_file():
        return []
    levels: list[str] = table_file.read(file, {"verdict": "text"}, ["verdict"])["verdict"].unique().to_list()
    return levels


def exit_code(swept: Swept) -> int:
    """Give the worst: 1 if a point failed or is not trusted, 3 if one or a comparison is not established."""
    if swept.failures:
        return 1
    codes = [LEVEL_CODES.get(level, 0) for level in _levels(swept)]
    if _not_established(swept):
        codes.append(LEVEL_CODES["not-established"])
    return 1 if 1 in codes else max(codes, default=0)


def _not_established(swept: Swept) -> list[SetRemark]:
    """Comparisons that hang on the order of requests; none if there is nothing to compare."""
    from reclaim.results.sets import ResultSet
    from reclaim.results.sets.remarks import of_orders

    try:
        return of_orders(ResultSet.load(swept.folder))
    except InputError:
        return []


def _cell(row: dict[str, Any]) -> str:
    value, low, high = row["value"], row["low"], row["high"]
    if value is None:
        return MISSING
    return f"{value:.3f}" + (f" ({low:.3f} to {high:.3f})" if low is not None else "")


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
        for table in (compared,) if compared is not None else (_ratios(results), _padded(results)):
            if table is not None:
                out.print(table)
    for remark in _not_established(swept):
        out.print(Text.assemble((remark.severity, "bold yellow"), f" {remark.where}: {remark.text}"))
    out.print(f"results: {swept.report or swept.folder}", soft_wrap=True, markup=False)


def _padded(results: ResultSet) -> Table | None:
    """Pages padded per page of the host; a scheme that pads none gives no ratio, so these are the figures."""
    from reclaim.results.sets.metrics import PADDED, describe
    from reclaim.results.sets.report_tables import padded, settings

    if PADDED not in results.headline():
        return None
    schemes = results.points["scheme"].unique(maintain_order=True).to_list()
    table = Table()
    table.add_column(describe(PADDED).label, no_wrap=True)
    for name in schemes:
        table.add_column(name)
    for name, points in settings(results):
        figures = padded(results.only(points), schemes)
        table.add_row(name, *(written(value, "ratio") for value in figures))
    return table


def _ratios(results: ResultSet) -> Table | None:
    schemes = results.points["scheme"].unique(maintain_order=True).to_list()
    metrics = [name for name in results.headline() if name in SHOWN]
    if len(schemes) < 2 or not metrics:
        return None
    traces = results.points["trace"].n_unique() > 1
    ratios = results.normalize(by="scheme", to=schemes[0], metrics=metrics, over="trace" if traces else None)
    over = ", geometric mean over traces" if traces else ""
    table = Table(title=f"Ratios to {schemes[0]}{over}", title_justify="left")
    keys = [name for name in ("device", "trace", *results.axes) if name in ratios.columns]
    keys = [name for name in keys if ratios[name].n_unique() > 1]
    for name in (*keys, "", *schemes[1:]):
        table.add_column(name, no_wrap=not name)
    cells: dict[tuple[str, ...], dict[str, str]] = {}
    for row in ratios.iter_rows(named=True):
        key = (*(str(row[name]) for name in keys), row["metric"])
        cells.setdefault(key, {})[row["scheme"]] = _cell(row)
    for key, figures in cells.items():
        table.add_row(*key, *(figures.get(scheme, MISSING) for scheme in schemes[1:]))
    return table
