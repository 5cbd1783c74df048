"""Figures 2, 3 and 5 to 8 and Table III of the paper, of our runs."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt

from reclaim.charts import PALETTE, AnyChart, chart_of
from reclaim.papers.custom import Drawing, Ran
from reclaim.papers.paper import load_paper

from .cells import (
    BASELINE,
    COUPLED,
    FREE,
    MOVED,
    OSPADA,
    PCGC,
    TP,
    WASTED,
    Cells,
    Of,
)

WIDTH, HEIGHT = 680, 200
NAMES = {
    TP: "page by page",
    BASELINE: "Baseline",
    OSPADA: "OSPADA",
    PCGC: "PcGC",
    COUPLED: "CoupledCB",
    FREE: "no odd/even rule",
}
COLOURS = dict(zip(NAMES, PALETTE, strict=False))
KEY, TABLE, ACCURACY = "coupled-copyback", "t3", "accuracy-"
"""The paper, the group of its claims that is Table III, and how our figures beside those are called."""
TICKS = [0, 0.01, 0.03, 0.1, 0.3, 1, 3]
"""Of ratios that are as often a hundredth as one, and sometimes 0."""


def drawings(ran: Ran) -> list[Drawing]:
    """All that the level has data for."""
    cells, blocks = Cells(ran.cells("cells")), Cells(ran.cells("blocks"))
    found: list[Drawing] = []
    if cells.has_all(*NAMES):
        found += _figures(cells)
    if blocks.has_all(BASELINE, PCGC, "1 blocks"):
        found.append(_more_blocks(blocks))
    return found


def _figures(cells: Cells) -> list[Drawing]:
    def ratios(metric: str, schemes: Sequence[str]) -> list[tuple[str, Of]]:
        return [(each, cells.ratio(metric, each, BASELINE)) for each in schemes]

    four = (BASELINE, OSPADA, PCGC, COUPLED)
    five = (*four, FREE)
    waits = [(each, cells.latency_ratio(each, BASELINE)) for each in five]
    tails = ratios("write_p99_99_ns", five)
    return [
        Drawing(
            "Figures 2 and 5: wasted pages",
            "Pages left empty by the odd/even rule, over those of Baseline; page by page is Figure 2's other "
            "bar. Bars are medians of the repeats, none for a scheme without waste. The axis is about "
            "logarithmic.",
            _bars(cells, ratios(WASTED, (TP, *four)), "wasted pages / Baseline's", spread=True),
        ),
        Drawing(
            "Figure 6: pages moved",
            "Pages that collection programs, those moved ahead from coupled blocks included, over those of "
            "Baseline. Without the rule nothing is wasted: the bound of any scheme.",
            _bars(cells, ratios(MOVED, five), "pages moved / Baseline's"),
        ),
        Drawing(
            "Figure 7: mean latency",
            "Over reads and writes. The axis is about logarithmic.",
            _bars(cells, waits, "mean latency / Baseline's", spread=True),
        ),
        Drawing(
            "Figure 8: latency of one write in 10,000",
            "Percentile 99.99 of writes, which are most requests.",
            _bars(cells, tails, "p99.99 of writes / Baseline's"),
        ),
        Drawing(
            "Table III: accuracy",
            "Pages moved ahead that the host left alone until their block was collected: the median of the "
            "repeats with its interval, and the printed figure. The axis does not begin at 0.",
            _accuracies(cells),
        ),
    ]


def _bars(cells: Cells, series: Sequence[tuple[str, Of]], what: str, *, spread: bool = False) -> AnyChart:
    rows = [
        {"workload": name, "scheme": NAMES[scheme], "value": cells.one(of, name).value}
        for scheme, of in series
        for name in cells.workloads
    ]
    shown = [NAMES[scheme] for scheme, _ in series]
    colours = [COLOURS[scheme] for scheme, _ in series]
    return (
        chart_of(rows, width=WIDTH, height=HEIGHT)
        .mark_bar()
        .encode(
            x=alt.X("workload:N", sort=cells.workloads, title=None, axis=alt.Axis(labelAngle=0)),
            xOffset=alt.XOffset("scheme:N", sort=shown),
            y=_near_zero(what) if spread else alt.Y("value:Q", title=what),
            color=alt.Color("scheme:N", scale=alt.Scale(domain=shown, range=colours), title=None),
            tooltip=["workload:N", "scheme:N", alt.Tooltip("value:Q", format=".4g")],
        )
    )


def _near_zero(what: str) -> alt.Y:
    """An axis on which a hundredth is seen, and 0 is at the foot."""
    scale = alt.Scale(type="symlog", constant=0.01)
    return alt.Y("value:Q", title=what, scale=scale, axis=alt.Axis(values=TICKS, format="~g"))


def printed_accuracies() -> dict[str, float]:
    """Table III by workload, and its mean, %."""
    claims = [each for each in load_paper(KEY).expected.claims if each.group == TABLE]
    return {each.figure.removeprefix(ACCURACY): float(each.value) for each in claims}


def _accuracies(cells: Cells) -> AnyChart:
    rows = []
    of_table = printed_accuracies()
    for name in cells.workloads:
        ours = cells.one(cells.accuracy, name)
        low, high = ours.interval
        rows.append({"workload": name, "who": "ours", "value": ours.value, "low": low, "high": high})
        printed = of_table[name]
        rows.append({"workload": name, "who": "printed", "value": printed, "low": printed, "high": printed})
    who = alt.Scale(domain=["ours", "printed"], range=[COLOURS[COUPLED], "#555555"])
    base = chart_of(rows, width=WIDTH, height=HEIGHT).encode(
        x=alt.X("workload:N", sort=cells.workloads, title=None, axis=alt.Axis(labelAngle=0)),
        color=alt.Color("who:N", scale=who, title=None),
    )
    accuracy = alt.Y("value:Q", title="%", scale=alt.Scale(zero=False, nice=True))
    tooltip = ["workload:N", "who:N", alt.Tooltip("value:Q", format=".4g")]
    points = base.mark_point(filled=True, size=90, opacity=1).encode(
        y=accuracy,
        shape=alt.Shape("who:N", scale=alt.Scale(domain=["ours", "printed"]), title=None),
        tooltip=tooltip,
    )
    intervals = base.mark_rule().encode(y=alt.Y("low:Q", title="%"), y2="high:Q")
    return alt.layer(intervals, points)


def _more_blocks(cells: Cells) -> Drawing:
    schemes = {BASELINE: "none", **{f"{each} blocks": str(each) for each in range(1, 5)}, PCGC: "PcGC"}
    rows = [
        {
            "workload": name,
            "blocks": label,
            "value": cells.one(cells.ratio(WASTED, scheme, BASELINE), name).value,
        }
        for scheme, label in schemes.items()
        for name in cells.workloads
    ]
    chart = (
        chart_of(rows, width=WIDTH, height=HEIGHT)
        .mark_bar()
        .encode(
            x=alt.X(
                "blocks:N", sort=list(schemes.values()), title="blocks that help", axis=alt.Axis(labelAngle=0)
            ),
            xOffset=alt.XOffset("workload:N", sort=cells.workloads),
            y=_near_zero("wasted pages / Baseline's"),
            color=alt.Color(
                "workload:N", scale=alt.Scale(domain=cells.workloads, range=list(PALETTE)), title=None
            ),
            tooltip=["workload:N", "blocks:N", alt.Tooltip("value:Q", format=".4g")],
        )
    )
    return Drawing(
        "Figure 3: more blocks that help",
        "Pages of the victim in their order, every hole filled from so many blocks with the fewest valid "
        "pages, all of them admitted; PcGC beside them.",
        chart,
    )
