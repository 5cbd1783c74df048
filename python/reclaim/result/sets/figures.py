"""Figures for a paper: the charts of a set, each in a file of its own and a column wide."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import vl_convert

from reclaim import limits
from reclaim.charts import AnyChart, finished
from reclaim.errors import InputError
from reclaim.pictures import picture
from reclaim.report.ratios import Compared, Ratio
from reclaim.report.ratios import picture as of_ratios
from reclaim.result.sets import plots
from reclaim.result.sets.axis_scale import name_of
from reclaim.result.sets.comparisons import PairedComparison, comparisons_of
from reclaim.result.sets.measured import MeasuredSet
from reclaim.result.sets.metrics import HEADLINE, describe
from reclaim.result.sets.report_figures import drawn_along
from reclaim.result.sets.selection import base, established, select

FORMATS = ("pdf", "svg", "png")
COLUMN_INCHES = 3.4
"""Width of a column of a two-column paper."""
POINTS_PER_INCH = 72
PIXELS_PER_INCH = 300
MOST_TRACES = 12
MOST_LINED = 4
"""Traces with a panel of their own in a figure along an axis."""
MOST_FIGURES = 12
"""Figures that are written unless more are asked for."""
LEGEND_LETTERS = 52
"""Of a row of a legend, six for each entry beside its name."""
FONT_SIZES = {"labelFontSize": 12, "titleFontSize": 13}
"""Of charts as wide as in a report: about 7 points once they are in a column."""


def check_formats(formats: Sequence[str]) -> None:
    """Refuse a format that figures are not written in.

    Raises:
        InputError: naming it.
    """
    for name in formats:
        if name not in FORMATS:
            raise InputError(f'no format "{name}" for figures; valid: {", ".join(FORMATS)}')


def formats_of(text: str | None) -> list[str]:
    """Give the formats that a command's option lists, as in `pdf, svg`; none for none.

    Raises:
        InputError: for one that figures are not written in.
    """
    formats = [name.strip() for name in (text or "").split(",") if name.strip()]
    check_formats(formats)
    return formats


def save_figures(
    results: MeasuredSet, folder: Path, formats: Sequence[str], most: int | None = MOST_FIGURES
) -> list[Path]:
    """Write the figures that have something to show in each of the formats, `most` of them or all for None.

    Raises:
        InputError: for another format, under a limit of memory or files that is too low, or if the folder
            cannot be written.
    """
    check_formats(formats)
    limits.demand(limits.PICTURES, f"{folder}: cannot draw figures")
    limits.check_open_files(f"{folder}: cannot write figures here")
    written: dict[Path, None] = {}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for number, (title, chart) in enumerate(islice(_figures(results), most)):
            name = file_name(title)
            if any(path.stem == name for path in written):
                # Axes whose names differ in what no name of a file should have.
                name = f"{name}-{number}"
            drawn = in_column(chart if isinstance(chart, dict) else finished(chart))
            for kind in formats:
                path = folder / f"{name}.{kind}"
                path.write_bytes(_encoded(drawn, kind))
                written[path] = None
    except OSError as error:
        raise InputError(f"{folder}: cannot write figures here: {error.strerror or error}") from None
    return [*written]


def file_name(title: str) -> str:
    """What the file of a figure is called.

    >>> file_name("ratio of read p99.9 latency")
    'ratio-of-read-p99.9-latency'
    """
    return "".join(letter if letter.isalnum() or letter == "." else "-" for letter in title)


def _figures(results: MeasuredSet) -> Iterator[tuple[str, AnyChart]]:
    """Title and chart, the most wanted first."""
    if (chart := _compared(comparisons_of(results))) is not None:
        yield "comparisons", chart
    of_latency = select(results)
    # What is wrong with the table is told; that there is none only means that there is no figure.
    _ = of_latency.results.histograms
    for request_class in ("read", "write"):
        try:
            yield f"{request_class} latency", plots.cdf(of_latency, [request_class])
        except InputError:
            # No histograms, or no such requests.
            continue
    for axis in results.axes:
        yield from _along(results, axis)
    chosen = select(results, traces=MOST_TRACES)
    if len(chosen.schemes) > 1:
        for metric in chosen.results.headline():
            if established(chosen.results.points, metric):
                yield f"ratio of {describe(metric).label}", plots.bars(chosen, [metric])


def _compared(compared: Sequence[PairedComparison]) -> dict[str, Any] | None:
    """A panel for each metric, with what every comparison found of it; None where nothing was."""
    found: dict[str, list[Ratio]] = {}
    for each in compared:
        for figure in each.figures:
            if figure.value is not None and figure.value > 0:
                found.setdefault(figure.metric, []).append(figure.drawn(each.name))
    panels = sorted(found, key=lambda metric: [*HEADLINE, metric].index(metric))
    schemes, baselines = "every scheme", "its own baseline"
    return of_ratios([Compared(schemes, baselines, found[each], describe(each).label) for each in panels])


def _along(results: MeasuredSet, axis: str) -> Iterator[tuple[str, AnyChart]]:
    along, _ = base(results, axis)
    if along.points[axis].n_unique() < 2:
        return
    for metric in drawn_along(along):
        if metric in results.headline() and established(along.points, metric):
            chart = plots.lines(results, axis, [metric], traces=MOST_LINED)
            yield f"{describe(metric).label} over {name_of(axis)}", chart


def in_column(spec: dict[str, Any]) -> str:
    """Draw a chart as SVG, its panels below one another, and a column wide whatever its axes need."""
    config = spec["config"]
    # The library embeds several fonts in any order: with one, a PDF has the same bytes every time.
    config["axis"] |= FONT_SIZES | {"titleFontWeight": "normal"}
    config["title"] = {"fontWeight": "normal"}
    config["legend"] = {"labelFontSize": FONT_SIZES["labelFontSize"], "columns": _legend_columns(spec)}
    svg = _numbered_anew(picture(spec | {"columns": 1}, "svg").decode())
    width = COLUMN_INCHES * POINTS_PER_INCH

    def resized(root: re.Match[str]) -> str:
        return f'{root[1]} width="{width:.2f}" height="{width * float(root[3]) / float(root[2]):.2f}"'

    return re.sub(r'(<svg[^>]*?) width="([\d.]+)" height="([\d.]+)"', resized, svg, count=1)


def _numbered_anew(svg: str) -> str:
    """The same with its clips numbered from 0: the library goes on counting from one chart to the next."""
    found = [*dict.fromkeys(re.findall(r'id="(clip\d+)"', svg))]
    for number, name in enumerate(found):
        svg = re.sub(rf"\b{name}\b", f"panel{number}", svg)
    return svg


def _legend_columns(spec: Any) -> int:
    """How many names of the longest legend of a chart have room side by side."""
    if isinstance(spec, list):
        return min(map(_legend_columns, spec), default=LEGEND_LETTERS)
    if not isinstance(spec, dict):
        return LEGEND_LETTERS
    colour = spec["encoding"].get("color", {}) if isinstance(spec.get("encoding"), dict) else {}
    names = (colour.get("scale") or {}).get("domain", []) if colour.get("legend", {}) else []
    longest = max((len(str(name)) for name in names), default=1)
    here = max(1, LEGEND_LETTERS // (longest + 6))
    return min(here, _legend_columns([value for key, value in spec.items() if key != "datasets"]))


def _encoded(svg: str, kind: str) -> bytes:
    if kind == "pdf":
        pdf = vl_convert.svg_to_pdf(svg)
        # The library lists what a page refers to in any order, which may differ from one process to the next.
        return re.sub(
            rb"(?:^ +/\w+ \d+ 0 R\n)+",
            lambda found: b"".join(sorted(found[0].splitlines(True))),
            pdf,
            flags=re.MULTILINE,
        )
    # A drawing has 72 units to an inch here.
    return vl_convert.svg_to_png(svg, ppi=PIXELS_PER_INCH) if kind == "png" else svg.encode()
