"""Comparisons that an experiment names, as a table: one a row."""

from __future__ import annotations

from reclaim.report.document import Cell, Column, Table, Tone
from reclaim.report.ratios import Shown
from reclaim.result.sets.comparisons import MetricRatio, comparisons_of
from reclaim.result.sets.measured import MeasuredSet
from reclaim.result.sets.metrics import AMPLIFICATION, HEADLINE, describe
from reclaim.units import MISSING

WHY = "`reclaim results show` says why; bold: lower or higher"
TONES: dict[Shown, Tone] = {
    "lower": "strong",
    "higher": "strong",
    "no measurable difference": "",
    "no interval": "",
    "inconclusive": "soft",
}


def short_label(label: str) -> str:
    """What a narrow column calls a metric.

    >>> short_label("read p99.9 latency")
    'read p99.9'
    >>> short_label("write amplification (bytes)").split()
    ['write', 'amplif.', '(bytes)']
    """
    return label.removesuffix(" latency").replace("write amplification ", "write amplif.\n")


def comparison_table(results: MeasuredSet) -> Table | None:
    """Ratios of each scheme to its own baseline; None where the experiment names no comparison."""
    compared = comparisons_of(results)
    if not compared:
        return None
    metrics = {figure.metric for each in compared for figure in each.figures}
    labels = [describe(metric).label for metric in HEADLINE if metric in metrics]
    rows: list[list[str | Cell]] = []
    for each in compared:
        by_label = {figure.label: figure for figure in each.figures}
        name = f"{each.name} / {each.baseline}"
        if each.name != each.candidate:
            name = f"{each.name}\n{each.candidate} / {each.baseline}"
        controls = {figure.label: figure for figure in each.controls if figure.metric == each.metric}
        cells = (cell(by_label.get(label), controls.get(label), each.plain) for label in labels)
        rows.append([name, *cells])
    head = [Column(""), *(Column(short_label(label), right=True) for label in labels)]
    title = "Each scheme over its own baseline: ratios, with 95 % intervals"
    return Table(head, rows, title, why=WHY)


def cell(figure: MetricRatio | None, control: MetricRatio | None = None, plain: str = "") -> Cell:
    """The ratio with its mark; below it the interval, that of a control, and how much is written in all."""
    if figure is None or figure.value is None:
        return Cell(MISSING)
    value, _, interval = figure.ratio.partition(" ")
    mark = "?" if figure.way == "inconclusive" else ""
    further = [interval, plain if figure.metric in AMPLIFICATION else ""]
    if control is not None and control.value:
        further.insert(1, f"{control.of}: {control.value:.2f}")
    return Cell(value, mark, below=tuple(map(Cell, filter(None, further))), tone=TONES[figure.way])
