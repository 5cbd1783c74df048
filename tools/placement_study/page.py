"""docs/placement.md and its picture from stored figures: no result in it is typed. `make placement`."""

from __future__ import annotations

import csv
from collections import Counter, defaultdict
from statistics import median
from typing import Any

import altair as alt

from network_study.page import wrapped
from network_study.pictures import draw, on_white
from network_study.study import ROOT
from placement_study.bounded import PAIR, VARIED
from placement_study.drives import BLOCK, DRIVES, GREEDY, SIZES, SPARE, SPARE_LOADS, SPARES, STEPS, SUITE
from placement_study.loads import PAGES
from reclaim.charts import PALETTE, Records, chart_of, dots
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
    "ETI": "ETI",
    "SFR": "SFR",
    "FADaC": "FADaC",
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

    return {
        "cases": len(ratios),
        "fewer": len(fewer),
        "more": len(more),
        "under_greedy": sum(place[3] == "greedy" for place in fewer),
        "least": case(min(ratios, key=ratios.__getitem__)),
        "most": case(max(ratios, key=ratios.__getitem__)),
    }


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


OPEN = {"NoSep": 1, "SepGC": 2, "DAC": 12, "SepBIT": 6, "ETI": 3, "SFR": 6, "FADaC": 12, "FK": 12}
"""Blocks that each scheme keeps open in a plane."""


def on_drives() -> list[dict[str, str]]:
    """What was measured on drives, and in the log beside them."""
    with DRIVES.open() as lines:
        return list(csv.DictReader(lines))


def by_step(pages: int = PAGES) -> dict[str, dict[tuple[str, str], list[float]]]:
    """Amplification over that of one plane, by scheme and step: one for each load and kind of victims."""
    found: dict[tuple[str, ...], dict[tuple[str, str], float]] = defaultdict(dict)
    for row in on_drives():
        if float(row["spare"]) == SPARE and row["pages"] == str(pages):
            place = row["scheme"], row["load"], row["victim"]
            found[place][row["planes"], row["block"]] = float(row["amplification"] or "nan")
    one = (str(STEPS[1][0]), str(STEPS[1][1]))
    ratios: dict[str, dict[tuple[str, str], list[float]]] = defaultdict(lambda: defaultdict(list))
    for (scheme, *_), of in found.items():
        for step, value in of.items():
            ratios[scheme][step].append(value / of[one])
    return ratios


def steps() -> str:
    """What each step from the log to the drive changes, a row for each scheme."""
    rows = []
    for scheme, of in by_step().items():
        ratios = [median(of[planes, block]) - 1 for planes, block in of if (planes, block) != ("1", "64")]
        changes = [
            f"{ratio:+.0%}".replace("%", " %").replace("-0 %", "0 %").replace("+0 %", "0 %")
            for ratio in ratios
        ]
        rows.append([SCHEMES[scheme], str(OPEN[scheme]), *changes])
    head = ["scheme", "open blocks of a plane", "log", "4 planes", "16 planes", "superblocks of 16 planes"]
    return markdown_of(Table(head, rows))


def by_spare(load: str, pages: int = PAGES) -> Records:
    """Median amplification by scheme and spare share, and the least and the most of all seeds."""
    found: dict[tuple[str, float], list[float]] = defaultdict(list)
    for row in on_drives():
        share = float(row["spare"])
        is_asked = (row["load"], row["pages"]) == (load, str(pages))
        if share in SPARES and is_asked and row["amplification"]:
            found[row["scheme"], share].append(float(row["amplification"]))
    return [
        {
            "load": load,
            "scheme": SCHEMES[scheme],
            "spare": share,
            "amplification": median(of),
            "least": min(of),
            "most": max(of),
        }
        for (scheme, share), of in found.items()
    ]


def of_future(pages: int) -> str:
    """What 16 planes cost future knowledge, beside one."""
    return _percent(median(by_step(pages)["FK"]["16", str(BLOCK)]) - 1)


def writes_more(first: str, second: str, pages: int, spare: float) -> list[str]:
    """The loads of the picture on which one scheme writes more than another."""
    found = {
        load: {row["scheme"]: row["amplification"] for row in by_spare(load, pages) if row["spare"] == spare}
        for load in SPARE_LOADS
    }
    return [load for load, of in found.items() if of[SCHEMES[first]] > of[SCHEMES[second]]]


def _percent(share: float) -> str:
    return f"{share:.0%}".replace("%", " %")


def lines() -> dict[str, Any]:
    """The picture of amplification by spare share: a panel for each load, a line for each scheme."""
    names, values = list(SCHEMES.values()), [each for load in SPARE_LOADS for each in by_spare(load)]
    across = alt.X(
        "spare:Q",
        title="spare pages, as a share of the host's",
        scale=alt.Scale(type="log", domain=[SPARES[0], SPARES[-1]]),
        axis=alt.Axis(format="%", values=list(SPARES)),
    )
    colour = alt.Color(
        "scheme:N",
        sort=names,
        title=None,
        scale=alt.Scale(domain=names, range=list(PALETTE[: len(names)])),
        legend=alt.Legend(orient="top", columns=4),
    )
    up = alt.Y(
        "amplification:Q",
        title="pages written per page of the load",
        scale=alt.Scale(type="log", domain=[1.1, 12], nice=False),
        axis=alt.Axis(values=[1.2, 1.5, 2, 3, 4, 6, 8, 12]),
    )
    drawn, size = alt.Chart().encode(x=across, color=colour), {"width": 240, "height": 360}
    seeds = drawn.mark_rule(strokeWidth=5, opacity=0.4).encode(y="least:Q", y2="most:Q")
    both = alt.layer(drawn.mark_line(point=True).encode(y=up), seeds, data=chart_of(values).data)
    facets = both.properties(**size).facet(column=alt.Column("load:N", title=None, sort=list(SPARE_LOADS)))
    return on_white(facets.configure_axis(labelFontSize=12, titleFontSize=12))


def on_suite() -> dict[str, dict[str, list[float]]]:
    """Amplification on the workloads of `reclaim judge`: of each scheme, one for each repeat."""
    found: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    with SUITE.open() as rows:
        for row in csv.DictReader(rows):
            found[row["trace"]][row["scheme"]].append(float(row["amplification"]))
    return found


def suite() -> str:
    """The least and the most of repeats, a row for each workload."""
    told = {GREEDY: "greedy, no separation", **SCHEMES}
    stored = on_suite()
    names = [name for name in told if all(name in of for of in stored.values())]
    rows = [
        [trace, *(f"{min(of[name]):.2f}–{max(of[name]):.2f}" for name in names)]
        for trace, of in stored.items()
    ]
    return markdown_of(Table(["workload", *(told[name] for name in names)], rows))


def least() -> Counter[str]:
    """On how many workloads each scheme writes least, by the median of repeats, future knowledge aside."""
    found: Counter[str] = Counter()
    for of in on_suite().values():
        medians = {name: median(of[name]) for name in SCHEMES if name != "FK"}
        found[min(medians, key=medians.__getitem__)] += 1
    return found


def render() -> str:
    """The page."""
    template = environment().from_string((FOLDER / "page.md.j2").read_text(encoding="utf-8"))
    return wrapped(
        template.render(
            equal=len(witnessed()),
            midas=len(midas_witnessed()),
            of_midas=compared(),
            steps=steps(),
            suite=suite(),
            least=least(),
            workloads=len(on_suite()),
            step_spare=_percent(SPARE),
            least_spare=_percent(SPARES[0]),
            most_spare=_percent(SPARES[-1]),
            large_fk=of_future(SIZES[-1]),
            usual_fk=of_future(PAGES),
            small_more=" and ".join(
                f"*{load}*" for load in writes_more("FADaC", "ETI", SIZES[0], SPARES[-1])
            ),
        )
    )


def main() -> None:
    """Write page and picture."""
    draw(picture(), "placement-log")
    draw(lines(), "placement-spare")
    PAGE.write_text(render(), encoding="utf-8")


if __name__ == "__main__":
    main()
