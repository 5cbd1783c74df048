"""The tables of a set's report and of `reclaim results show`: what comes first, scheme by scheme."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import polars as pl

from reclaim.results.sets.cells import cell_keys
from reclaim.results.sets.measured import Measured
from reclaim.results.sets.metrics import PADDED, describe
from reclaim.results.sets.selection import values
from reclaim.results.table import NOTHING_COLLECTED
from reclaim.results.verdict import legend_of, worst_mark
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


@dataclass(frozen=True)
class Cell:
    """One figure of one scheme."""

    text: str
    interval: str
    """Between what it is known to lie, as text; empty if nobody knows."""
    ratio: str = ""
    """To the first scheme, with its interval."""
    mark: str = ""
    """What stands behind the figure: `?`, `!`, or nothing."""
    ratio_mark: str = ""
    """The same of the ratio, where the figure itself has none: that of the first scheme is doubted."""


@dataclass(frozen=True)
class SetTable:
    """Metrics down, schemes across."""

    title: str
    schemes: list[str]
    rows: list[tuple[str, list[Cell]]]

    def in_sight(self) -> list[tuple[str, list[Cell]]]:
        """At most `MOST_ROWS` rows, in which schemes differ."""
        differ = [row for row in self.rows if not _is_alike(row[1])]
        surplus = max(0, len(differ) - MOST_ROWS)
        last = [label for label in map(_label, FOLDED_FIRST) if label in dict(differ)][:surplus]
        return [row for row in differ if row[0] not in last][:MOST_ROWS]

    def folded(self) -> list[tuple[str, list[Cell]]]:
        """The other rows."""
        seen = dict(self.in_sight())
        return [row for row in self.rows if row[0] not in seen]


def _label(metric: str) -> str:
    return describe(metric).label


def _is_alike(cells: Sequence[Cell]) -> bool:
    """Whether a row tells no scheme from another."""
    return len(cells) > 1 and len({(cell.text, cell.interval, cell.mark) for cell in cells}) == 1


def settings(results: Measured) -> list[tuple[str, pl.DataFrame]]:
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


def _ratio(value: float | None, low: float | None, high: float | None) -> str:
    if value is None:
        return ""
    return f"×{value:.3f}" + (f" ({low:.3f} to {high:.3f})" if low is not None else "")


def marks_of(results: Measured, metric: str, schemes: Sequence[str]) -> dict[str, str]:
    """What stands behind a metric of every scheme."""
    points = results.points
    return {each: results.mark(metric, points.filter(pl.col("scheme") == each)) for each in schemes}


def ratio_marks_of(results: Measured, metric: str, schemes: Sequence[str]) -> dict[str, str]:
    """The same of its ratios to the first scheme: what is doubted of either is doubted of both."""
    marks = marks_of(results, metric, schemes)
    return {each: worst_mark([marks[schemes[0]], mark]) for each, mark in marks.items()}


def legend(tables: Iterable[SetTable]) -> str:
    """What the marks in tables mean, as far as there are any."""
    cells = (cell for table in tables for _, row in table.rows for cell in row)
    return legend_of(mark for cell in cells for mark in (cell.mark, cell.ratio_mark))


def _rows(
    results: Measured, schemes: Sequence[str], metrics: Sequence[str], frames: Sequence[pl.DataFrame]
) -> Iterator[tuple[str, list[Cell]]]:
    """Rows from the absolute figures (first of `frames`, if there are two) and the ratios (the last)."""
    found = [{(row["metric"], row["scheme"]): row for row in frame.iter_rows(named=True)} for frame in frames]
    for name in metrics:
        metric = describe(name)
        marks, of_ratio = marks_of(results, name, schemes), ratio_marks_of(results, name, schemes)
        cells = []
        for scheme in schemes:
            figure = found[0].get((name, scheme))
            if figure is None or figure["value"] is None:
                cells.append(Cell(MISSING, ""))
                continue
            bounds = figure["low"], figure["high"]
            if len(found) == 1:
                spans = "" if bounds[0] is None else f"{bounds[0]:.3f} to {bounds[1]:.3f}"
                cells.append(Cell(f"{figure['value']:.3f}", spans, mark=of_ratio[scheme]))
                continue
            other = found[1].get((name, scheme))
            ratio = (
                _ratio(other["value"], other["low"], other["high"]) if other and scheme != schemes[0] else ""
            )
            text = written(figure["value"], metric.kind)
            mark = marks[scheme]
            further = of_ratio[scheme] if ratio and not mark else ""
            cells.append(Cell(text, _span(*bounds, metric.kind), ratio, mark, further))
        yield metric.label, cells


def not_collected(results: Measured) -> str:
    """What stands above the tables where no point has collected; nothing where one has."""
    return "" if results.collected else NOTHING_COLLECTED.format("in any point")


def padded(results: Measured, schemes: Sequence[str]) -> list[float | None]:
    """Pages padded per page of the host under each scheme, mean over all points."""
    means = dict(results.points.group_by("scheme").agg(pl.col(PADDED).mean()).iter_rows())
    return [means.get(scheme) for scheme in schemes]


def over_traces(results: Measured, title: str) -> SetTable:
    """Ratios to the first scheme, the geometric mean over the traces."""
    schemes, metrics = values(results.points, "scheme"), results.headline()
    found = list(
        _rows(
            results,
            schemes,
            ratios := [name for name in metrics if name != PADDED],
            [results.normalize(metrics=ratios, over="trace")],
        )
    )
    if PADDED in metrics:
        marks = marks_of(results, PADDED, schemes)
        figures = [
            Cell(written(value, "ratio"), "", mark=marks[scheme] if value is not None else "")
            for scheme, value in zip(schemes, padded(results, schemes), strict=True)
        ]
        found.append((f"{describe(PADDED).label}, no ratio: mean over the traces", figures))
    return SetTable(title, schemes, found)


def of_trace(results: Measured, trace: str, title: str) -> SetTable:
    """Medians of the repeats on one trace, and ratios to the first scheme."""
    here = results.filter(trace=trace)
    schemes, metrics = values(here.points, "scheme"), here.headline()
    frames = [here.intervals(metrics), here.normalize(metrics=metrics)]
    return SetTable(title, schemes, list(_rows(here, schemes, metrics, frames)))


def tables(results: Measured) -> tuple[list[SetTable], list[SetTable]]:
    """The tables of every setting that come first, and those of each trace where there are several."""
    first, further = [], []
    for name, points in settings(results)[:MOST_SETTINGS]:
        here = results.only(points)
        traces = values(points, "trace")
        if len(traces) == 1:
            first.append(of_trace(here, traces[0], name or traces[0]))
            continue
        first.append(over_traces(here, name or f"geometric mean over {len(traces)} traces"))
        further += [of_trace(here, trace, f"{trace}, {name}" if name else trace) for trace in traces]
    return first, further
