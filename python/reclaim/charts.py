"""What the figures of a trace and those of results share: colours, and charts with their data inside."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt

from reclaim import palette

Records = list[dict[str, Any]]
AnyChart = Any  # composed charts are untyped in Altair

PALETTE = palette.COLOURS

# What Vega-Lite draws a legend for, besides positions.
WITH_LEGENDS = {"color", "fill", "opacity", "shape", "size", "stroke", "strokeDash", "strokeWidth"}


class SharedData(alt.InlineData):
    """Data that all copies of a chart share: Altair copies a chart at every step, with every number in it."""

    def __deepcopy__(self, _memo: Any) -> SharedData:
        return self


def vega_lite_version() -> str:
    """Version of Vega-Lite that Altair writes for, in the converter's words."""
    major, minor = alt.SCHEMA_VERSION.removeprefix("v").split(".")[:2]
    return f"{major}.{minor}"


def chart_of(values: Records, **properties: Any) -> alt.Chart:
    """Begin a chart that carries its own data, so that a report opens offline.

    What it shows is best given as `alt.Tooltip("scheme:N")`: Altair takes 2 ms to find out what a text is.
    """
    # Every record would be compared with the schema of all data that there can be, which takes seconds.
    with alt.utils.schemapi.debug_mode(False):
        data = SharedData(values=values)
    return alt.Chart(data, **properties)


def dots(records: Records, size: int = 60, opacity: float = 1, **encoding: Any) -> AnyChart:
    """Mark records by filled points."""
    return chart_of(records).mark_point(filled=True, size=size, opacity=opacity).encode(**encoding)


def rule(at: float, along: alt.Scale | None = None, *, across: bool = True, **mark: Any) -> AnyChart:
    """Draw a line at a value of an axis: through x, or through y."""
    kind = alt.X if across else alt.Y
    place = kind("at:Q", scale=alt.Undefined if along is None else along)
    return chart_of([{"at": at}]).mark_rule(**mark).encode(place)


def spans(
    records: Records,
    scale: alt.Scale | None = None,
    *,
    across: bool = True,
    mark: dict[str, Any],
    **encoding: Any,
) -> list[AnyChart]:
    """Draw lines from low to high of the records that have both, along x or along y; no layer if none has."""
    known = [each for each in records if each.get("low") is not None]
    kind, other = (alt.X, "x2") if across else (alt.Y, "y2")
    low = kind("low:Q", scale=alt.Undefined if scale is None else scale)
    return [chart_of(known).mark_rule(**mark).encode(low, **{other: "high:Q"}, **encoding)] if known else []


def rows(field: str, order: Sequence[str] | None = None, limit: int = 300) -> alt.Y:
    """Name rows on the left, in an order or as they come."""
    return alt.Y(f"{field}:N", sort=order, title=None, axis=alt.Axis(labelLimit=limit))


def in_units(steps: Sequence[tuple[float, str]]) -> str:
    """Give the expression that labels a tick with its unit, the largest of which it is at least about one.

    Args:
        steps: how much of the axis a unit is, and its name; the largest first.
    """
    *larger, (_, least) = ((at, f"format(datum.value / {at!r}, '~r') + ' {unit}'") for at, unit in steps)
    return " : ".join([*(f"datum.value >= {0.999 * at!r} ? {text}" for at, text in larger), least])


def told_apart(
    kind: type[alt.Color | alt.Shape], field: str, names: Sequence[str], values: Sequence[str]
) -> Any:
    """Tell records apart by colour or shape, with a legend above."""
    scale = alt.Scale(domain=[*names], range=[*values])
    return kind(f"{field}:N", scale=scale, legend=alt.Legend(title=None, orient="top"))


def finished(drawn: AnyChart) -> dict[str, Any]:
    """The Vega-Lite specification of a chart, with the font sizes and frames that all figures have."""
    spec: dict[str, Any] = drawn.to_dict(validate=False)
    # Altair would copy the whole chart for each of the two.
    config = spec.setdefault("config", {})
    config["view"] = config.get("view", {}) | {"stroke": "#cccccc"}
    config["axis"] = config.get("axis", {}) | {"labelFontSize": 11, "titleFontSize": 12}
    return spec


def panels_of(spec: dict[str, Any], title: str = "") -> dict[str, Any]:
    """Split a composed chart into single ones that a page lays out itself, each as wide as there is room.

    Vega-Lite knows the width of the page only for single charts. Legends of named things are given beside the
    charts, as pairs of a label and a colour, because a legend inside a chart does not break into lines.

    Args:
        spec: a specification as `finished` gives it.
        title: what stands before the title of every panel.
    """
    shared = {key: spec[key] for key in ("$schema", "config") if key in spec}
    legend: dict[str, str] = {}
    panels = []
    for part in _parts(spec):
        panel = _without_legend(part, legend) | shared
        names = set(_names_of_data(part))
        panel["datasets"] = {
            name: values for name, values in spec.get("datasets", {}).items() if name in names
        }
        width = part.get("width", 0)
        panel["usermeta"] = {"half": isinstance(width, int) and 0 < width <= HALF_WIDTH}
        panel["width"] = "container"
        panel["autosize"] = {"type": "fit-x", "contains": "padding"}
        _lift_title(panel, title)
        _fix_height(panel)
        if said := equal_lines(panel):
            panel = {"usermeta": panel["usermeta"] | {"alike": said}}
        panels.append(panel)
    return {"panels": panels, "legend": list(legend.items())}


def joined(parts: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Put panels of several charts after one another, with one legend."""
    return {
        "panels": [panel for each in parts for panel in each["panels"]],
        "legend": list(dict(entry for each in parts for entry in each["legend"]).items()),
    }


def equal_lines(panel: dict[str, Any]) -> str:
    """What to say instead of drawing lines that all lie upon one another; empty if they do not.

    Args:
        panel: a single chart or layers of one, with its `datasets`.
    """
    layers = [panel | each for each in panel.get("layer", [])] or [panel]
    coloured = [each for each in layers if _field(each, "color") == "scheme"]
    if not any(_mark(each) == "line" for each in layers) or not coloured:
        return ""
    schemes: set[str] = set()
    for layer in coloured:
        lines: dict[str, list[dict[str, Any]]] = {}
        for record in _records(layer):
            lines.setdefault(record["scheme"], []).append({**record, "scheme": ""})
        schemes |= set(lines)
        first, *others = lines.values() or [[]]
        if any(other != first for other in others):
            return ""
    return f"All {len(schemes)} schemes measured the same here." if len(schemes) > 1 else ""


def _mark(layer: dict[str, Any]) -> str:
    mark = layer.get("mark", "")
    return str(mark["type"] if isinstance(mark, dict) else mark)


def _field(layer: dict[str, Any], channel: str) -> str:
    return str(layer.get("encoding", {}).get(channel, {}).get("field", ""))


def _records(layer: dict[str, Any]) -> Records:
    data = layer.get("data", {})
    found: Records = data["values"] if "values" in data else layer["datasets"].get(data.get("name"), [])
    return found


def _lift_title(panel: dict[str, Any], before: str) -> None:
    """Take the title of a chart, or of its layers, for the page to write: it breaks into lines there."""
    own = [panel.pop("title", None), *(layer.pop("title", None) for layer in panel.get("layer", []))]
    titles = [before, *dict.fromkeys(each for each in own if each)]
    panel["usermeta"]["title"] = ": ".join(each for each in titles if each)


def _fix_height(panel: dict[str, Any]) -> None:
    """Give a height in pixels, not for each value: Vega-Lite warns of that where the width varies."""
    height = panel.get("height")
    if not isinstance(height, dict):
        return
    encoding = panel.get("encoding") or panel["layer"][0]["encoding"]
    field = encoding["y"]["field"]
    records = [record for values in panel["datasets"].values() for record in values]
    panel["height"] = height["step"] * len({record[field] for record in records if field in record})


HALF_WIDTH = 460
"""Panels no wider than this stand in pairs where there is room for two."""


def _parts(spec: dict[str, Any]) -> list[dict[str, Any]]:
    """The single charts of a composed one, each with its data: Altair gives what all share to the whole."""
    for key in ("hconcat", "vconcat", "concat"):
        if key in spec:
            data = {"data": spec["data"]} if "data" in spec else {}
            return [part for each in spec[key] for part in _parts(data | each)]
    return [{key: value for key, value in spec.items() if key not in ("$schema", "config", "datasets")}]


def _names_of_data(part: dict[str, Any]) -> list[str]:
    """Names of the data that a chart and its layers draw."""
    own = [part["data"]["name"]] if "name" in part.get("data", {}) else []
    return [*own, *(name for layer in part.get("layer", []) for name in _names_of_data(layer))]


def _without_legend(part: Any, legend: dict[str, str]) -> Any:
    """A copy whose colours (and shapes) of named things have no legend; what it said is added to `legend`."""
    if isinstance(part, list):
        return [_without_legend(each, legend) for each in part]
    if not isinstance(part, dict):
        return part
    copy = {key: value if key == "data" else _without_legend(value, legend) for key, value in part.items()}
    colour = part.get("encoding", {}).get("color", {}) if isinstance(part.get("encoding"), dict) else {}
    scale = colour.get("scale") or {}
    if colour.get("type") == "nominal" and "domain" in scale and "range" in scale:
        if colour.get("legend", {}) is not None:
            colours = scale["range"]
            legend |= {
                label: colours[index % len(colours)] for index, label in enumerate(map(str, scale["domain"]))
            }
        # Vega-Lite joins the legends of one field and warns of a part that has one where another has none.
        for name in WITH_LEGENDS & set(copy["encoding"]):
            if copy["encoding"][name].get("field") == colour.get("field"):
                copy["encoding"][name]["legend"] = None
    return copy
