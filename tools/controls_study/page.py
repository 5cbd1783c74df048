"""docs/controls.md and its picture from stored figures: no result in it is typed."""

from __future__ import annotations

import json
from collections import defaultdict
from typing import Any, NamedTuple

import altair as alt

from controls_study.cachelib import ROOT, SEEDS, SMALL, SPARE, STORED, UNITS, USED, WRITTEN, Case, closed_form
from network_study.page import wrapped
from network_study.pictures import draw
from reclaim.charts import PALETTE, chart_of
from reclaim.paper.page import environment
from reclaim.report.document import Table
from reclaim.report.forms import markdown_of
from reclaim.report.ratios import percent

PAGE = ROOT / "docs" / "controls.md"
MEASURED = {(0.5, False): 1.3, (0.5, True): 1.03, (1.0, False): 3.5, (1.0, True): 1.03}
"""By share of the drive used, and whether with handles: Allison et al., EuroSys 2025."""
MIDDLE = Case(1.0, 0.15, 0.7, handles=False)
"""Drive and load that variations are of."""


class Row(NamedTuple):
    """What was measured, and what may be."""

    what: str
    measured: float
    low: float
    high: float
    closed: str

    @property
    def is_inside(self) -> bool:
        """Whether the band has it, as its digits are printed."""
        return round(self.low, 2) <= self.measured <= round(self.high, 2)


def stored() -> dict[str, list[dict[str, Any]]]:
    """What was predicted."""
    found: dict[str, list[dict[str, Any]]] = json.loads(STORED.read_text(encoding="utf-8"))
    return found


def rows() -> list[Row]:
    """A row for each measured figure."""
    found: dict[tuple[float, bool], list[float]] = defaultdict(list)
    for each in stored()["predicted"]:
        found[each["used"], each["handles"]].append(each["amplification"])

    def closed(used: float, *, handles: bool) -> str:
        forms = [closed_form(used, spare, written, handles=handles) for spare in SPARE for written in WRITTEN]
        return f"{min(forms):.2f} to {max(forms):.2f}"

    return [
        Row(
            f"{percent(used)} used, {'with' if handles else 'no'} handles",
            MEASURED[used, handles],
            min(found[used, handles]),
            max(found[used, handles]),
            closed(used, handles=handles),
        )
        for used in USED
        for handles in (False, True)
    ]


def closest() -> dict[str, str]:
    """The drive and load that are nearest to all that was measured, and how far off the worst figure is."""
    off: dict[tuple[float, float], list[float]] = defaultdict(list)
    for each in stored()["predicted"]:
        error = abs(each["amplification"] / MEASURED[each["used"], each["handles"]] - 1)
        off[each["spare"], each["written"]].append(error)
    (spare, written), errors = min(off.items(), key=lambda each: max(each[1]))
    return {"spare": percent(spare), "written": percent(written), "off": percent(max(errors))}


def middle() -> dict[str, str]:
    """What else decides on a full drive without handles."""
    of = {
        each["what"]: each
        for each in stored()["varied"]
        if each["used"] == MIDDLE.used and not each["handles"]
    }
    names = {
        "asis": "as it is",
        "cost_benefit": "victims by cost-benefit",
        "fewer": "units of a quarter as many pages",
        "more": "units of four times as many pages",
        "zipf": "small objects by Zipf's law",
    }
    shown = {name: f"{of[what]['amplification']:.1f}" for name, what in names.items()}
    return shown | {"spare": percent(MIDDLE.spare), "written": percent(MIDDLE.written)}


def table() -> str:
    """Measured, predicted, and a closed form."""
    head = ["", "measured", "band", "in it", "closed form"]
    shown = [
        [
            each.what,
            f"{each.measured:g}",
            f"{each.low:.2f} to {each.high:.2f}",
            *("yes" if each.is_inside else "no",),
            each.closed,
        ]
        for each in rows()
    ]
    return markdown_of(Table(head, shown))


def picture() -> dict[str, Any]:
    """A row for each figure: a band, and what was measured."""
    values = [each._asdict() for each in rows()]
    names = [each.what for each in rows()]
    across = alt.Scale(type="log", domain=[0.95, 10], nice=False)
    axis = alt.Axis(
        values=[1, 1.5, 2, 3, 5, 10], title="write amplification (log scale); lower is better", grid=False
    )
    down = alt.Y("what:N", sort=names, title=None, axis=alt.Axis(labelLimit=220))
    band = chart_of(values).mark_rule(strokeWidth=9, strokeCap="square", color=PALETTE[0], opacity=0.45)
    seen = chart_of(values).mark_point(filled=True, size=110, color="#1b1f24", opacity=1)
    told = chart_of(values).mark_text(align="left", dx=9, dy=-11, fontSize=12)
    drawn = alt.layer(
        band.encode(x=alt.X("low:Q", scale=across, axis=axis), x2="high:Q", y=down),
        seen.encode(x=alt.X("measured:Q", scale=across), y=down),
        told.encode(x=alt.X("measured:Q", scale=across), y=down, text=alt.Text("measured:Q")),
    ).properties(width=520, height=190, title="Measured (dots) and the bands predicted (bars)")
    spec: dict[str, Any] = drawn.configure_axis(labelFontSize=12, titleFontSize=12).to_dict(validate=False)
    return {**spec, "background": "white"}


def render() -> str:
    """The page."""
    template = environment().from_string((STORED.parent / "page.md.j2").read_text(encoding="utf-8"))
    found = rows()

    def band(given: tuple[float, ...]) -> str:
        return f"{percent(min(given))} to {percent(max(given))}"

    return wrapped(
        template.render(
            rows=found,
            inside=sum(each.is_inside for each in found),
            table=table(),
            small=percent(SMALL),
            units=UNITS,
            unit_pages=MIDDLE.logical_pages // UNITS,
            spare=band(SPARE),
            written=band(WRITTEN),
            seeds=len(SEEDS),
            middle=middle(),
            closest=closest(),
        )
    )


def main() -> None:
    """Write page and picture."""
    draw(picture(), "controls-cachelib")
    PAGE.write_text(render(), encoding="utf-8")


if __name__ == "__main__":
    main()
