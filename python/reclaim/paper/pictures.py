"""Pictures of a paper's page: declared in `pictures.toml` of its folder, drawn from `page.json` and CSVs.

Two kinds. `dots`: a row each, with a mark for each series, its interval as a whisker, and reference lines.
`curves`: y over x, a line for each series, from CSV files with the columns series, x, y and, where there are
intervals, low and high. Both are legible at 390 pixels and name their series in the drawing, not in a key:

    [[picture]]
    name = "answer"                     # pictures/answer.png
    title = "What the picture shows, as a sentence"
    kind = "dots"
    axis = "mean latency beside the baseline (lower is better)"
    log = ["x"]
    lines = [{ at = 1, says = "no difference" }, { at = "printed:f8-mean", says = "printed" }]
    [[picture.row]]
    label = "all requests"
    panel = "recordings"                # optional: rows of a panel stand together
    marks = { printed = "printed:f8-mean", ours = "ours:f8-mean", "simpler control" = "a figure" }

    [[picture]]
    name = "figure-6"
    title = "…"
    kind = "curves"
    x = "valid pages of a victim (%)"
    y = "migration time saved (%)"
    files = ["figure-6-printed.csv", "figure-6.csv"]

A reference is `ours:CLAIM`, `printed:CLAIM`, the name of a figure, or a number. `show = "reduction"` draws a
ratio r as 100 (1 - r) %, `show = "inverse"` as 1 / r. Series whose name begins with "printed" are grey.
"""

from __future__ import annotations

import csv
import json
import math
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import altair as alt
from pydantic import Field

from reclaim import input_file, sections
from reclaim.charts import PALETTE, AnyChart, Records, chart_of, finished
from reclaim.errors import InputError
from reclaim.paper.entries import File, ListOf
from reclaim.paper.measured import Figure
from reclaim.sections import Section, Words, Wrong, named_twice

DECLARED, FOLDER = "pictures.toml", "pictures"
PRINTED = "printed"
GREY = "#6e7781"
WIDTH, CURVE_HEIGHT, LINE = 330, 250, 19
"""Of the plot, and of a mark's line in a row, in pixels before `SCALE`."""
GAP = 10
"""Between rows."""
SCALE = 2.0
TITLE, TEXT = 42, 26
"""Characters of a line of the title, and of a row's label."""
SHOWN: Mapping[str, Callable[[float], float]] = {
    "value": lambda value: value,
    "reduction": lambda ratio: 100 * (1 - ratio),
    "inverse": lambda ratio: 1 / ratio,
}
Ask = Callable[[str], Figure]
"""What a reference stands for."""


class ReferenceLine(Section):
    """What figures are compared with, and what is said of it."""

    at: float | str
    says: str = ""


class DotRow(Section):
    """A row of dots: what stands before it, and a reference for each series."""

    label: Words
    panel: Words = ""
    marks: Mapping[str, str | float] = Field(default_factory=dict)


class Picture(Section):
    """A picture as it is declared."""

    name: Words
    title: Words
    kind: Literal["dots", "curves"]
    axis: Words = ""
    """Of dots."""
    x: Words = ""
    """Of curves."""
    y: Words = ""
    log: ListOf[Words] = ()
    """Which axes are logarithmic: x, y or both."""
    show: Literal["value", "reduction", "inverse"] = "value"
    lines: tuple[ReferenceLine, ...] = ()
    rows: tuple[DotRow, ...] = Field((), alias="row")
    files: ListOf[File] = ()

    @classmethod
    def mistakes_in(cls, table: Mapping[str, Any], _context: Any, /) -> Iterable[Wrong]:
        """See that it has what its kind is drawn of, and nothing else."""
        kind = str(table.get("kind"))
        needed = NEEDED.get(kind, ())
        for key in (each for each in needed if not table.get(each)):
            yield Wrong((), f'a picture of kind "{kind}" needs {key}')
        for key in table.keys() & {each for keys in NEEDED.values() for each in keys if needed}:
            if key not in needed:
                yield Wrong((key,), f'a picture of kind "{kind}" has {", ".join(needed)} instead')


NEEDED = {"dots": ("axis", "row"), "curves": ("x", "y", "files")}
"""What a picture of each kind is drawn of."""


class Pictures(Section):
    """What a paper's folder declares."""

    pictures: Annotated[tuple[Picture, ...], named_twice("picture", "name")] = Field((), alias="picture")


def load(folder: Path) -> tuple[Picture, ...]:
    """Read what a paper's folder declares; nothing if it declares none.

    Raises:
        InputError: with every mistake, a line each.
    """
    file = folder / DECLARED
    return sections.load(Pictures, file, folder).pictures if input_file.is_there(file) else ()


def png(picture: Picture, ask: Ask) -> bytes:
    """Draw a picture; arguments as of `specification`."""
    return drawn(specification(picture, ask))


def drawn(chart: Mapping[str, Any]) -> bytes:
    """Draw what `specification` gives, as PNG: the same bytes for the same data."""
    import vl_convert

    return vl_convert.vegalite_to_png(json.dumps(chart), scale=SCALE)


def specification(picture: Picture, ask: Ask) -> dict[str, Any]:
    """Give the Vega-Lite specification of a picture.

    Args:
        picture: as it is declared.
        ask: gives the figure that a reference stands for.
    """
    spec = finished(_dots(picture, ask) if picture.kind == "dots" else _curves(picture, ask))
    spec["title"] = {
        "text": textwrap.wrap(picture.title, TITLE),
        "anchor": "start",
        "frame": "bounds",
        "fontSize": 17,
        "offset": 12,
    }
    axis = {"labelFontSize": 13, "titleFontSize": 13, "titleFontWeight": "normal", "gridColor": "#e8e8e8"}
    spec["config"] = {**spec["config"], "axis": axis, "view": {"stroke": None}, "background": "white"}
    spec["padding"] = 10
    return spec


def _number(reference: str | float, ask: Ask, show: Callable[[float], float]) -> tuple[float, float, float]:
    """Give a figure and the ends of its interval, as they are drawn."""
    if not isinstance(reference, str):
        return (float(reference),) * 3
    found = ask(reference)
    low, high = found.interval
    ends = sorted((show(low), show(high)))
    return show(found.value), ends[0], ends[1]


def _scale(picture: Picture, axis: str, values: Sequence[float]) -> alt.Scale:
    """A scale with some room at its ends; of dots and bars from zero where that is near."""
    low, high = min(values), max(values)
    if axis in picture.log:
        if low <= 0:
            raise InputError(f'picture "{picture.name}": log = ["{axis}"], but {low:g} is to be shown')
        room = (high / low) ** 0.06
        return alt.Scale(type="log", domain=[low / room, high * room], nice=False)
    if axis == "x" and picture.kind == "curves":
        return alt.Scale(domain=[low, high], nice=False)
    low = min(low, 0.0) if low < 0.4 * high else low
    room = 0.04 * (high - low or abs(high) or 1.0)
    return alt.Scale(domain=[low - room if low else 0.0, high + room], nice=False)


def _title(picture: Picture, axis: str) -> list[str]:
    text = picture.y if axis == "y" else picture.axis or picture.x
    return textwrap.wrap(text + (" (log scale)" if axis in picture.log else ""), TITLE + 8)


def _dots(picture: Picture, ask: Ask) -> AnyChart:
    """Rows from the top down. Every mark of a row has a line of its own, so that none hides another."""
    show = SHOWN[picture.show]
    marks: Records = []
    labels: Records = []
    down, panel = 0.0, ""
    for row in picture.rows:
        if row.panel != panel:
            panel = row.panel
            labels.append({"says": panel, "down": down + LINE, "kind": "panel"})
            down += 1.5 * LINE
        wrapped = textwrap.wrap(row.label, TEXT)
        height = LINE * max(len(row.marks), len(wrapped)) + GAP
        labels.append({"says": "|".join(wrapped), "down": down + height / 2, "kind": "row"})
        first = down + (height - LINE * len(row.marks)) / 2 + LINE / 2
        for at, (name, reference) in enumerate(row.marks.items()):
            value, low, high = _number(reference, ask, show)
            mark = {"series": name, "down": first + LINE * at, "value": value, "low": low, "high": high}
            marks.append(mark)
        down += height
    lines = [(_number(each.at, ask, float)[0], each.says) for each in picture.lines]
    ends = [each[key] for each in marks for key in ("low", "high", "value")] + [at for at, _ in lines]
    scale = _scale(picture, "x", ends)
    series = list(dict.fromkeys(each["series"] for each in marks))
    size = {"width": WIDTH, "height": down}
    axis = alt.Axis(title=_title(picture, "x"), tickCount=5)
    y = alt.Y("down:Q", scale=alt.Scale(domain=[down, 0], nice=False), axis=None)
    colour = _colour(series)

    def x(key: str) -> alt.X:
        return alt.X(f"{key}:Q", scale=scale, axis=axis)

    base = chart_of(marks, **size)
    layers = _references(lines, size, lambda: {"x": x("at")}, {"y": alt.value(0)})
    layers += [
        base.mark_rule(strokeWidth=2.5).encode(x=x("low"), x2="high:Q", y=y, color=colour),
        base.mark_circle(size=75, opacity=1).encode(x=x("value"), y=y, color=colour),
    ]
    named = _named(marks, series, scale, "x" in picture.log)
    sides: tuple[tuple[Literal["left", "right"], int], ...] = (("left", 8), ("right", -8))
    for align, dx in sides:
        some = [each for each in named if each["align"] == align]
        if some:
            text = chart_of(some, **size).mark_text(
                align=align, dx=dx, fontSize=13, fontWeight="bold", baseline="middle"
            )
            layers.append(text.encode(x=x("at"), y=y, color=colour, text="says:N"))
    for kind in ("row", "panel"):
        some = [each for each in labels if each["kind"] == kind]
        if some:
            text = chart_of(some, **size).mark_text(
                align="right",
                baseline="middle",
                dx=-8,
                fontSize=13,
                lineBreak="|",
                fontWeight="bold" if kind == "panel" else "normal",
            )
            layers.append(text.encode(x=alt.value(0), y=y, text="says:N"))
    return alt.layer(*layers)


def _colour(series: Sequence[str]) -> alt.Color:
    """Give each series its colour, in order; what is printed is grey."""
    rest = iter(PALETTE)
    colours = [GREY if each.startswith(PRINTED) else next(rest) for each in series]
    return alt.Color("series:N", scale=alt.Scale(domain=list(series), range=colours), legend=None)


def _references(
    lines: Sequence[tuple[float, str]],
    size: Mapping[str, float],
    across: Callable[[], Mapping[str, Any]],
    beside: Mapping[str, Any],
) -> list[AnyChart]:
    """Dashed lines of what figures are compared with, and what each of them says."""
    layers: list[AnyChart] = []
    for at, says in lines:
        rule = chart_of([{"at": at, "says": says}], **size)
        layers.append(rule.mark_rule(color="#57606a", strokeDash=[4, 3]).encode(**across()))
        if says:
            text = rule.mark_text(align="left", dx=3, dy=-4, fontSize=12, color="#57606a", baseline="bottom")
            layers.append(text.encode(**across(), **beside, text="says:N"))
    return layers


def _named(records: Records, series: Sequence[str], scale: alt.Scale, log: bool) -> Records:
    """Say once for each series which it is: beside a mark that leaves room for it."""
    low, high = scale.to_dict()["domain"]

    def across(value: float) -> float:
        return math.log(value / low) / math.log(high / low) if log else (value - low) / (high - low)

    if len(series) == 1:
        return []
    found = []
    for name in series:
        rooms = []
        for each in records:
            if each["series"] == name:
                rooms += [(1 - across(each["high"]), "left", each), (across(each["low"]), "right", each)]
        # The first row that has enough of it; else the one that has most.
        enough = 0.02 * len(name) + 0.06
        _, align, each = next((one for one in rooms if one[0] > enough), max(rooms, key=lambda one: one[0]))
        end = each["high" if align == "left" else "low"]
        found.append({**each, "align": align, "at": end, "says": name})
    return found


def _curves(picture: Picture, ask: Ask) -> AnyChart:
    records = [record for file in picture.files for record in _read(file)]
    lines = [(_number(each.at, ask, float)[0], each.says) for each in picture.lines]
    down = [each[key] for each in records for key in ("y", "low", "high") if each[key] is not None]
    x_scale = _scale(picture, "x", [each["x"] for each in records])
    y_scale = _scale(picture, "y", down + [at for at, _ in lines])
    series = list(dict.fromkeys(each["series"] for each in records))
    size = {"width": WIDTH, "height": CURVE_HEIGHT}
    x = alt.X("x:Q", scale=x_scale, axis=alt.Axis(title=_title(picture, "x"), tickCount=6))
    y = alt.Y("y:Q", scale=y_scale, axis=alt.Axis(title=_title(picture, "y"), tickCount=5))
    colour = _colour(series)
    base = chart_of(records, **size)
    dash = alt.condition(f"indexof(datum.series, '{PRINTED}') === 0", alt.value([5, 3]), alt.value([1, 0]))
    # The tip of a sharp turn would reach beyond its value.
    line = base.mark_line(strokeWidth=2.5, strokeJoin="round")
    layers = [line.encode(x=x, y=y, color=colour, strokeDash=dash)]
    if any(each["low"] is not None for each in records):
        band = base.mark_area(opacity=0.18).encode(
            x=x, y=alt.Y("low:Q", scale=y_scale), y2="high:Q", color=colour
        )
        layers.insert(0, band)
    across = {"y": alt.Y("at:Q", scale=y_scale)}
    layers += _references(lines, size, lambda: across, {"x": alt.value(0)})
    ends = _ends(records, series, y_scale, "y" in picture.log)
    text = chart_of(ends, **size).mark_text(align="left", dx=6, fontSize=13, fontWeight="bold", clip=False)
    layers.append(text.encode(x=x, y=y, color=colour, text="series:N"))
    return alt.layer(*layers)


def _ends(records: Records, series: Sequence[str], scale: alt.Scale, log: bool) -> Records:
    """Where the name of each curve stands: at its right end, moved down or up where two would touch."""
    low, high = scale.to_dict()["domain"]
    if log:
        low, high = math.log(low), math.log(high)
    ends = [
        max((one for one in records if one["series"] == each), key=lambda one: one["x"]) for each in series
    ]
    ends.sort(key=lambda each: each["y"])
    gap, at, found = 16 / CURVE_HEIGHT * (high - low), -math.inf, []
    for each in ends:
        at = max(math.log(each["y"]) if log else each["y"], at + gap)
        found.append({"series": each["series"], "x": each["x"], "y": math.exp(at) if log else at})
    return found


def _read(file: Path) -> Records:
    """Give the points of a CSV file.

    Raises:
        InputError: without a column, or for a cell that is no number.
    """
    rows = list(csv.DictReader(input_file.text(file).splitlines()))
    found: Records = []
    for number, row in enumerate(rows, 2):
        try:
            found.append(
                {
                    "series": row["series"],
                    "x": float(row["x"]),
                    "y": float(row["y"]),
                    "low": float(row["low"]) if row.get("low") else None,
                    "high": float(row["high"]) if row.get("high") else None,
                }
            )
        except (KeyError, ValueError) as error:
            raise InputError(
                f"{file}, line {number}: {error}; the columns are series, x, y, low and high"
            ) from None
    if not found:
        raise InputError(f"{file}: has no points")
    return found
