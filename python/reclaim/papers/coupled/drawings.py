"""Figures 2, 3 and 5 to 8 and Table III of the paper, of our runs."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt

from reclaim.charts import PALETTE, AnyChart, chart_of
from reclaim.papers.coupled.cells import (
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
from reclaim.papers.custom import Drawing, Ran

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


def drawings(ran: Ran) -> list[Drawing]:
    """All that the level has data for."""
    cells, blocks = Cells(ran.cells("cells")), Cells(ran.cells("blocks"))
    found: list[Drawing] = []
    if cells.has(*NAMES):
        found += _figures(cells)
    if blocks.has(BASELINE, PCGC, "1 blocks"):
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
            "bar. Bars are medians of the repeats.",
            _bars(cells, ratios(WASTED, (TP, *four)), "wasted pages / Baseline's"),
        ),
        Drawing(
            "Figure 6: pages moved",
            "Pages that collection programs, those moved ahead from coupled blocks included, over those of "
            "Baseline. Without the rule nothing is wasted: the bound of any scheme.",
            _bars(cells, ratios(MOVED, five), "pages moved / Baseline's"),
        ),
        Drawing(
            "Figure 7: mean latency",
            "Over reads and writes.",
            _bars(cells, waits, "mean latency / Baseline's"),
        ),
        Drawing(
            "Figure 8: latency of one write in 10,000",
            "Percentile 99.99 of writes, which are most requests.",
            _bars(cells, tails, "p99.99 of writes / Baseline's"),
        ),
        Drawing(
            "Table III: accuracy",
            "Pages moved ahead that the host left alone until their block was collected.",
            _bars(cells, [(COUPLED, cells.accuracy)], "%"),
        ),
    ]


def _bars(cells: Cells, series: Sequence[tuple[str, Of]], what: str) -> AnyChart:
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
            y=alt.Y("value:Q", title=what),
            color=alt.Color("scheme:N", scale=alt.Scale(domain=shown, range=colours), title=None),
            tooltip=["workload:N", "scheme:N", alt.Tooltip("value:Q", format=".4g")],
        )
    )


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
            y=alt.Y("value:Q", title="wasted pages / Baseline's"),
            color=alt.Color("workload:N", scale=alt.Scale(range=list(PALETTE)), title=None),
            tooltip=["workload:N", "blocks:N", alt.Tooltip("value:Q", format=".4g")],
        )
    )
    return Drawing(
        "Figure 3: more blocks that help",
        "Pages of the victim in their order, every hole filled from so many blocks with the fewest valid "
        "pages, all of them admitted; PcGC beside them.",
        chart,
    )
