"""The report of a set as a document."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from reclaim.errors import InputError
from reclaim.parsing import leaves
from reclaim.report.document import (
    Block,
    Cell,
    Column,
    Document,
    Fold,
    Notes,
    Source,
    Table,
    Text,
    Title,
    again,
)
from reclaim.report.html import write
from reclaim.report.ratios import answer_of_pairs, beginning
from reclaim.result.folding import ALIKE
from reclaim.result.opening import INCONCLUSIVE, LOOK
from reclaim.result.sets.axis_scale import name_of
from reclaim.result.sets.comparisons import PairedComparison, comparisons, experiment_file, names_of
from reclaim.result.sets.measured import MeasuredSet
from reclaim.result.sets.opening import compared as compared_with_first
from reclaim.result.sets.opening import opening
from reclaim.result.sets.remarks import level_counts, level_of, named, remarks
from reclaim.result.sets.report_figures import FIRST, ReportFigure, drawn_axes, figures
from reclaim.result.sets.report_tables import (
    MOST_SETTINGS,
    folded,
    in_sight,
    legend,
    not_collected,
    settings,
    tables,
)
from reclaim.result.sets.selection import at_first, values

LEVELS_OF_POINTS = {
    "trustworthy": "trustworthy",
    "not-established": "with inconclusive figures",
    "not-trustworthy": "not trustworthy",
}
MOST_NAMED = 3
"""Perturbations that are listed."""
MOST_SURVEYED = 200
"""Points whose configuration is compared."""


LEVELS = {
    "trustworthy": "No check speaks against these results.",
    "not-established": INCONCLUSIVE,
    "not-trustworthy": "Do not rely on all of these results yet.",
}
GRAVE = ("failure", "warning")


def differences(results: MeasuredSet) -> list[tuple[str, Cell]]:
    """Settings in which the points differ, and which have which value; repeats are of one configuration."""
    first = results.points.filter(results.points["repeat"] == results.points["repeat"].min())
    found: dict[str, dict[str, list[str]]] = {}
    shown = first.head(MOST_SURVEYED)
    columns = ["trace", "scheme", *results.axes]
    if shown["device"].n_unique() > 1:
        columns.insert(0, "device")
    for row in shown.iter_rows(named=True):
        try:
            config = results.results(row["point"]).to_dict()["config"]
        except InputError:
            return []
        for keys, value in leaves(config):
            text = value if isinstance(value, str) else json.dumps(value)
            found.setdefault(".".join(keys), {}).setdefault(text, []).append(row["point"])
    differing = []
    for key, by_value in found.items():
        if len(by_value) == 1 and len(next(iter(by_value.values()))) == shown.height:
            continue
        told = []
        for value, ids in by_value.items():
            points = shown.filter(shown["point"].is_in(ids))
            parts = [
                (f"{column} = {text}" if column in results.axes else text)
                for column in columns
                if column != key
                and (text := named(values(points, column), column, shown[column].drop_nulls().n_unique()))
            ]
            told.append(Cell(value, beside=", ".join(parts)))
        differing.append((key, Cell("", below=tuple(told))))
    return differing


def _what_ran(results: MeasuredSet) -> list[tuple[str, str]]:
    points = results.points
    perturbations = [each for each in values(points, "perturbation") if each]
    repeats = points["repeat"].n_unique()
    told = ", ".join([*perturbations[:MOST_NAMED], *(["…"] if len(perturbations) > MOST_NAMED else [])])
    entries = [
        ("devices", ", ".join(values(points, "device"))),
        ("traces", ", ".join(values(points, "trace"))),
        ("schemes", ", ".join(values(points, "scheme"))),
        *((f"axis {axis}", ", ".join(values(points, axis))) for axis in results.axes),
        ("repeats", str(repeats) + (f" ({told})" if told else "")),
        ("points", f"{len(results)}" + (f", {len(results.failures)} failed" if results.failures else "")),
        (
            "verdicts",
            ", ".join(f"{count} {LEVELS_OF_POINTS[level]}" for level, count in level_counts(results).items()),
        ),
        ("made by", f"Reclaim {', '.join(values(points, 'reclaim_version'))}"),
    ]
    return [(label, text) for label, text in entries if text]


def _config(results: MeasuredSet) -> str:
    """The configuration of the first point; empty where it cannot be read."""
    try:
        return results.results(str(results.points["point"].item(0))).config_toml or ""
    except InputError:
        return ""


def _beginning(
    results: MeasuredSet, compared: Sequence[PairedComparison], experiment: Mapping[str, Any]
) -> list[Block | None]:
    level, found = level_of(results), remarks(results)
    shown = [each.panel() for each in compared] or compared_with_first(results)
    look = len(shown) > 0 and results.points["repeat"].n_unique() == 1
    caption = "" if look else "Medians of the repeats, paired by repeat; lines are 95 % intervals."
    if compared:
        caption += (
            " ◇: a simpler control over the same baseline. Below write amplification: what it is, under "
        )
        caption += "the baseline and under the first scheme."
    return beginning(
        str(experiment.get("about", "")),
        answer_of_pairs(shown) if compared else opening(results),
        [each for each in found if each.severity not in GRAVE],
        level="neutral" if look and level == "trustworthy" else level,
        said=LOOK if look else LEVELS[level],
        grave=[
            Text(not_collected(results), name="not-collected"),
            Notes([each for each in found if each.severity in GRAVE]),
        ],
        compared=shown,
        caption=caption,
        names=names_of(experiment, values(results.points, "scheme")),
    )


def _charts(drawn: Iterable[ReportFigure]) -> list[Block]:
    return [block for each in drawn for block in (Title(each.title), each.caption, each.chart)]


def _rows(table: Table) -> list[Block]:
    """A table, and what is folded of it."""
    first, rest = in_sight(table), folded(table)
    return [
        first if first.rows else Text(ALIKE),
        Fold(f"{len(rest.rows)} more row{'s' if len(rest.rows) > 1 else ''}", [rest]),
    ]


def _comparison(number: int, each: PairedComparison) -> list[Block]:
    """The section of a comparison that the experiment names: latency, where the time went, and its table."""
    blocks: list[Block] = [Title(each.name, f"comparison-{number}"), Text(each.about), Text(each.busy())]
    for drawn in figures(each.results):
        if drawn.name in FIRST:
            chart = replace(drawn, name=f"comparison_{number}_{drawn.name}").chart
            blocks += [Title(drawn.title, rank=3), "" if number else drawn.caption, chart]
    rows = [block for table in tables(each.results)[0] for block in _rows(replace(table, title=""))]
    return [*blocks, Fold(f"{each.candidate} beside {each.baseline}, in figures", rows)]


def _summary(results: MeasuredSet, along: list[str]) -> list[Block]:
    """The tables of all schemes side by side."""
    tabled = at_first(results, along)
    (first, further), points = tables(tabled), results.points
    marks, against = legend([*first, *further]), values(points, "scheme")[0]
    at = ", ".join(f"{name_of(axis)} = {values(tabled.points, axis)[0]}" for axis in along)
    told = (
        f"At {at}: the charts above have the others, and reclaim results show has their tables. "
        if at
        else ""
    )
    told += (
        f"Ratios to {against}, paired by trace and repeat: geometric mean over traces, median of the repeats."
        if points["trace"].n_unique() > 1
        else f"Medians of the repeats; below them ratios to {against}, paired by repeat."
    )
    told += " Small: 95 % interval, where there are six repeats and they differ. "
    told += "Latency is from arrival to completion."
    if marks:
        told += (
            f" {marks}: what the verdict of some run says of it, or a percentile of which fewer than ten "
            "requests are slower; the reasons are at the top."
        )
    left_out = max(0, len(settings(tabled)) - MOST_SETTINGS)
    more = f"{left_out} further combinations of devices and axes have no table here; points.parquet has them."
    return [
        Title("Summary", "summary"),
        told,
        *(block for table in first[:1] for block in _rows(table)),
        *(Fold(table.title, _rows(replace(table, title=""))) for table in first[1:]),
        more if left_out else "",
        Fold("Trace by trace", [block for table in further for block in _rows(table)]),
    ]


def document(results: MeasuredSet) -> Document:
    """Give the report on a set."""
    experiment, table = experiment_file(results)
    compared = comparisons(results, table)
    # Side by side, all schemes at once would be what the experiment asks not to show.
    drawn = [] if compared else figures(results)
    first = [each for each in drawn if each.name in FIRST or each.name.startswith("axis_")]
    differing = differences(results)
    first_point = " · ".join(results.points.select("device", "trace", "scheme").row(0))
    command = f"reclaim sweep experiment.toml -o {results.name}"
    one = [
        Title("To run it again"),
        "Each point's folder has the configuration that it ran with:",
        Source("reclaim run TRACE --device points/ID/config.toml", "command"),
    ]
    return Document(
        results.name,
        [
            *_beginning(results, compared, table),
            *(block for number, each in enumerate(compared) for block in _comparison(number, each)),
            *_charts(first),
            *([] if compared else _summary(results, drawn_axes(results, drawn))),
            *_charts(each for each in drawn if each not in first),
            Title("What ran"),
            Table(("", ""), _what_ran(results), name="what-ran", kind="entries"),
            Title("Configuration"),
            "Settings in which points differ." if differing else "",
            Table((Column("", code=True), ""), differing, name="differences", kind="entries"),
            Fold(f"All settings of {first_point}", [Source(_config(results))]),
            *(again(command, experiment) if experiment else one),
        ],
    )


def write_report(results: MeasuredSet, path: Path) -> Path:
    """Write the report to a file and return its path.

    Raises:
        InputError: if it cannot be written, or is there and Reclaim did not draw it.
    """
    return write(document(results), path)
