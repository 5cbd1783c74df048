"""docs/placement.md and its picture from stored figures: no result in it is typed. `make placement`."""

from __future__ import annotations

import csv
from collections import defaultdict
from typing import Any

import altair as alt

from network_study.page import wrapped
from network_study.pictures import draw, on_white
from network_study.study import ROOT
from placement_study.bounded import PAIR, VARIED
from placement_study.bounded import STORED as BOUNDED
from placement_study.loads import MIDAS_WRITES
from reclaim.charts import PALETTE, Records, dots
from reclaim.paper.page import environment
from reclaim.report.document import Table
from reclaim.report.forms import markdown_of

FOLDER = ROOT / "studies" / "placement"
PAGE = ROOT / "docs" / "placement.md"
WITNESS = FOLDER / "sepbit-program.csv"
"""Pages written by the program that SepBIT was published with."""
MIDAS_WITNESS = FOLDER / "midas-program.csv"
"""Pages written by the program that MiDAS was published with."""
SCHEMES = {
    "NoSep": "no separation",
    "SepGC": "SepGC",
    "DAC": "DAC",
    "SepBIT": "SepBIT",
    "FK": "future knowledge",
}
"""Schemes of that program that are here, too."""
SHOWN = "cost-benefit"
"""Victims of the picture: those of most experiments of the paper."""


def witnessed() -> Records:
    """What that program and the log here wrote, by load, victim policy and scheme."""
    with WITNESS.open() as lines:
        return [
            {
                "load": row["trace"],
                "victim": row["victim"],
                "scheme": SCHEMES[row["scheme"]],
                "amplification": int(row["pages_written"]) / int(row["user_pages"]),
            }
            for row in csv.DictReader(lines)
            if row["scheme"] in SCHEMES
        ]


def midas_witnessed() -> list[dict[str, str]]:
    """What the program of MiDAS and the log here wrote, by load, number of writes and victim policy."""
    with MIDAS_WITNESS.open() as lines:
        return list(csv.DictReader(lines))


def bounded_amplification() -> dict[str, dict[str, float]]:
    """Write amplification in a bounded log under one victim policy, by load and scheme."""
    with BOUNDED.open() as lines:
        rows = list(csv.DictReader(lines))
    rows += [{**row, "scheme": "MiDAS"} for row in midas_witnessed() if int(row["writes"]) == MIDAS_WRITES]
    found: dict[str, dict[str, float]] = defaultdict(dict)
    for row in rows:
        if row["victim"] == SHOWN:
            found[row["trace"]][row["scheme"]] = int(row["pages_written"]) / int(row["user_pages"])
    return found


def bounded() -> str:
    """Write amplification in a bounded log, a row for each load."""
    names = [*SCHEMES, "MiDAS"]
    rows = [[load, *(f"{of[name]:.2f}" for name in names)] for load, of in bounded_amplification().items()]
    return markdown_of(Table(["load", *SCHEMES.values(), "MiDAS"], rows))


def midas_over_sepbit() -> dict[tuple[str, ...], float]:
    """What MiDAS writes over what SepBIT writes, by load, further seed, spare share and victims."""
    written: dict[tuple[str, ...], dict[str, int]] = defaultdict(dict)
    with VARIED.open() as lines:
        for row in csv.DictReader(lines):
            place = row["trace"], row["further"], row["spare"], row["victim"]
            written[place][row["scheme"]] = int(row["pages_written"])
    first, second = PAIR
    return {place: of[second] / of[first] for place, of in written.items()}


APART = 0.05
"""By which share two counts of pages must differ to count as fewer or more."""


def compared() -> dict[str, Any]:
    """Where either of the two writes less, by load, and how far they are apart."""
    ratios = midas_over_sepbit()
    fewer = [place for place, ratio in ratios.items() if ratio <= 1 - APART]
    more = [place for place, ratio in ratios.items() if ratio >= 1 + APART]

    def case(place: tuple[str, ...]) -> str:
        return f"{ratios[place]:.2f} ({place[0]}, {float(place[2]):.0%} spare, {place[3]})".replace("%", " %")

    rows = []
    for load in dict.fromkeys(place[0] for place in ratios):
        of = [ratio for place, ratio in ratios.items() if place[0] == load]
        counts = [sum(place[0] == load for place in places) for places in (fewer, more)]
        rows.append([load, f"{min(of):.2f} to {max(of):.2f}", *(f"{count} of {len(of)}" for count in counts)])
    return {
        "table": markdown_of(Table(["load", "ratio", "fewer", "more"], rows)),
        "fewer": len(fewer),
        "more": len(more),
        "under_greedy": sum(place[3] == "greedy" for place in fewer),
        "least": case(min(ratios, key=ratios.__getitem__)),
        "most": case(max(ratios, key=ratios.__getitem__)),
    }


def table() -> str:
    """Write amplification, a row for each load and victim policy."""
    found: dict[tuple[str, str], dict[str, float]] = defaultdict(dict)
    for each in witnessed():
        found[each["load"], each["victim"]][each["scheme"]] = each["amplification"]
    rows = [[*place, *(f"{of[name]:.2f}" for name in SCHEMES.values())] for place, of in found.items()]
    return markdown_of(Table(["load", "victims", *SCHEMES.values()], rows))


def picture() -> dict[str, Any]:
    """Write amplification under one victim policy, a row for each load."""
    values = [each for each in witnessed() if each["victim"] == SHOWN]
    names, loads = list(SCHEMES.values()), list(dict.fromkeys(each["load"] for each in values))
    told = alt.Legend(orient="top")
    drawn = dots(
        values,
        size=110,
        x=alt.X(
            "amplification:Q",
            title="pages written per page of the load",
            scale=alt.Scale(domain=[1, 5]),
            axis=alt.Axis(tickCount=4),
        ),
        y=alt.Y("load:N", title=None, sort=loads),
        color=alt.Color(
            "scheme:N",
            sort=names,
            title=None,
            scale=alt.Scale(domain=names, range=list(PALETTE[: len(names)])),
            legend=told,
        ),
        shape=alt.Shape("scheme:N", sort=names, title=None, scale=alt.Scale(domain=names), legend=told),
    ).properties(width=520, height=190)
    return on_white(drawn.configure_axis(labelFontSize=12, titleFontSize=12))


def render() -> str:
    """The page."""
    template = environment().from_string((FOLDER / "page.md.j2").read_text(encoding="utf-8"))
    return wrapped(
        template.render(
            equal=len(witnessed()),
            table=table(),
            midas=len(midas_witnessed()),
            bounded=bounded(),
            of_midas=compared(),
        )
    )


def main() -> None:
    """Write page and picture."""
    draw(picture(), "placement-log")
    PAGE.write_text(render(), encoding="utf-8")


if __name__ == "__main__":
    main()
