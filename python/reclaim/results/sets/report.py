"""The report of a set: one HTML file that opens anywhere, offline."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reclaim import output_file
from reclaim.errors import InputError
from reclaim.report.html import inline_json, render_page
from reclaim.results.sets.axis_scale import name_of
from reclaim.results.sets.comparison_report import overview, sections, specs
from reclaim.results.sets.comparisons import comparisons, experiment_file
from reclaim.results.sets.measured import Measured
from reclaim.results.sets.opening import opening
from reclaim.results.sets.remarks import level_counts, level_of, named, remarks
from reclaim.results.sets.report_figures import FIRST, drawn_axes, figures
from reclaim.results.sets.report_tables import MOST_SETTINGS, legend, not_collected, settings, tables
from reclaim.results.sets.selection import at_first, values

LEVELS_OF_POINTS = {
    "trustworthy": "trustworthy",
    "not-established": "with figures that are not established",
    "not-trustworthy": "not trustworthy",
}
MOST_NAMED = 3
"""Perturbations that are listed."""
MOST_SURVEYED = 200
"""Points whose configuration is compared."""


@dataclass(frozen=True)
class Difference:
    """A setting that is not the same in all points."""

    key: str
    values: list[tuple[str, str]]
    """Each value, and which points have it."""


def _flat(values_of: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    for key, value in values_of.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{key}.")
        else:
            yield prefix + key, value if isinstance(value, str) else json.dumps(value)


def differences(results: Measured) -> list[Difference]:
    """Settings in which the points differ, and what has which; repeats are of one configuration."""
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
        for key, value in _flat(config):
            found.setdefault(key, {}).setdefault(value, []).append(row["point"])
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
            told.append((value, ", ".join(parts)))
        differing.append(Difference(key, told))
    return differing


def _what_ran(results: Measured) -> list[tuple[str, str]]:
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


def _config(results: Measured) -> str:
    """The configuration of the first point; empty where it cannot be read."""
    try:
        return results.results(str(results.points["point"].item(0))).config_toml or ""
    except InputError:
        return ""


def render(results: Measured) -> str:
    """HTML of the report on a set."""
    experiment, table = experiment_file(results)
    compared = comparisons(results, table)
    # Side by side, all schemes at once would be what the experiment asks not to show.
    drawn = [] if compared else figures(results)
    over, by_pair = overview(compared), sections(compared)
    along = drawn_axes(results, drawn)
    tabled = at_first(results, along)
    first, further = ([], []) if compared else tables(tabled)
    points = results.points
    return render_page(
        "set.html.j2",
        name=results.name,
        about=str(table.get("about", "")),
        what_ran=_what_ran(results),
        level=level_of(results),
        remarks=remarks(results),
        legend=legend([*first, *further]),
        against=values(points, "scheme")[0],
        several_traces=points["trace"].n_unique() > 1,
        not_collected=not_collected(results),
        tables=first,
        tables_of_traces=further,
        opening="" if compared else opening(results),
        overview=over,
        sections=by_pair,
        drawn_axes={name_of(axis): values(tabled.points, axis)[0] for axis in along},
        settings_left_out=0 if compared else max(0, len(settings(tabled)) - MOST_SETTINGS),
        first_figures=[each for each in drawn if each.name in FIRST or each.name.startswith("axis_")],
        further_figures=[
            each for each in drawn if each.name not in FIRST and not each.name.startswith("axis_")
        ],
        differences=differences(results),
        config=_config(results),
        first_point=points.select("device", "trace", "scheme").row(0),
        experiment=experiment,
        specs=inline_json({figure.name: figure.panels for figure in drawn} | specs(over, by_pair)),
    )


def write_report(results: Measured, path: Path) -> Path:
    """Write the report to a file and return its path.

    Raises:
        InputError: if it cannot be written, or is there and Reclaim did not draw it.
    """
    output_file.check_page(path)
    text = render(results)
    output_file.write_text(path, text)
    return path
