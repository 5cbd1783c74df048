"""The figures of a set's report: what is drawn, from which points, and what each says it leaves out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from reclaim.charts import finished, joined, panels_of
from reclaim.errors import InputError
from reclaim.report.document import Chart
from reclaim.result import plots as of_runs
from reclaim.result.reported import Reported
from reclaim.result.sets import plots
from reclaim.result.sets.axis_scale import axis_scale, name_of
from reclaim.result.sets.measured import MeasuredSet
from reclaim.result.sets.metrics import AMPLIFICATION, amplification
from reclaim.result.sets.selection import Selection, base, established, select, shown_of, values
from reclaim.result.timeline_plots import has_timeline

FIRST = ("latency", "time_spent")
"""Figures above the table, beside those along an axis."""
MOST_METRICS = 8
"""Panels of bars."""
LINES = ("read_mean_ns", "read_p99_ns", "write_mean_ns", "write_p99_ns")
"""What is drawn along an axis, beside write amplification."""
MOST_TIMED = 2
"""Traces whose course over time is drawn: three panels each, of up to 512 intervals for every scheme."""
MOST_LINED = 4
"""Schemes of which it is."""


@dataclass(frozen=True)
class ReportFigure:
    """One figure of the report."""

    name: str
    title: str
    caption: str
    panels: dict[str, Any]
    """What `panels_of` makes of a chart."""

    @property
    def chart(self) -> Chart:
        """It in a document."""
        return Chart(self.name, lambda: None, lambda: self.panels)


def figures(results: MeasuredSet) -> list[ReportFigure]:
    """All figures that have something to show, in reading order."""
    return list(_figures(results))


def _figures(results: MeasuredSet) -> Iterator[ReportFigure]:
    chosen = select(results)
    for number, axis in enumerate(results.axes):
        yield from _along(results, axis, number)
    # What is wrong with the table is told; that there is none only means that there is no figure.
    _ = chosen.results.histograms
    try:
        caption = (
            "Up and to the left is better; all repeats together. Dashed: fewer than ten requests are slower, "
            "so that another run may look different. What took no time is at the left edge."
        )
        spec = finished(plots.cdf(chosen, ("read", "write")))
        yield ReportFigure("latency", "Latency", _told(caption, chosen), panels_of(spec))
    except InputError:
        # No histograms, or neither reads nor writes.
        pass
    further = list(_of_first_repeats(chosen))
    yield from (each for each in further if each.name in FIRST)
    yield from _ratios(results)
    yield from (each for each in further if each.name not in FIRST)


def drawn_along(results: MeasuredSet) -> list[str]:
    """The metrics that are drawn along an axis; write amplification in bytes, or in pages where it must."""
    return [*LINES, amplification(results.points)]


def drawn_axes(results: MeasuredSet, drawn: Sequence[ReportFigure]) -> list[str]:
    """Axes of numbers that a line chart shows, so that no table is needed for each of their values."""
    names = {figure.name for figure in drawn}
    return [
        axis
        for number, axis in enumerate(results.axes)
        if f"axis_{number}" in names and axis_scale(values(results.points, axis)) is not None
    ]


def _told(caption: str, chosen: Selection) -> str:
    return f"{caption} {chosen.left_out}" if chosen.left_out else caption


def _ratios(results: MeasuredSet) -> Iterator[ReportFigure]:
    chosen = select(results, traces=plots.MOST_BARS_TRACES)
    points = chosen.results.points
    # One bar says it: in bytes, or in pages where results are too old for that.
    others = {*AMPLIFICATION} - {amplification(points)}
    metrics = [name for name in chosen.results.headline() if name not in others and established(points, name)]
    if len(chosen.schemes) < 2 or not metrics:
        return
    caption = (
        f"Ratio to {chosen.schemes[0]}, the median of the repeats, paired by trace and repeat; lines are "
        "95 % intervals, where there are six repeats and they differ. Percentiles of too few requests are "
        "left out."
    )
    spec = finished(plots.bars(chosen, metrics[:MOST_METRICS]))
    yield ReportFigure("ratios", "Side by side", _told(caption, chosen), panels_of(spec))


def _along(results: MeasuredSet, axis: str, number: int) -> Iterator[ReportFigure]:
    if results.points[axis].n_unique() < 2:
        return
    along, setting = base(results, axis)
    metrics = [
        name for name in drawn_along(along) if name in results.headline() and established(along.points, name)
    ]
    if not metrics:
        return
    traces = along.points["trace"].n_unique()
    caption = "Medians of the repeats, with 95 % intervals where there are six repeats and they differ."
    if traces > MOST_TIMED:
        caption += f" The first {MOST_TIMED} of {traces} traces."
    if setting:
        caption += f" {shown_of(setting)}."
    spec = finished(plots.lines(results, axis, metrics, traces=MOST_TIMED))
    yield ReportFigure(f"axis_{number}", f"Over {name_of(axis)}", caption, panels_of(spec))


OF_RUNS = ("time_spent", "write_amplification", "utilisation", "wear")
"""Figures of runs, in reading order."""


def _of_first_repeats(chosen: Selection) -> Iterator[ReportFigure]:
    """The figures of a comparison, trace by trace."""
    try:
        runs = {trace: chosen.of_trace(trace) for trace in chosen.traces}
    except InputError:
        # The folders of points are gone; what the tables have was drawn.
        return
    timed = {
        trace: found
        for trace, of_trace in list(runs.items())[:MOST_TIMED]
        if (found := [each for each in of_trace if has_timeline(each)][:MOST_LINED])
    }
    if timed:
        most = ""
        if len(runs) > MOST_TIMED or len(chosen.schemes) > MOST_LINED:
            most = f" The first {MOST_TIMED} traces and {MOST_LINED} schemes at most."
        yield _of_runs("over_time", timed, chosen, most)
    for name in OF_RUNS:
        drawn = {trace: each for trace, each in runs.items() if of_runs.has_something(name, each)}
        if drawn:
            yield _of_runs(name, drawn, chosen)


def _of_runs(name: str, runs: dict[str, list[Reported]], chosen: Selection, more: str = "") -> ReportFigure:
    """A figure of runs for every trace, one after the other, named where there are several."""
    draw, title, caption = of_runs.FIGURES[name]
    drawn = [
        panels_of(finished(draw(of_trace)), title=trace if len(runs) > 1 else "")
        for trace, of_trace in runs.items()
    ]
    return ReportFigure(name, title, _told(f"{caption} First repeat.{more}", chosen), joined(drawn))
