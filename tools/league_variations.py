"""A league again under other conditions, nothing tuned anew: at other paces, and all from the same start."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from league_cells import LeagueCell, marks, tuned
from league_figures import BESIDE, COMPOSED, compared, paired, reference
from league_pace import PACE
from reclaim.errors import InputError
from reclaim.experiment.experiment import Experiment
from reclaim.parsing import to_toml
from reclaim.result.sets import ResultSet
from reclaim.study.study import RunOptions
from reclaim.study.sweep import Sweep

PACES = {"half": 1 / 2, "faster": 4 / 3}
"""By what the pace is multiplied: about as much changes the share of the time in which dies work."""
SAME = "same-start"
"""All drives are prepared by the scheme that others are compared with, as it is."""
HARD = "hard-off"
"""One setting that was found, alone: every scheme as it is, but collection never goes before the host."""
FIRST_COME = "first-come"
"""Nobody goes first, reads no more than collection: the named scheme of that name on top of each."""
NAMES = (*PACES, SAME, FIRST_COME, HARD)


def experiments(cells: Sequence[LeagueCell], base: Path) -> dict[str, dict[str, Any]]:
    """Give the experiments of a drive: schemes that found something, and what they are compared with.

    Args:
        cells: of one drive and league.
        base: where device files are.
    """
    done = [each for each in cells if not each.missing]
    first = reference(done)
    there = [each for each in done if each.result["found"] is not None or each is first]
    table = there[0].experiment.table
    judged = table["tune"]["judge_on"]["traces"]
    table = {key: value for key, value in table.items() if key != "tune"}
    table["devices"] = [str(base / each) for each in table["devices"]]
    traces = [each for each in table["traces"] if each["name"] in judged and PACE in each.get("set", {})]
    start = dict(table["set"]) | {"warmup.scheme": first.experiment.table["schemes"][0]["schemes"][0]}
    made = {
        name: table | {"traces": [_paced(each, factor) for each in traces]} for name, factor in PACES.items()
    } | {
        SAME: table | {"traces": traces, "set": start},
        FIRST_COME: table | {"traces": traces},
        HARD: table | {"traces": traces},
    }
    untuned = [each for each in done if each is not first and each.family != COMPOSED]
    for name, each in made.items():
        each["name"] = f"{cells[0].drive_name}, {name}"
        entries = [tuned(first), *map(_never_urgent, untuned)] if name == HARD else list(map(tuned, there))
        if name == FIRST_COME:
            entries = [entry | {"schemes": [*entry["schemes"], FIRST_COME]} for entry in entries]
        each["schemes"] = [entry for entry in entries if _is_possible(each | {"schemes": [entry]})]
    return made


def _never_urgent(cell: LeagueCell) -> dict[str, Any]:
    (entry,) = cell.experiment.table["schemes"]
    return dict(entry) | {"set": dict(entry.get("set", {})) | {"gc.trigger.hard": "off"}}


def _paced(trace: Mapping[str, Any], factor: float) -> dict[str, Any]:
    return dict(trace) | {"set": dict(trace["set"]) | {PACE: trace["set"][PACE] * factor}}


def _is_possible(table: Mapping[str, Any]) -> bool:
    """Whether a scheme can start so: drives that program otherwise cannot be prepared by others."""
    try:
        points = Experiment.from_dict(dict(table)).points()
    except InputError:
        return False
    return not any(each.refused for each in points)


def run(cells: Sequence[LeagueCell], folder: Path, base: Path, how: RunOptions, names: Sequence[str]) -> None:
    """Run the variations of these names, or go on with them."""
    for name, table in experiments(cells, base).items():
        if name in names:
            place = folder / name
            place.parent.mkdir(parents=True, exist_ok=True)
            file = place.with_suffix(".toml")
            file.write_text(to_toml(table), encoding="utf-8")
            Sweep(Experiment.load(file)).run(place, how)


def results(folder: Path, metric: str, first: str) -> dict[str, list[dict[str, Any]]]:
    """Compare every scheme with the first one, in each variation that was run.

    Args:
        folder: where they are.
        metric: of what.
        first: what others are compared with.
    """
    found = {}
    for name in NAMES:
        place = folder / name
        if not (place / "points.parquet").is_file():
            continue
        cells = _cells(place, Experiment.load(place.with_suffix(".toml")), metric)
        (ours,) = (each for each in cells if each.scheme == first)
        others = [each for each in cells if each is not ours]
        against = compared([(each, ours) for each in others])
        found[name] = [
            {"scheme": each.scheme, "by_workload": _by_workload(each, ours, metric), **told}
            for each, told in zip(others, against, strict=True)
        ]
    return found


def _by_workload(cell: LeagueCell, other: LeagueCell, metric: str) -> dict[str, float | None]:
    """Give the ratio of every workload by itself."""
    found: dict[str, float | None] = {}
    for name, values in other.values(metric).items():
        mine = {name: cell.values(metric).get(name, [])}
        sample = paired(mine, {name: values}) if len(mine[name]) == len(values) else None
        found[name] = None if sample is None else float(f"{math.exp(sample.mean):.4g}")
    return found


def _cells(place: Path, experiment: Experiment, metric: str) -> list[LeagueCell]:
    points = ResultSet.load(place).points
    cells = []
    for scheme in experiment.parts.schemes:
        mine = points.filter(pl.col("scheme") == scheme.name).sort("trace", "repeat")
        result: dict[str, Any] = {"judged": [], "objectives": [metric], "found": None, "values_as_it_is": {}}
        for name in (metric, *BESIDE):
            by_trace = mine.group_by("trace", maintain_order=True).agg(pl.col(name))
            result["values_as_it_is"][name] = dict(by_trace.iter_rows())
        marked: dict[str, int] = {}
        for trace, point in mine.select("trace", "point").iter_rows():
            marked[trace] = marked.get(trace, 0) + marks(place, point, metric)
        cells.append(LeagueCell("", "", scheme.name, "", experiment, "", [], result, marked))
    return cells
