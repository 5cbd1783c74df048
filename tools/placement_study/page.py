"""docs/placement.md and its pictures from stored figures: no result in it is typed. `make placement`."""

from __future__ import annotations

import csv
import json
import statistics
from collections import defaultdict
from typing import Any

import altair as alt

from network_study.page import wrapped
from placement_study.run import FIGURES, FOLDER, REPEATS, ROOT, SCHEMES, SPARE
from reclaim.charts import PALETTE, Records, chart_of
from reclaim.paper.page import environment
from reclaim.report.document import Table
from reclaim.report.forms import markdown_of
from reclaim.statistics.intervals import LEVEL, median_interval

PAGE = ROOT / "docs" / "placement.md"
WITNESS = FOLDER / "sepbit-program.csv"
IN_THE_LOG = {
    "NoSep": "no separation",
    "SepGC": "SepGC",
    "DAC": "DAC",
    "SepBIT": "SepBIT",
    "FK": "future knowledge",
}
"""Schemes of the published program that are here, too."""
USUAL = "15%"
HEADROOM, OF_THE_BOUND = 1.3, 0.9


def _rows(path: Any) -> list[dict[str, str]]:
    with path.open() as lines:
        return list(csv.DictReader(lines))


def witnessed() -> Records:
    """What the published program and the log here wrote, by load, victim policy and scheme."""
    return [
        {
            "load": row["trace"],
            "victim": row["victim"],
            "scheme": IN_THE_LOG[row["scheme"]],
            "amplification": int(row["pages_written"]) / int(row["user_pages"]),
        }
        for row in _rows(WITNESS)
        if row["scheme"] in IN_THE_LOG
    ]


def log_table() -> str:
    """Write amplification in the log, a row for each load and victim policy."""
    found: dict[tuple[str, str], dict[str, float]] = defaultdict(dict)
    for each in witnessed():
        found[each["load"], each["victim"]][each["scheme"]] = each["amplification"]
    rows = [[*place, *(f"{of[name]:.2f}" for name in IN_THE_LOG.values())] for place, of in found.items()]
    return markdown_of(Table(["load", "victims", *IN_THE_LOG.values()], rows))


class Drives:
    """The figures of drives: medians of repeats, and what they say."""

    repeats, spare, level = REPEATS, USUAL.replace("%", " %"), f"{LEVEL:.0%}".removesuffix("%")

    def __init__(self) -> None:
        values: dict[tuple[str, str, str], list[float]] = defaultdict(list)
        for row in _rows(FIGURES):
            values[row["load"], row["spare"], row["scheme"]].append(float(row["write_amplification"]))
        self.values = values
        self.loads = list(dict.fromkeys(load for load, _, _ in values))
        self.count_all = len(self.loads)
        self.counted = [load for load in self.loads if self.has_headroom(load)]
        self.count = self.with_headroom = len(self.counted)

    def median(self, load: str, scheme: str, spare: str = USUAL) -> float | None:
        """The median of the repeats; none where the scheme was not run."""
        found = self.values.get((load, spare, scheme))
        return None if found is None else statistics.median(found)

    def has_headroom(self, load: str) -> bool:
        """Whether a scheme could gain anything."""
        none, bound = self.median(load, "none"), self.median(load, "future-knowledge")
        return none is not None and bound is not None and none > HEADROOM and bound <= OF_THE_BOUND * none

    def change(self, scheme: str) -> str:
        """By how much a scheme programs fewer pages than none, in the median of the loads with headroom."""
        ratios = []
        for load in self.counted:
            ours, none = self.median(load, scheme), self.median(load, "none")
            if ours is not None and none is not None:
                ratios.append(ours / none)
        change = statistics.median(ratios) - 1
        return f"{abs(change):.0%} {'fewer' if change < 0 else 'more'}".replace("%", " %")

    def records(self) -> Records:
        """A record for each point of the picture."""
        found = []
        for (load, spare, scheme), each in self.values.items():
            if load in self.counted:
                interval = median_interval(each)
                found.append(
                    {
                        "load": load,
                        "spare": int(spare.removesuffix("%")),
                        "scheme": scheme,
                        "amplification": statistics.median(each),
                        "low": interval.low,
                        "high": interval.high,
                    }
                )
        return found


def log_picture() -> dict[str, Any]:
    """Amplification in the log under cost-benefit, a row for each load."""
    values = [each for each in witnessed() if each["victim"] == "cost-benefit"]
    names = list(IN_THE_LOG.values())
    drawn = (
        chart_of(values)
        .mark_point(filled=True, size=110, opacity=0.95)
        .encode(
            x=alt.X(
                "amplification:Q", title="pages written per page of the load", scale=alt.Scale(domainMin=1)
            ),
            y=alt.Y("load:N", title=None, sort=list(dict.fromkeys(each["load"] for each in values))),
            color=_colours(names),
            shape=alt.Shape(
                "scheme:N",
                sort=names,
                title=None,
                scale=alt.Scale(domain=names),
                legend=alt.Legend(orient="top"),
            ),
        )
        .properties(width=520, height=190)
    )
    return _spec(drawn)


def drives_picture(drives: Drives) -> dict[str, Any]:
    """Amplification by spare space, a panel for each load."""
    base = chart_of(drives.records()).encode(
        x=alt.X("spare:Q", title="spare space, %", axis=alt.Axis(values=[int(each[:-1]) for each in SPARE])),
        color=_colours(list(SCHEMES)),
    )
    y = alt.Y("amplification:Q", title=None, scale=alt.Scale(zero=False))
    lines = base.mark_line(point=True).encode(y=y)
    bars = base.mark_rule().encode(y="low:Q", y2="high:Q")
    panels = alt.layer(lines, bars).properties(width=170, height=130)
    faceted = panels.facet(alt.Facet("load:N", title=None, sort=drives.counted), columns=4)
    return _spec(faceted.resolve_scale(y="independent"))


def _colours(names: list[str]) -> alt.Color:
    scale = alt.Scale(domain=names, range=list(PALETTE[: len(names)]))
    return alt.Color("scheme:N", sort=names, title=None, scale=scale, legend=alt.Legend(orient="top"))


def _spec(drawn: Any) -> dict[str, Any]:
    spec: dict[str, Any] = drawn.configure_axis(labelFontSize=12, titleFontSize=12).to_dict(validate=False)
    return {**spec, "background": "white"}


def draw(spec: dict[str, Any], name: str) -> None:
    """Write a picture to docs/images."""
    import vl_convert

    picture = vl_convert.vegalite_to_png(json.dumps(spec), scale=1.5)
    (ROOT / "docs" / "images" / f"{name}.png").write_bytes(picture)


def render() -> str:
    """The page."""
    template = environment().from_string((FOLDER / "page.md.j2").read_text(encoding="utf-8"))
    drives = Drives() if FIGURES.exists() else None
    return template.render(equal=len(witnessed()), table=log_table(), drives=drives)


def main() -> None:
    """Write page and pictures."""
    draw(log_picture(), "placement-log")
    if FIGURES.exists():
        draw(drives_picture(Drives()), "placement-drives")
    PAGE.write_text(wrapped(render()), encoding="utf-8")


if __name__ == "__main__":
    main()
