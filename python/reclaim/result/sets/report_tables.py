"""The tables of a set's report and of `reclaim results show`: what comes first, scheme by scheme."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import polars as pl

from reclaim.report.document import Cell, Table, figure, figures_of, legend_of
from reclaim.result.sets.cells import cell_keys
from reclaim.result.sets.measured import MeasuredSet
from reclaim.result.sets.metrics import PADDED, describe
from reclaim.result.sets.selection import values
from reclaim.result.table import NOTHING_COLLECTED
from reclaim.result.verdict import worst_mark
from reclaim.units import MISSING, Kind, written

MOST_SETTINGS = 24
"""Combinations of device and axes with a table of their own."""


MOST_ROWS = 12
"""Rows of a table in the report that are not folded."""
FOLDED_FIRST = (
    "read_p99_99_ns",
    "write_p99_99_ns",
    "read_iops",
    "write_iops",
    "flash_erases",
    "read_p99_ns",
    "write_p99_ns",
)
"""Metrics that are folded away where there are too many."""


def in_sight(table: Table) -> Table:
    """A table with at most `MOST_ROWS` rows, in which schemes differ."""
    differ = [row for row in table.body if not _is_alike(row)]
    labels = [row[0].text for row in differ]
    surplus = max(0, len(differ) - MOST_ROWS)
    last = [label for label in map(_label, FOLDED_FIRST) if label in labels][:surplus]
    return replace(table, rows=[row for row in differ if row[0].text not in last][:MOST_ROWS])


def folded(table: Table) -> Table:
    """A table of the other rows."""
    seen = {row[0].text for row in in_sight(table).body}
    return replace(table, rows=[row for row in table.body if row[0].text not in seen], title="")


def _label(metric: str) -> str:
    return describe(metric).label


def _is_alike(row: Sequence[Cell]) -> bool:
    """Whether a row tells no scheme from another."""
    told = {
        (cell.text, cell.mark, *(each.text for each in cell.below if each.text[0] != "×")) for cell in row[1:]
    }
    return len(row) > 2 and len(told) == 1


def settings(results: MeasuredSet) -> list[tuple[str, pl.DataFrame]]:
    """The points of every device and combination of values of the axes, with a name for it."""
    keys = [key for key in cell_keys(results.points) if key not in ("trace", "scheme")]
    several = [key for key in keys if results.points[key].n_unique() > 1 and key != "vary"]
    found = []
    for combination, points in results.points.group_by(keys, maintain_order=True):
        known = dict(zip(keys, combination, strict=True))
        parts = [str(known[key]) if key == "device" else f"{key} = {known[key]}" for key in several]
        found.append((", ".join(parts), points))
    return found


def _span(low: float | None, high: float | None, kind: Kind) -> str:
    if low is None or high is None:
        return ""
    return f"{written(low, kind)} to {written(high, kind)}"


def _ratio(row: Mapping[str, float | None] | None) -> str:
    if row is None or row["value"] is None:
        return ""
    low, high = row["low"], row["high"]
    return f"×{row['value']:.3f}" + ("" if low is None else f" ({low:.3f} to {high:.3f})")


def marks_of(results: MeasuredSet, metric: str, schemes: Sequence[str]) -> dict[str, str]:
    """What stands behind a metric of every scheme."""
    points = results.points
    return {each: results.mark(metric, points.filter(pl.col("scheme") == each)) for each in schemes}


def ratio_marks_of(results: MeasuredSet, metric: str, schemes: Sequence[str]) -> dict[str, str]:
    """The same of its ratios to the first scheme: what is doubted of either is doubted of both."""
    marks = marks_of(results, metric, schemes)
    return {each: worst_mark([marks[schemes[0]], mark]) for each, mark in marks.items()}


def legend(tables: Iterable[Table]) -> str:
    """What the marks in tables mean, as far as there are any."""
    cells = (cell for table in tables for row in table.body for cell in row)
    return legend_of(mark for cell in cells for mark in (cell.mark, *(each.mark for each in cell.below)))


def about(results: MeasuredSet) -> str:
    """What the ratios in the tables are of."""
    first = values(results.points, "scheme")[0]
    return f"Ratios to {first}: medians of the repeats; below them 95 % intervals, of six repeats or more"


def _rows(
    results: MeasuredSet, schemes: Sequence[str], metrics: Sequence[str], frames: Sequence[pl.DataFrame]
) -> Iterator[list[Cell]]:
    """Rows from the absolute figures (first of `frames`, if there are two) and the ratios (the last)."""
    found = [{(row["metric"], row["scheme"]): row for row in frame.iter_rows(named=True)} for frame in frames]
    for name in metrics:
        metric = describe(name)
        marks, of_ratio = marks_of(results, name, schemes), ratio_marks_of(results, name, schemes)
        cells = [Cell(metric.label)]
        for scheme in schemes:
            known = found[0].get((name, scheme))
            if known is None or known["value"] is None:
                cells.append(Cell(MISSING))
            elif len(found) == 1:
                low, high = known["low"], known["high"]
                between = "" if low is None else f"{low:.3f} to {high:.3f}"
                cells.append(Cell(f"{known['value']:.3f}", of_ratio[scheme], below=_below(Cell(between))))
            else:
                other = found[1].get((name, scheme), {"value": None}) if scheme != schemes[0] else None
                ratio = Cell(_ratio(other), "" if marks[scheme] else of_ratio[scheme])
                spans = Cell(_span(known["low"], known["high"], metric.kind))
                text = written(known["value"], metric.kind)
                cells.append(Cell(text, marks[scheme], below=_below(spans, ratio)))
        yield cells


def _below(*cells: Cell) -> tuple[Cell, ...]:
    return tuple(cell for cell in cells if cell.text)


def _table(title: str, schemes: Sequence[str], rows: Iterable[list[Cell]]) -> Table:
    return Table(figures_of("", schemes), list(rows), title, why=None)


def not_collected(results: MeasuredSet) -> str:
    """What stands above the tables where no point has collected; nothing where one has."""
    return "" if results.collected else NOTHING_COLLECTED.format("in any point")


def padded(results: MeasuredSet, schemes: Sequence[str]) -> list[float | None]:
    """Pages padded per page of the host under each scheme, mean over all points."""
    means = dict(results.points.group_by("scheme").agg(pl.col(PADDED).mean()).iter_rows())
    return [means.get(scheme) for scheme in schemes]


def over_traces(results: MeasuredSet, title: str, metrics: Sequence[str] | None = None) -> Table:
    """Ratios to the first scheme, the geometric mean over the traces."""
    schemes, metrics = values(results.points, "scheme"), metrics or results.headline()
    ratios = [name for name in metrics if name != PADDED]
    rows = list(_rows(results, schemes, ratios, [results.normalize(metrics=ratios, over="trace")]))
    if PADDED in metrics:
        marks = marks_of(results, PADDED, schemes)
        figures = zip(schemes, padded(results, schemes), strict=True)
        label = f"{describe(PADDED).label}, no ratio: mean over the traces"
        rows.append([Cell(label), *(figure(written(value, "ratio"), marks[each]) for each, value in figures)])
    return _table(title, schemes, rows)


def of_trace(results: MeasuredSet, trace: str, title: str, metrics: Sequence[str] | None = None) -> Table:
    """Medians of the repeats on one trace, and ratios to the first scheme."""
    here = results.filter(trace=trace)
    schemes, metrics = values(here.points, "scheme"), metrics or here.headline()
    frames = [here.intervals(metrics), here.normalize(metrics=metrics)]
    return _table(title, schemes, _rows(here, schemes, metrics, frames))


def tables(results: MeasuredSet, metrics: Sequence[str] | None = None) -> tuple[list[Table], list[Table]]:
    """The tables of every setting that come first, and those of each trace where there are several."""
    first, further = [], []
    for name, points in settings(results)[:MOST_SETTINGS]:
        here = results.only(points)
        traces = values(points, "trace")
        if len(traces) == 1:
            first.append(of_trace(here, traces[0], name or traces[0], metrics))
            continue
        first.append(over_traces(here, name or f"geometric mean over {len(traces)} traces", metrics))
        further += [of_trace(here, trace, f"{trace}, {name}" if name else trace) for trace in traces]
    return first, further
