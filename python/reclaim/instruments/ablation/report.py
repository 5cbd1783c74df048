"""An ablation as a document: what each metric is made of, part by part."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from reclaim.bench.values import value_text
from reclaim.charts import finished, panels_of
from reclaim.instruments.ablation.ablation import Ablation
from reclaim.instruments.ablation.plots import waterfall
from reclaim.instruments.ablation.result import OfMetric, Taken
from reclaim.instruments.ablation.tables import notes, notes_of, pairs, rows
from reclaim.report.document import (
    Block,
    Cell,
    Chart,
    Document,
    Fold,
    Notes,
    Table,
    Text,
    Title,
    again,
    figures_of,
)
from reclaim.results.sets.metrics import describe

PICTURES = "waterfall-"
"""How the names of the charts begin; the metric follows."""
MOST_WORKLOADS = 12
"""Workloads that have a chart of their own."""
HEAD = figures_of("part", ("share", "95 % interval", "factor", "of the total", "alone", "all but it"))
"""Of the table of a metric: shares and gains are in log units."""
PAIRS = ("pair", "interaction, log units", "95 % interval", "beside subsets of the others")
WHY = "what runs say of the metric; the notes have it"


def document(found: Ablation) -> Document:
    """Give the conclusions first, then what they are drawn from."""
    plan = found.plan
    name, origin, target = plan.experiment.name, plan.entry.baseline, plan.entry.candidate
    workloads = [each.workload.label() for each in plan.usable()]
    several = "" if len(workloads) == 1 else "s"
    parts = [(part.name, _settings(found, part.keys)) for part in plan.parts]
    blocks = [
        *(Text(each.told) for each in found.metrics),
        Notes(notes(found), "notes"),
        *(block for each in found.metrics for block in _blocks(found, each)),
        Title("The parts", page=True),
        Table(("", ""), parts, name="parts", kind="entries"),
        *again(f"reclaim ablate experiment.toml -o {name}", plan.experiment.text),
        (
            f"{len(plan.subsets)} drives on {len(workloads)} workload{several}: {'; '.join(workloads)}. "
            "ablation.json has every one of them, with its points."
        ),
    ]
    return Document(
        f"{name}, ablation", blocks, heading=f"{name}: what makes {target} different from {origin}"
    )


def _blocks(found: Ablation, each: OfMetric) -> list[Block]:
    """Give the section of a metric."""
    origin, target = found.plan.entry.baseline, found.plan.entry.candidate
    label, count = describe(each.metric).label, len(each.overall.workloads)
    of = f"mean of {count} workloads" if count > 1 else "".join(each.overall.workloads)
    repeats = f"{found.repeats} repeat{'' if found.repeats == 1 else 's'}"
    by_workload = each.by_workload if len(each.by_workload) > 1 else {}

    def drawn(taken: Taken, title: str = "") -> Any:
        return waterfall(taken, each.metric, (origin, target), title)

    def table(title: str, taken: Taken) -> Table:
        return Table(HEAD, rows(taken, each.mark), title, why=WHY, total=taken.total is not None)

    def panels() -> dict[str, Any] | None:
        """The average, then single workloads."""
        wanted = {"average of the workloads" if by_workload else "": each.overall}
        wanted |= dict(list(by_workload.items())[:MOST_WORKLOADS])
        charts = (drawn(taken, title) for title, taken in wanted.items())
        split = [panels_of(finished(chart)) for chart in charts if chart is not None]
        joined = [panel for part in split for panel in part["panels"]]
        return {"panels": joined, "legend": split[0]["legend"]} if split else None

    pairs_of = Table(
        PAIRS, pairs(each.overall, each.mark), "Pairs: what both do beyond each without the other"
    )
    return [
        Title(label),
        (
            f"From {origin} to {target}, part by part, the largest share first: each bar is the share of a "
            "part in the logarithm of the ratio, the last one all of it; the number is its factor. The "
            "line across its end: 95 % interval, where there are six different repeats."
        ),
        Chart(f"{PICTURES}{each.metric}", lambda: drawn(each.overall), panels),
        (
            f"In log units: natural logarithms of the ratio to {origin}, mean of {repeats} and of the "
            "workloads; intervals are of the median. Shares sum to the total. Alone: only this part is "
            f"that of {target}. All but it: every other part is."
        ),
        table(f"{label}, log units, {of}", each.overall),
        Notes(notes_of(found, each)),
        Fold("What pairs do together beyond what each does without the other", [pairs_of], page=False),
        Fold("Workload by workload", [table(title, taken) for title, taken in by_workload.items()]),
    ]


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
