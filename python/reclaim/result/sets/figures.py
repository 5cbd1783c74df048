"""Figures for a paper, drawn with Matplotlib: a column wide, no titles, the same bytes for the same set."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from textwrap import wrap
from typing import Any

import polars as pl

from reclaim import encoding
from reclaim.charts import PALETTE
from reclaim.errors import InputError
from reclaim.limits import check_open_files
from reclaim.result.encodings import NOT_FROM_ZERO, from_zero, latency_ticks
from reclaim.result.sets.axis_scale import axis_scale, name_of
from reclaim.result.sets.comparison_figures import drawn as of_comparisons
from reclaim.result.sets.comparisons import comparisons_of
from reclaim.result.sets.curves import TICKS, TOP, curves, pooled, stretched
from reclaim.result.sets.measured import Measured
from reclaim.result.sets.metrics import describe
from reclaim.result.sets.names import ALL_TRACES
from reclaim.result.sets.report_figures import drawn_along
from reclaim.result.sets.selection import Selection, base, established, select, values

FORMATS = ("pdf", "svg", "png")
COLUMN_INCHES = 3.4
"""Width of a column of a two-column paper."""
MOST_TRACES = 12
MOST_FIGURES = 12
"""Figures that are written unless more are asked for."""
WIDE_NOTE = 76
"""Letters of a line below a figure."""
STYLE: dict[Any, Any] = {
    "font.size": 8,
    # Names of traces and schemes are no formulas.
    "text.parse_math": False,
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.linewidth": 0.4,
    "grid.color": "#d9dde1",
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "xtick.labelsize": 7,
    "ytick.labelsize": 7,
    "legend.fontsize": 7,
    "legend.frameon": False,
    "lines.linewidth": 1.1,
    "hatch.linewidth": 0.5,
    "pdf.fonttype": 42,
    "svg.hashsalt": "reclaim",
    "savefig.dpi": 300,
}
DASHES: tuple[Any, ...] = ("-", (0, (4, 1.5)), (0, (1, 1)), (0, (5, 1.5, 1, 1.5)))
HATCHES = ("", "////", "....", "xxxx", "\\\\\\\\", "----", "++++", "oooo")
"""What tells schemes apart where there is no colour."""
NO_DATE: dict[str, dict[str, None]] = {"pdf": {"CreationDate": None}, "svg": {"Date": None}, "png": {}}


def check_drawable() -> None:
    """See whether figures can be drawn, before anything is written.

    Raises:
        InputError: saying what to install.
    """
    if find_spec("matplotlib") is None:
        raise InputError(
            "figures for papers are drawn with Matplotlib: install it with pip install matplotlib"
        )


@contextmanager
def _drawing() -> Iterator[Any]:
    import matplotlib as mpl
    from matplotlib.figure import Figure

    with mpl.rc_context(STYLE):
        yield Figure


def check_formats(formats: Sequence[str]) -> None:
    """Refuse a format that figures are not written in.

    Raises:
        InputError: naming it.
    """
    for each in formats:
        if each not in FORMATS:
            raise InputError(f'no format "{each}" for figures; valid: {", ".join(FORMATS)}')


def formats_of(text: str | None) -> list[str]:
    """Give the formats that a command's option lists, as in `pdf, svg`; none for none.

    Raises:
        InputError: for one that figures are not written in.
    """
    formats = [each.strip() for each in (text or "").split(",") if each.strip()]
    check_formats(formats)
    return formats


def _legible(results: Measured) -> Measured:
    """The same set with names that a font has, and XML: what is hidden in them is written as its number."""
    texts = [name for name, kind in results.points.schema.items() if kind == pl.String]
    hidden = [
        name
        for name in texts
        if any(encoding.visible(each) != each for each in results.points[name].drop_nulls().unique())
    ]
    shown = [pl.col(name).map_elements(encoding.visible, return_dtype=pl.String) for name in hidden]
    return results.only(results.points.with_columns(shown)) if hidden else results


def save_figures(
    results: Measured, folder: Path, formats: Sequence[str], most: int | None = MOST_FIGURES
) -> list[Path]:
    """Write the figures that have something to show in each of the formats, `most` of them or all for None.

    Raises:
        InputError: for another format, where Matplotlib is missing, or the folder cannot be written.
    """
    check_formats(formats)
    check_drawable()
    check_open_files(f"{folder}: cannot write figures here")
    results = _legible(results)
    written: list[Path] = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with _drawing() as figure_class:
            for number, (title, figure) in enumerate(islice(_figures(results, figure_class), most)):
                name = file_name(title)
                if any(each.stem == name for each in written):
                    # Axes whose names differ in what no name of a file should have.
                    name = f"{name}-{number}"
                for each in formats:
                    path = folder / f"{name}.{each}"
                    figure.savefig(path, metadata=NO_DATE[each])
                    written.append(path)
    except OSError as error:
        raise InputError(f"{folder}: cannot write figures here: {error.strerror or error}") from None
    return written


def file_name(title: str) -> str:
    """What the file of a figure is called.

    >>> file_name("ratio of read p99.9 latency")
    'ratio-of-read-p99.9-latency'
    """
    return "".join(letter if letter.isalnum() or letter == "." else "-" for letter in title)


def _figures(results: Measured, figure_class: Any) -> Iterator[tuple[str, Any]]:
    """Title and figure, the most wanted first."""
    compared = comparisons_of(results)
    figure = of_comparisons(compared, COLUMN_INCHES, figure_class)
    if figure is not None:
        yield "comparisons", figure
    chosen = select(results, traces=MOST_TRACES)
    histograms = chosen.results.histograms
    if histograms is not None:
        requests = pooled(histograms, chosen.results.points)
        for request_class in ("read", "write"):
            drawn = select(results)
            figure = _cdf(drawn, requests, request_class, figure_class)
            if figure is not None:
                yield f"{request_class} latency", _said(figure, drawn.setting)
    for axis in results.axes:
        yield from _along(results, axis, figure_class)
    if len(chosen.schemes) > 1:
        for metric in chosen.results.headline():
            if established(chosen.results.points, metric):
                title = f"ratio of {describe(metric).label}"
                yield title, _said(_bars(chosen, metric, figure_class), chosen.setting)


def _said(figure: Any, setting: Sequence[str]) -> Any:
    """A figure that says below which of several values of an axis it shows."""
    if setting:
        lines = [line for each in setting for line in wrap(each, WIDE_NOTE)]
        figure.supxlabel("\n".join(lines), fontsize=6, color="#57606a")
    return figure


def _along(results: Measured, axis: str, figure_class: Any) -> Iterator[tuple[str, Any]]:
    along, setting = base(results, axis)
    if along.points[axis].n_unique() < 2:
        return
    for metric in drawn_along(along):
        if metric in results.headline() and established(along.points, metric):
            title = f"{describe(metric).label} over {name_of(axis)}"
            yield title, _said(_lines(along, axis, metric, figure_class), setting)


def _colour(index: int) -> str:
    return PALETTE[index % len(PALETTE)]


def _legend(figure: Any, axes: Any, count: int) -> None:
    """One row of names above the figure, as many to a row as there is room for."""
    if count > 1:
        handles, labels = axes.get_legend_handles_labels()
        columns = 1
        while columns < count and sum(len(label) + 6 for label in labels[: columns + 1]) <= 52:
            columns += 1
        figure.legend(
            handles, labels, loc="outside upper center", ncols=columns, columnspacing=1.2, handlelength=1.8
        )


def _bars(chosen: Selection, metric: str, figure_class: Any) -> Any:
    results = chosen.results
    frames = [results.normalize(metrics=metric)]
    places = list(chosen.traces)
    if len(places) > 1:
        mean = results.normalize(metrics=metric, over="trace").with_columns(pl.lit(ALL_TRACES).alias("trace"))
        frames.append(mean.select(frames[0].columns))
        places.append(ALL_TRACES)
    rows = {(row["trace"], row["scheme"]): row for row in pl.concat(frames).iter_rows(named=True)}
    figure = figure_class(figsize=(COLUMN_INCHES, 1.9), layout="constrained")
    axes = figure.subplots()
    width = 0.8 / len(chosen.schemes)
    for index, scheme in enumerate(chosen.schemes):
        known = [(at, rows[place, scheme]) for at, place in enumerate(places) if (place, scheme) in rows]
        known = [(at, row) for at, row in known if row["value"] is not None]
        at = [place + (index - (len(chosen.schemes) - 1) / 2) * width for place, _ in known]
        heights = [row["value"] for _, row in known]
        axes.bar(
            at,
            heights,
            width * 0.92,
            color=_colour(index),
            label=scheme,
            hatch=HATCHES[index % 8],
            edgecolor="white",
            linewidth=0.3,
        )
        spans = [(place, row) for place, (_, row) in zip(at, known, strict=True) if row["low"] is not None]
        if spans:
            below = [row["value"] - row["low"] for _, row in spans]
            above = [row["high"] - row["value"] for _, row in spans]
            middles = [row["value"] for _, row in spans]
            axes.errorbar(
                [place for place, _ in spans],
                middles,
                [below, above],
                fmt="none",
                ecolor="black",
                elinewidth=0.7,
                capsize=1.5,
                capthick=0.7,
            )
    axes.axhline(1, color="black", linewidth=0.5, linestyle=(0, (3, 2)))
    labels = [place.replace(" ", "\n") for place in places]
    tilted = sum(map(len, places)) > 40
    axes.set_xticks(
        range(len(places)), labels, rotation=35 if tilted else 0, ha="right" if tilted else "center"
    )
    axes.grid(visible=False, axis="x")
    axes.tick_params(axis="x", length=0)
    axes.set_ylabel(f"{describe(metric).label},\nratio to {chosen.schemes[0]}")
    _legend(figure, axes, len(chosen.schemes))
    return figure


def _cdf(chosen: Selection, requests: pl.DataFrame, request_class: str, figure_class: Any) -> Any:
    from matplotlib.ticker import FuncFormatter, NullFormatter

    found = curves(requests, request_class)
    traces = [trace for trace in chosen.traces if any((trace, scheme) in found for scheme in chosen.schemes)]
    if not traces:
        return None
    figure = figure_class(figsize=(COLUMN_INCHES, 0.35 + 1.75 * len(traces)), layout="constrained")
    panels = figure.subplots(len(traces), 1, squeeze=False)[:, 0]
    for axes, trace in zip(panels, traces, strict=True):
        shown = [
            (index, found[trace, scheme])
            for index, scheme in enumerate(chosen.schemes)
            if (trace, scheme) in found
        ]
        for index, curve in shown:
            name, dash = chosen.schemes[index], DASHES[index % len(DASHES)]
            axes.step(
                curve.us[curve.sure],
                curve.heights[curve.sure],
                where="post",
                color=_colour(index),
                ls=dash,
                label=name,
            )
            axes.step(
                curve.us[curve.chance],
                curve.heights[curve.chance],
                where="post",
                color=_colour(index),
                alpha=0.35,
            )
        axes.set_xscale("log")
        top = max(2.1, min(TOP, 0.1 + max(max(curve.heights) for _, curve in shown)))
        axes.set_ylim(0, top)
        known = {stretched(at): label for at, label in TICKS.items() if stretched(at) <= top}
        axes.set_yticks(list(known), list(known.values()))
        least, most = axes.get_xlim()
        axes.set_xticks([at for at in latency_ticks([least, most]) if least <= at <= most])
        axes.xaxis.set_major_formatter(FuncFormatter(_with_unit))
        axes.xaxis.set_minor_formatter(NullFormatter())
        if len(traces) > 1:
            axes.set_title(trace, loc="left", fontsize=8, fontweight="bold", pad=3)
        axes.set_ylabel("percentile")
    panels[-1].set_xlabel(f"{request_class} latency")
    _legend(figure, panels[0], len(chosen.schemes))
    return figure


def _with_unit(us: float, _: object = None) -> str:
    """A time in microseconds with the unit that suits it.

    >>> _with_unit(1.0), _with_unit(20_000.0)
    ('1 µs', '20 ms')
    """
    if us == 0:
        return "0"
    for factor, unit in ((1e6, "s"), (1e3, "ms"), (1.0, "µs")):
        if us >= factor:
            return f"{us / factor:g} {unit}"
    return f"{us * 1e3:g} ns"


def _lines(along: Measured, axis: str, metric: str, figure_class: Any) -> Any:
    from matplotlib.ticker import FuncFormatter, NullLocator

    found = along.intervals(metric)
    order, traces = values(along.points, axis), values(along.points, "trace")[:4]
    scale_of = axis_scale(order)
    places = scale_of.at if scale_of else {value: float(at) for at, value in enumerate(order)}
    schemes = values(along.points, "scheme")[: len(PALETTE)]
    figure = figure_class(figsize=(COLUMN_INCHES, 0.35 + 1.5 * len(traces)), layout="constrained")
    panels = figure.subplots(len(traces), 1, squeeze=False)[:, 0]
    time = describe(metric).kind == "time"
    for axes, trace in zip(panels, traces, strict=True):
        for index, scheme in enumerate(schemes):
            rows = found.filter((pl.col("trace") == trace) & (pl.col("scheme") == scheme)).drop_nulls("value")
            known = {row[axis]: row for row in rows.iter_rows(named=True)}
            shift = 0.0 if scale_of else (index - (len(schemes) - 1) / 2) * 0.06
            points = [(at + shift, known[value]) for value, at in places.items() if value in known]
            scale = 1000 if time else 1
            middles = [row["value"] / scale for _, row in points]
            below = [0 if row["low"] is None else (row["value"] - row["low"]) / scale for _, row in points]
            above = [0 if row["high"] is None else (row["high"] - row["value"]) / scale for _, row in points]
            axes.errorbar(
                [at for at, _ in points],
                middles,
                [below, above],
                color=_colour(index),
                marker="o",
                markersize=2.5,
                ls=DASHES[index % len(DASHES)],
                elinewidth=0.7,
                capsize=1.5,
                capthick=0.7,
                label=scheme,
            )
        if scale_of and scale_of.logarithmic:
            axes.set_xscale("log")
            axes.xaxis.set_minor_locator(NullLocator())
        axes.set_xticks(list(places.values()), list(places))
        if time:
            axes.yaxis.set_major_formatter(FuncFormatter(_with_unit))
        if len(traces) > 1:
            axes.set_title(trace, loc="left", fontsize=8, fontweight="bold", pad=3)
        label = describe(metric).label
        shown = [line.get_ydata() for line in axes.lines]
        if from_zero([float(each) for heights in shown for each in heights]):
            axes.set_ylim(bottom=0)
        else:
            label += f"\n{NOT_FROM_ZERO}"
        axes.set_ylabel(label)
    panels[-1].set_xlabel(scale_of.title(name_of(axis)) if scale_of else name_of(axis))
    _legend(figure, panels[0], len(schemes))
    return figure
