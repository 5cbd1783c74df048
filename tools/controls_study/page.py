"""docs/controls.md and its pictures from stored figures: no result in it is typed."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace
from itertools import product
from typing import Any, NamedTuple

import altair as alt

from controls_study import lfs_page
from controls_study.cachelib import MIDDLE, ROOT, SPARE, STORED, UNITS, VICTIMS, WRITTEN, closed_form
from controls_study.lfs import CLASSES
from controls_study.lfs_page import percent
from network_study.page import wrapped
from network_study.pictures import draw, on_white
from reclaim.charts import PALETTE, chart_of
from reclaim.paper.page import environment
from reclaim.report.document import Table
from reclaim.report.forms import markdown_of
from reclaim.report.ratios import listed

PAGE = ROOT / "docs" / "controls.md"


NEAR = 0.1
"""By which share a prediction may be off that counts as near."""


class Measured(NamedTuple):
    """What the paper prints."""

    used: float
    small: float
    handles: bool
    value: float
    where: str
    at_least: bool = False

    @property
    def what(self) -> str:
        """Which drive and load."""
        small = "" if self.small == MIDDLE.small else f", {percent(self.small)} small"
        return f"{percent(self.used)} used{small}, {'with' if self.handles else 'no'} handles"

    @property
    def told(self) -> str:
        """Its figure."""
        return f"{'> ' if self.at_least else ''}{self.value:g}"

    def is_near(self, predicted: float) -> bool:
        """Whether a prediction is within a tenth."""
        return self.off(predicted) <= NEAR

    def off(self, predicted: float) -> float:
        """By which share a prediction is off."""
        return 0.0 if self.at_least and predicted > self.value else abs(predicted / self.value - 1)


MEASURED = (
    Measured(0.5, 0.04, False, 1.3, "section 6.2"),
    Measured(0.5, 0.04, True, 1.03, "section 6.2"),
    Measured(0.8, 0.04, False, 1.3, "section 6.3: as half used"),
    Measured(0.8, 0.04, True, 1.03, "section 6.3"),
    Measured(1.0, 0.04, False, 3.5, "section 6.3"),
    Measured(1.0, 0.04, True, 1.03, "section 6.3"),
    Measured(1.0, 0.64, False, 3.0, "section 6.5", at_least=True),
    Measured(1.0, 0.64, True, 2.5, "section 6.5"),
)


class Row(NamedTuple):
    """What was measured, and what may be."""

    measured: Measured
    low: float
    high: float
    closed: tuple[float, float]
    """Least and most of the closed form."""
    near: int
    """Predictions within a tenth of what was measured."""

    def _has(self, low: float, high: float) -> bool:
        value = self.measured.value
        return value <= round(high, 2) and (self.measured.at_least or round(low, 2) <= value)

    @property
    def is_inside(self) -> bool:
        """Whether the band has it, as its digits are printed."""
        return self._has(self.low, self.high)

    @property
    def closed_has_it(self) -> bool:
        """Whether the closed form has it."""
        return self._has(*self.closed)


def stored() -> dict[str, list[dict[str, Any]]]:
    """What was predicted."""
    found: dict[str, list[dict[str, Any]]] = json.loads(STORED.read_text(encoding="utf-8"))
    return found


def predicted() -> dict[tuple[float, float, bool], dict[tuple[float, float, str], float]]:
    """Amplification by what the paper varies, then by what it does not print."""
    found: dict[tuple[float, float, bool], dict[tuple[float, float, str], float]] = defaultdict(dict)
    for each in stored()["predicted"]:
        of = each["spare"], each["written"], each["victim"]
        found[each["used"], each["small"], each["handles"]][of] = each["amplification"]
    return found


def band(values: Iterable[float]) -> str:
    """Least and most."""
    kept = list(values)
    return f"{min(kept):.2f} to {max(kept):.2f}"


def rows() -> list[Row]:
    """A row for each measured figure."""
    found, made = predicted(), []
    for each in MEASURED:
        values = found[each.used, each.small, each.handles].values()
        forms = [
            closed_form(
                replace(
                    MIDDLE,
                    used=each.used,
                    small=each.small,
                    handles=each.handles,
                    spare=spare,
                    written=written,
                )
            )
            for spare, written in product(SPARE, WRITTEN)
        ]
        made.append(
            Row(each, min(values), max(values), (min(forms), max(forms)), sum(map(each.is_near, values)))
        )
    return made


def closest() -> dict[str, str]:
    """The drive and load whose worst figure is least off."""
    found = predicted()
    off = {
        of: max((each.off(found[each.used, each.small, each.handles][of]), each.what) for each in MEASURED)
        for of in product(SPARE, WRITTEN, VICTIMS)
    }
    (spare, written, victim), (worst, what) = min(off.items(), key=lambda pair: pair[1][0])
    return {
        "spare": percent(spare),
        "written": percent(written),
        "victim": victim,
        "off": percent(worst),
        "what": what,
    }


def without_gain() -> str:
    """How amplification with handles is to that without, where nine tenths of the cache are small objects."""
    found = predicted()
    with_, without = (found[1.0, 0.9, handles] for handles in (True, False))
    return band(with_[of] / without[of] for of in without)


def missed(found: list[Row]) -> str:
    """What was measured where the drive is not full and data has handles."""
    (value,) = {each.measured.value for each in found if each.measured.used < 1 and each.measured.handles}
    return percent(value - 1)


def table() -> str:
    """Measured, predicted, and a closed form."""
    shown = [
        [
            each.measured.what,
            each.measured.told,
            each.measured.where,
            f"{each.low:.2f} to {each.high:.2f}",
            "yes" if each.is_inside else "**no**",
            str(each.near),
            band(each.closed),
        ]
        for each in rows()
    ]
    return markdown_of(Table(["", "measured", "where", "band", "in it", "near", "closed form"], shown))


def decides() -> str:
    """What one choice changes on a full drive without handles."""
    found = {each["what"]: each["amplification"] for each in stored()["varied"]}
    shown = [[what, f"{value:.2f}"] for what, value in found.items()]
    return markdown_of(Table(["full drive, no handles", "write amplification"], shown))


def picture() -> dict[str, Any]:
    """A row for each figure: a band, and what was measured."""
    values = [
        {
            "what": each.measured.what,
            "low": each.low,
            "high": each.high,
            "value": each.measured.value,
            "told": each.measured.told,
        }
        for each in rows()
    ]
    names = [each.measured.what for each in rows()]
    across = alt.Scale(type="log", domain=[0.95, 12], nice=False)
    axis = alt.Axis(
        values=[1, 1.5, 2, 3, 5, 10], title="write amplification (log scale); lower is better", grid=False
    )
    down = alt.Y("what:N", sort=names, title=None, axis=alt.Axis(labelLimit=260))
    bar = chart_of(values).mark_rule(strokeWidth=9, color=PALETTE[0], opacity=0.45)
    end = chart_of(values).mark_tick(orient="vertical", size=9, thickness=3, color=PALETTE[0])
    seen = chart_of(values).mark_point(filled=True, size=90, color="#1b1f24", opacity=1)
    told = chart_of(values).mark_text(align="left", dx=8, dy=-10, fontSize=12)
    drawn = alt.layer(
        bar.encode(x=alt.X("low:Q", scale=across, axis=axis), x2="high:Q", y=down),
        end.encode(x=alt.X("low:Q", scale=across), y=down),
        seen.encode(x=alt.X("value:Q", scale=across), y=down),
        told.encode(x=alt.X("value:Q", scale=across), y=down, text="told:N"),
    ).properties(width=520, height=300, title="Measured (dots) and the bands predicted (bars)")
    return on_white(drawn.configure_axis(labelFontSize=12, titleFontSize=12))


def lfs_facts() -> dict[str, Any]:
    """What the page says of the cleaner of a log-structured file system."""
    found = lfs_page.claims()
    return {
        "claims": len(found),
        "agree": sum(each.agrees for each in found),
        "most": percent(-min(lfs_page.lower(lfs_page.LOCAL).values())),
        "changed": percent(lfs_page.gain_at(changed=True)),
        "table": lfs_page.table(),
        "spread": lfs_page.spread(),
        "classes": CLASSES,
    }


def render() -> str:
    """The page."""
    template = environment().from_string((STORED.parent / "page.md.j2").read_text(encoding="utf-8"))
    found = rows()

    def ends(given: tuple[float, ...]) -> str:
        return f"{percent(min(given))} to {percent(max(given))}"

    return wrapped(
        template.render(
            rows=found,
            lfs=lfs_facts(),
            inside=sum(each.is_inside for each in found),
            closed=sum(each.closed_has_it for each in found),
            table=table(),
            decides=decides(),
            small=percent(MIDDLE.small),
            units=UNITS,
            unit_pages=MIDDLE.logical_pages // UNITS,
            spare=ends(SPARE),
            written=ends(WRITTEN),
            middle={
                "spare": percent(MIDDLE.spare),
                "written": percent(MIDDLE.written),
                "victim": MIDDLE.victim,
            },
            near=percent(NEAR),
            missed=missed(found),
            victims=listed(VICTIMS),
            closest=closest(),
            bands=len(SPARE) * len(WRITTEN) * len(VICTIMS),
            without_gain=without_gain(),
        )
    )


def main() -> None:
    """Write page and picture."""
    draw(picture(), "controls-cachelib")
    draw(lfs_page.picture(), "controls-lfs")
    PAGE.write_text(render(), encoding="utf-8")


if __name__ == "__main__":
    main()
