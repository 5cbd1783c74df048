"""What follows a league: the best composition taken apart, moved, and at half the pace.

It writes experiments for `reclaim ablate`, `sensitivity` and `sweep`, and reads what these found.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from league_cells import Cell, marks
from league_figures import BESIDE, COMPOSED, CONTROL, FEWEST, PLAIN, compared, objective, paired
from league_pace import PACE
from reclaim.bench.experiment import Experiment
from reclaim.bench.toml import to_toml
from reclaim.results.sets import ResultSet

FOLDER = "after"
ABLATE, SENSITIVITY, HALF = "ablate", "sensitivity", "half"
MOVED = (
    "scheduler",
    "gc.trigger.start",
    "gc.trigger.hard",
    "gc.pages_in_flight",
    "flash.suspend.limit",
    "warmup.kind",
    "host.time_scale",
    "geometry.spare_factor",
    "ftl.gc_frontier",
)
"""What is moved: who goes first, load, start, fullness, and what collection is told."""
POINTS = "200 points"
WHEN = ["gc.trigger", "gc.pages_in_flight", "ftl.gc_frontier", "ftl.allocation"]
"""Settings that are one part: when collection starts and stops, and how much it does at once."""


def best(cells: Sequence[Cell], family: str) -> Cell | None:
    """Give the cell of a family that has the lowest objective where it was judged.

    What keeps no limits is left out, and that of which most runs do not bear the figure.

    Args:
        cells: of one drive, the one that others are compared with first.
        family: whose.
    """
    there = [each for each in cells if not each.missing]
    mine = [each for each in there if each.family == family and each.result["found"] is not None]
    mine = [each for each in mine if is_borne(each)]
    if not mine:
        return None

    def to_first(cell: Cell) -> float:
        sample = paired(cell.values(objective(cell)), there[0].values(objective(cell)))
        return float("inf") if sample is None else sample.mean

    return min(mine, key=to_first)


def is_borne(cell: Cell) -> bool:
    """Whether most of the runs that a cell is judged by bear its figure."""
    judged = sum(len(values) for values in cell.values(objective(cell)).values())
    return 2 * sum(cell.marked.values()) <= judged


def tuned(cell: Cell) -> dict[str, Any]:
    """Give the scheme that was found, as an experiment names it."""
    (entry,) = cell.experiment.table["schemes"]
    found = {key: _value(text) for key, text in cell.found.items()}
    return dict(entry) | {"set": dict(entry.get("set", {})) | found}


def _value(text: str) -> Any:
    """Read what `--set` takes.

    >>> _value("4"), _value("5.7%"), _value('{ kind = "channels" }')
    (4, '5.7%', {'kind': 'channels'})
    """
    try:
        return tomllib.loads(f"x = {text}")["x"]
    except tomllib.TOMLDecodeError:
        return text


def experiments(composed: Cell, plain: Cell, base: Path) -> dict[str, dict[str, Any]]:
    """Give what takes a composition apart, from greedy as it is on, and what moves it beside a plain scheme.

    Args:
        composed: what is looked at.
        plain: what it has to beat.
        base: where device files are.
    """
    table = {key: value for key, value in composed.experiment.table.items() if key != "tune"}
    judged = composed.experiment.table["tune"]["judge_on"]["traces"]
    metric = objective(composed)
    kept = [each for each in table["traces"] if each["name"] in judged]
    table |= {"devices": [str(base / each) for each in table["devices"]], "traces": kept}
    mine, other = tuned(composed), tuned(plain)
    when = [key for key in WHEN if any(f"{each}.".startswith(f"{key}.") for each in mine["set"])]
    parts = {"suspension": ["flash.suspend"]} | ({"when and how much": when} if when else {})
    return {
        ABLATE: table
        | {
            "name": f"{composed.drive}, taken apart",
            "traces": [kept[0], kept[-1]],
            "schemes": ["greedy", mine],
            "ablate": {
                "from": "greedy",
                "to": mine["name"],
                "metrics": [metric, "gc_write_amplification"],
                "parts": parts,
            },
        },
        SENSITIVITY: table
        | {
            "name": f"{composed.drive}, moved",
            "traces": [kept[0], kept[-1]],
            "schemes": [other, mine],
            "sensitivity": {"metric": metric, "keys": list(MOVED), "combinations": 0, "budget": POINTS},
        },
    }


def half(chosen: Sequence[Cell], base: Path) -> dict[str, Any]:
    """Give all of them at half the pace, as they were tuned."""
    first = chosen[0].experiment.table
    judged = first["tune"]["judge_on"]["traces"]
    traces = [
        dict(each) | {"set": dict(each["set"]) | {PACE: each["set"][PACE] / 2}}
        for each in first["traces"]
        if each["name"] in judged and PACE in each.get("set", {})
    ]
    table = {key: value for key, value in first.items() if key != "tune"}
    return table | {
        "name": f"{chosen[0].drive}, at half the pace",
        "devices": [str(base / each) for each in first["devices"]],
        "traces": traces,
        "schemes": [tuned(each) for each in chosen],
    }


def at_half(place: Path, metric: str) -> list[dict[str, Any]]:
    """Compare the first scheme with every other one at half the pace."""
    experiment = Experiment.load(place / f"{HALF}.toml")
    points = ResultSet.load(place / HALF).points
    cells = []
    for scheme in experiment.parts.schemes:
        mine = points.filter(pl.col("scheme") == scheme.name).sort("trace", "repeat")
        result: dict[str, Any] = {"judged": [], "objectives": [metric], "found": None, "values_as_it_is": {}}
        for name in (metric, *BESIDE):
            by_trace = mine.group_by("trace", maintain_order=True).agg(pl.col(name))
            result["values_as_it_is"][name] = dict(by_trace.iter_rows())
        marked: dict[str, int] = {}
        for trace, point in mine.select("trace", "point").iter_rows():
            told = marks(place / HALF, point, metric)
            marked[trace] = marked.get(trace, 0) + told
        cells.append(Cell("", "", scheme.name, "", experiment, "", [], result, marked))
    ours, *others = cells
    found = compared([(ours, each) for each in others])
    return [{"rival": other.scheme, **each} for other, each in zip(others, found, strict=True)]


def write(cells: Sequence[Cell], folder: Path, base: Path) -> None:
    """Write the experiments of every drive that has a composition, and repeats enough for intervals."""
    for drive in dict.fromkeys(each.drive for each in cells):
        mine = [each for each in cells if each.drive == drive and each.league == cells[0].league]
        ours, plain = best(mine, COMPOSED), best(mine, PLAIN)
        if ours is None or plain is None or ours.experiment.parts.repeats.count < FEWEST:
            continue
        place = folder / drive.removesuffix(".toml") / FOLDER
        place.mkdir(parents=True, exist_ok=True)
        papers: dict[str, Cell] = {}
        for each in mine:
            if each.family not in (COMPOSED, CONTROL, PLAIN) and not each.missing:
                papers.setdefault(each.family, each)
        rivals = [plain, *papers.values()]
        made = experiments(ours, plain, base) | {HALF: half([ours, *rivals], base)}
        for name, table in made.items():
            (place / f"{name}.toml").write_text(to_toml(table), encoding="utf-8")


def results(folder: Path, metric: str) -> dict[str, Mapping[str, Any]]:
    """Read what was found, by drive: conclusions, and comparisons at half the pace."""
    found: dict[str, Mapping[str, Any]] = {}
    for place in sorted(folder.glob(f"*/{FOLDER}")):
        mine: dict[str, Any] = {}
        apart = place / ABLATE / "ablation" / "ablation.json"
        if apart.is_file():
            document = json.loads(apart.read_text(encoding="utf-8"))
            mine[ABLATE] = [
                {
                    "metric": each["metric"],
                    "conclusion": each["conclusion"],
                    "total": each["overall"]["total"],
                    "rows": each["overall"]["rows"],
                }
                for each in document["metrics"]
            ]
            mine["from"], mine["to"] = document["from"], document["to"]
        moved = place / SENSITIVITY / "sensitivity" / "result.json"
        if moved.is_file():
            mine[SENSITIVITY] = json.loads(moved.read_text(encoding="utf-8"))["conclusion"]
        if (place / HALF / "points.parquet").is_file():
            mine[HALF] = at_half(place, metric)
            mine["ours"] = Experiment.load(place / f"{HALF}.toml").parts.schemes[0].name
        found[place.parent.name] = mine
    return found
