"""An ablation as a document: what each metric is made of, part by part."""

from __future__ import annotations

from collections.abc import Sequence

from reclaim.bench.values import value_text
from reclaim.instruments.ablation.ablation import Ablation
from reclaim.instruments.ablation.plots import waterfall
from reclaim.instruments.ablation.result import OfMetric, Taken
from reclaim.instruments.ablation.tables import notes, notes_of, pairs, rows
from reclaim.report.document import (
    Cell,
    Chart,
    Column,
    Document,
    Fold,
    Note,
    Notes,
    Section,
    Table,
    Text,
    again,
)
from reclaim.results.sets.metrics import describe

PICTURES = "waterfall-"
"""How the names of the charts begin; the metric follows."""
MOST_WORKLOADS = 12
"""Workloads that have a chart of their own."""
HEAD: tuple[str | Column, ...] = (
    "part",
    *(
        Column(name, right=True)
        for name in ("share", "95 % interval", "factor", "of the total", "alone", "all but it")
    ),
)
"""Of the table of a metric: shares and gains are in log units."""
WHY = "what runs say of the metric; the notes have it"


def document(found: Ablation) -> Document:
    """Give the conclusions first, then what they are drawn from."""
    plan = found.plan
    name, origin, target = plan.experiment.name, plan.entry.origin, plan.entry.target
    workloads = [each.workload.label() for each in plan.usable()]
    several = "" if len(workloads) == 1 else "s"
    ran = f"{len(plan.subsets)} drives on {len(workloads)} workload{several}: {'; '.join(workloads)}."
    return Document(
        f"{name}, ablation",
        [
            *(Text(each.told) for each in found.metrics),
            Notes([Note(each) for each in notes(found)], "notes"),
            *(_section(found, each) for each in found.metrics),
            Section(
                "The parts",
                [
                    Table(
                        ("", ""),
                        [(part.name, _settings(found, part.keys)) for part in plan.parts],
                        name="parts",
                        kind="entries",
                    )
                ],
                page=True,
            ),
            again(f"reclaim ablate experiment.toml -o {name}", plan.experiment.text),
            Text(f"{ran} ablation.json has every one of them, with its points.", "caption"),
        ],
        heading=f"{name}: what makes {target} different from {origin}",
    )


def _section(found: Ablation, each: OfMetric) -> Section:
    entry = found.plan.entry
    ends, several = (entry.origin, entry.target), len(each.by_workload) > 1
    count = len(each.overall.workloads)
    of = f"mean of {count} workloads" if count > 1 else "".join(each.overall.workloads)
    repeats = f"{found.repeats} repeat{'' if found.repeats == 1 else 's'}"

    def table(title: str, taken: Taken) -> Table:
        return Table(HEAD, rows(taken, each.mark), title, why=WHY, total=taken.total is not None)

    def panels() -> dict[str, object]:
        """The average, then single workloads."""
        from reclaim.charts import finished, panels_of

        wanted = {"average of the workloads" if several else "": each.overall}
        if several:
            wanted |= dict(list(each.by_workload.items())[:MOST_WORKLOADS])
        charts = (waterfall(taken, each.metric, ends, title) for title, taken in wanted.items())
        parts = [panels_of(finished(chart)) for chart in charts if chart is not None]
        joined = [panel for part in parts for panel in part["panels"]]
        return {"panels": joined, "legend": parts[0]["legend"]} if parts else {}

    return Section(
        describe(each.metric).label,
        [
            Text(
                f"From {ends[0]} to {ends[1]}, part by part, the largest share first: each bar is the "
                "share of a part in the logarithm of the ratio, the last one all of it; the number is its "
                "factor. The line across its end: 95 % interval, where there are six different repeats.",
                "caption",
            ),
            Chart(f"{PICTURES}{each.metric}", lambda: waterfall(each.overall, each.metric, ends), panels),
            Text(
                f"In log units: natural logarithms of the ratio to {ends[0]}, mean of {repeats} and of the "
                "workloads; intervals are of the median. Shares sum to the total. Alone: only this part "
                f"is that of {ends[1]}. All but it: every other part is.",
                "caption",
            ),
            table(f"{describe(each.metric).label}, log units, {of}", each.overall),
            Notes([Note(text) for text in notes_of(found, each)]),
            Fold(
                "What pairs do together beyond what each does without the other",
                [
                    Table(
                        ("pair", "interaction", "95 % interval", "beside subsets of the others"),
                        pairs(each.overall, each.mark),
                        "Pairs: what both do beyond each without the other, log units",
                    )
                ],
                page=False,
            ),
            Fold(
                "Workload by workload",
                [table(label, taken) for label, taken in each.by_workload.items()] if several else [],
            ),
        ],
    )


def _settings(found: Ablation, keys: Sequence[str]) -> Cell:
    """Keys of a part, with the values of both schemes on the first workload on which they differ."""
    told = []
    for key in keys:
        pair = next(
            (each.origin.get(key), each.target.get(key))
            for each in found.plan.usable()
            if each.origin.get(key) != each.target.get(key)
        )
        before, after = ("left out" if each is None else value_text(each) for each in pair)
        told.append(Cell(f"{key}: {before} → {after}"))
    return Cell("", below=tuple(told))
