"""The page of an ablation, one HTML file that opens offline, and its charts as PNG."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reclaim import output_file
from reclaim.bench.values import value_text
from reclaim.charts import finished, panels_of
from reclaim.html import inline_json, render_page
from reclaim.instruments.ablation.ablation import Ablation
from reclaim.instruments.ablation.plots import waterfall
from reclaim.instruments.ablation.result import OfMetric
from reclaim.instruments.ablation.tables import HEAD, notes, notes_of, pairs, rows
from reclaim.pictures import write_pngs
from reclaim.results.sets.metrics import describe
from reclaim.results.verdict import legend_of

PAGE = "report.html"
PICTURES = "waterfall-"
"""How the names of the charts begin; the metric and .png follow."""
MOST_WORKLOADS = 12
"""Workloads that have a chart of their own."""


@dataclass(frozen=True)
class Section:
    """What the page has of a metric."""

    metric: str
    label: str
    conclusion: str
    rows: list[tuple[str, ...]]
    pairs: list[tuple[str, ...]]
    notes: list[str]
    figure: str
    """Name of its chart; empty where there is none."""
    workloads: list[tuple[str, list[tuple[str, ...]]]]


def _chart(found: Ablation, each: OfMetric) -> dict[str, Any] | None:
    """The specification of the chart of the average over workloads; None without shares."""
    ends = (found.plan.entry.origin, found.plan.entry.target)
    drawn = waterfall(each.overall, each.metric, ends)
    return None if drawn is None else finished(drawn)


def _panels(found: Ablation, each: OfMetric) -> list[dict[str, Any]]:
    """The average, then single workloads, as panels of the page."""
    ends = (found.plan.entry.origin, found.plan.entry.target)
    several = len(each.by_workload) > 1
    wanted = {"average of the workloads" if several else "": each.overall}
    if several:
        wanted |= dict(list(each.by_workload.items())[:MOST_WORKLOADS])
    drawn = [waterfall(taken, each.metric, ends, title) for title, taken in wanted.items()]
    return [panels_of(finished(chart)) for chart in drawn if chart is not None]


def render(found: Ablation) -> str:
    """HTML of the page."""
    plan = found.plan
    specs: dict[str, Any] = {}
    sections = []
    for number, each in enumerate(found.metrics):
        parts = _panels(found, each)
        name = f"waterfall-{number}" if parts else ""
        if parts:
            panels = [panel for part in parts for panel in part["panels"]]
            specs[name] = {"panels": panels, "legend": parts[0]["legend"]}
        sections.append(
            Section(
                each.metric,
                describe(each.metric).label,
                each.told,
                rows(each.overall, each.mark),
                pairs(each.overall, each.mark),
                notes_of(found, each),
                name,
                [(label, rows(taken, each.mark)) for label, taken in each.by_workload.items()]
                if len(each.by_workload) > 1
                else [],
            )
        )
    return render_page(
        "ablation.html.j2",
        name=plan.experiment.name,
        origin=plan.entry.origin,
        target=plan.entry.target,
        sections=sections,
        notes=notes(found),
        legend=legend_of(each.mark for each in found.metrics),
        head=HEAD,
        parts=[(part.name, _settings(found, part.keys)) for part in plan.parts],
        workloads=[each.workload.label() for each in plan.usable()],
        repeats=found.repeats,
        subsets=len(plan.subsets),
        experiment=plan.experiment.text,
        specs=inline_json(specs),
    )


def _settings(found: Ablation, keys: tuple[str, ...]) -> list[tuple[str, str, str]]:
    """Keys of a part, with the values of both schemes on the first workload on which they differ."""
    told = []
    for key in keys:
        pair = next(
            (each.origin.get(key), each.target.get(key))
            for each in found.plan.usable()
            if each.origin.get(key) != each.target.get(key)
        )
        before, after = ("left out" if each is None else value_text(each) for each in pair)
        told.append((key, before, after))
    return told


def write_report(found: Ablation, path: Path) -> Path:
    """Write the page to a file and return its path.

    Raises:
        InputError: if it cannot be written, or is there and Reclaim did not draw it.
    """
    output_file.check_page(path)
    output_file.write_text(path, render(found))
    return path


def write_pictures(found: Ablation, folder: Path) -> None:
    """Write the chart of every metric that has one as PNG; none under a limit of memory that is too low.

    Raises:
        InputError: if one cannot be written.
    """
    drawn = ((f"{PICTURES}{each.metric}", _chart(found, each)) for each in found.metrics)
    write_pngs({name: chart for name, chart in drawn if chart is not None}, folder)
