"""What follows a league: the best composition taken apart, and moved; and all schemes under other conditions.

It writes experiments for `reclaim ablate` and `reclaim sensitivity`, runs them if asked to, and reads what
they found.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import league_variations
from league_cells import LeagueCell, tuned
from league_figures import COMPOSED, FEWEST, PLAIN, objective, paired, reference
from reclaim.errors import InputError
from reclaim.experiment.experiment import Experiment
from reclaim.parsing import to_toml
from reclaim.study.ablation.ablate import AblationStudy
from reclaim.study.sensitivity.sensitivity import SensitivityStudy
from reclaim.study.study import RunOptions

FOLDER = "after"
ABLATE, SENSITIVITY = "ablate", "sensitivity"
STUDIES: dict[str, type[AblationStudy | SensitivityStudy]] = {
    ABLATE: AblationStudy,
    SENSITIVITY: SensitivityStudy,
}
NAMES = (*league_variations.NAMES, ABLATE, SENSITIVITY)
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


def best(cells: Sequence[LeagueCell], family: str) -> LeagueCell | None:
    """Give the cell of a family that has the lowest objective where it was judged.

    What keeps no limits is left out, and that of which most runs do not bear the figure.

    Args:
        cells: of one drive.
        family: whose.
    """
    there = [each for each in cells if not each.missing]
    mine = [each for each in there if each.family == family and each.result["found"] is not None]
    mine = [each for each in mine if is_borne(each)]
    if not mine:
        return None
    first = reference(there)

    def to_first(cell: LeagueCell) -> float:
        sample = paired(cell.values(objective(cell)), first.values(objective(cell)))
        return float("inf") if sample is None else sample.mean

    return min(mine, key=to_first)


def is_borne(cell: LeagueCell) -> bool:
    """Whether most of the runs that a cell is judged by bear its figure."""
    judged = sum(len(values) for values in cell.values(objective(cell)).values())
    return 2 * sum(cell.marked.values()) <= judged


def experiments(composed: LeagueCell, plain: LeagueCell, base: Path) -> dict[str, dict[str, Any]]:
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
            "name": f"{composed.drive_name}, taken apart",
            "traces": [kept[0], kept[-1]],
            "schemes": ["greedy", mine],
            "ablate": {
                "baseline": "greedy",
                "candidate": mine["name"],
                "metrics": [metric, "gc_write_amplification"],
                "parts": parts,
            },
        },
        SENSITIVITY: table
        | {
            "name": f"{composed.drive_name}, moved",
            "traces": [kept[0], kept[-1]],
            "schemes": [other, mine],
            "sensitivity": {"metrics": metric, "keys": list(MOVED), "combinations": 0, "budget": POINTS},
        },
    }


def write(cells: Sequence[LeagueCell], folder: Path, base: Path) -> None:
    """Write the experiments of every drive that has a composition, and repeats enough for intervals."""
    for mine in _drives(cells):
        ours, plain = best(mine, COMPOSED), best(mine, PLAIN)
        if ours is None or plain is None or ours.experiment.parts.repeats.count < FEWEST:
            continue
        place = folder / mine[0].drive_name / FOLDER
        place.mkdir(parents=True, exist_ok=True)
        for name, table in experiments(ours, plain, base).items():
            (place / f"{name}.toml").write_text(to_toml(table), encoding="utf-8")


def run(cells: Sequence[LeagueCell], folder: Path, base: Path, how: RunOptions, names: Sequence[str]) -> None:
    """Run what follows of these names, or go on with it; what no scheme can do is left out."""
    for mine in _drives(cells):
        place = folder / mine[0].drive_name / FOLDER
        league_variations.run(mine, place, base, how, names)
        for name, study in STUDIES.items():
            file = place / f"{name}.toml"
            if name in names and file.is_file():
                _study(study, file, place / name, how)


def _study(study: type[AblationStudy | SensitivityStudy], file: Path, folder: Path, how: RunOptions) -> None:
    """Run one, or go on with it; of points that fail, what was found says so, and the league goes on."""
    try:
        study(Experiment.load(file)).run(folder, how)
    except InputError as error:
        sys.stderr.write(f"{error}\n")


def _drives(cells: Sequence[LeagueCell]) -> list[list[LeagueCell]]:
    """Give the cells of the first league of each drive."""
    first = [each for each in cells if each.league == cells[0].league]
    return [
        [each for each in first if each.drive == drive]
        for drive in dict.fromkeys(each.drive for each in first)
    ]


def results(folder: Path, metric: str, firsts: Mapping[str, str]) -> dict[str, Mapping[str, Any]]:
    """Read what was found, by drive: conclusions, and all schemes under other conditions.

    Args:
        folder: of the league.
        metric: of what.
        firsts: what others are compared with, by drive.
    """
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
            mine["from"], mine["to"] = document["baseline"], document["candidate"]
        moved = place / SENSITIVITY / "sensitivity" / "result.json"
        if moved.is_file():
            mine[SENSITIVITY] = json.loads(moved.read_text(encoding="utf-8"))["conclusion"]
        if place.parent.name in firsts:
            mine["varied"] = league_variations.results(place, metric, firsts[place.parent.name])
        found[place.parent.name] = mine
    return found
