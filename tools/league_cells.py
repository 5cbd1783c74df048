"""The cells of a league: one scheme on one drive, tuned and judged."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import league_pace
from reclaim.errors import InputError
from reclaim.experiment.experiment import Experiment
from reclaim.result.verdict import Verdict
from reclaim.study.runs import Outcome
from reclaim.study.study import RunOptions
from reclaim.study.tuning.plan import Prepared
from reclaim.study.tuning.space import AS_IS, At, SearchSpace
from reclaim.study.tuning.tune import TuningStudy

SCHEMES = "schemes.toml"
OURS = ("family", "tune", "drives", "otherwise")
"""Keys of an entry of this that are no keys of an experiment's scheme."""
LEFT = "left out for want of time (schemes.toml)"
UNPLAYED = "too few workloads can be played at this load to tune on some and judge on others"
By = Mapping[str, Sequence[float | None]]
"""Figures of the repeats by workload."""


@dataclass
class LeagueCell:
    """A scheme on a drive."""

    league: str
    drive: str
    scheme: str
    family: str
    experiment: Experiment
    missing: str = ""
    """Why there is no figure; empty where there is."""
    without: list[str] = field(default_factory=list)
    """Workloads that the drive cannot play at the load."""
    result: dict[str, Any] = field(default_factory=dict)
    marked: dict[str, int] = field(default_factory=dict)
    """How many of the repeats that it is judged by speak against the objective, by workload."""
    seconds: float = 0.0
    """What its runs took, one after the other."""

    @property
    def drive_name(self) -> str:
        """Name the drive as its file is named, wherever that is."""
        return Path(self.drive).stem

    @property
    def folder(self) -> Path:
        """Where it is stored, below the folder of the league."""
        slug = re.sub(r"[^a-z0-9]+", "-", self.scheme.lower()).strip("-")
        return Path(self.drive_name) / slug

    @property
    def found(self) -> dict[str, str]:
        """Settings in which what was found differs from the scheme as it is."""
        return dict((self.result["found"] or {}).get("set", {}))

    def values(self, metric: str) -> By:
        """Give the figures of what was found, where it was judged; of the scheme as it is if nothing was."""
        for each in self.result["judged"]:
            if each["is_found"] and metric in each["metrics"]:
                return dict(each["metrics"][metric]["values"])
        return self.as_it_is(metric)

    def as_it_is(self, metric: str) -> By:
        """Give the figures of the scheme as it is, where it was judged."""
        return dict(self.result["values_as_it_is"].get(metric, {}))

    def reached(self) -> Mapping[str, float]:
        """Give what each constraint's metric is where it was judged, on the workload where it is worst."""
        judged = next((each for each in self.result["judged"] if each["is_found"]), None)
        return dict(self.result["reached_as_it_is"] if judged is None else judged["reached"])


def cells(
    file: Path, drives: Sequence[str], folder: Path | None = None, without: Sequence[str] = ()
) -> Iterator[LeagueCell]:
    """Make the tunings of a league: the experiment of a file, of every scheme on every drive.

    Args:
        file: the league.
        drives: device files, seen from its folder; none: those of the file.
        folder: where the runs are that find how fast traces are played; without it, and where no trace can be
            played so, that is left as it is asked for.
        without: families that are left out.

    Raises:
        InputError: for a file that is no experiment.
    """
    table = tomllib.loads(file.read_text(encoding="utf-8"))
    listed = tomllib.loads((file.parent / SCHEMES).read_text(encoding="utf-8"))["league"]
    for drive in drives or table["devices"]:
        for league in listed:
            base = table | {"devices": [drive], "set": dict(table.get("set", {})) | league.get("set", {})}
            paces: Mapping[str, float] = {}
            wanted = [each for each in league["schemes"] if _runs_on(each, drive)]
            if folder is not None and wanted and league_pace.is_aimed_at(table):
                place = folder / Path(drive).stem / f"pace-{league['start']}"
                paces = league_pace.found(base, league["start"], file.parent, place)
            for scheme in league["schemes"]:
                if scheme["family"] in without:
                    continue
                entry = {key: value for key, value in scheme.items() if key not in OURS}
                made = base | {"schemes": [entry], "name": f"{table['name']}, {scheme['name']}"}
                made["tune"] = dict(made["tune"]) | scheme.get("tune", {})
                lost = [each["name"] for each in made["traces"] if each["name"] not in paces]
                playable = all(
                    set(paces) & set(made["tune"][key]["traces"]) for key in ("tune_on", "judge_on")
                )
                if playable:
                    made = league_pace.paced(made, paces)
                experiment = Experiment.from_dict(_started(made, league["start"]), base=file.parent)
                cell = LeagueCell(league["name"], drive, scheme["name"], scheme["family"], experiment)
                if playable and lost:
                    cell.without = lost
                if scheme not in wanted:
                    cell.missing = scheme.get("otherwise", LEFT)
                elif paces and not playable:
                    cell.missing = UNPLAYED
                yield cell


def _runs_on(scheme: Mapping[str, Any], drive: str) -> bool:
    return Path(drive).name in scheme.get("drives", [Path(drive).name])


def _started(table: dict[str, Any], start: str) -> dict[str, Any]:
    """The same with the scheme that prepares the drive of this league where all start from one."""
    axes = {
        name: {group: _prepared(settings, start) for group, settings in groups.items()}
        if isinstance(groups, Mapping)
        else groups
        for name, groups in table.get("axes", {}).items()
    }
    return table | ({"axes": axes} if axes else {})


def _prepared(settings: Mapping[str, Any], start: str) -> dict[str, Any]:
    return dict(settings) | ({"warmup.scheme": start} if "warmup.scheme" in settings else {})


def prepared(cell: LeagueCell) -> Prepared | None:
    """Prepare a tuning; note why there is none."""
    if cell.missing:
        return None
    try:
        return Prepared(cell.experiment)
    except InputError as error:
        cell.missing = reason(str(error))
        return None


def reason(text: str) -> str:
    """Take the reason out of a message.

    >>> reason('experiment:7: tune: "gc-bypass" cannot run on a as it is: it needs a mesh')
    'it needs a mesh'
    >>> reason('experiment:15: schemes[1].set."flash.program_unit": geometry: too few blocks')
    'geometry: too few blocks'
    """
    for before in (" as it is: ", " to tune by: ", '": '):
        text = text.rpartition(before)[2]
    return text.partition("\n")[0]


def run(cell: LeagueCell, folder: Path, options: RunOptions) -> None:
    """Tune a scheme, or go on with it; note why it cannot be."""
    place, plan = folder / cell.folder, prepared(cell)
    if plan is None:
        return
    try:
        TuningStudy(plan.experiment).run(place, options)
    except InputError as error:
        cell.missing = reason(str(error))
        return
    log = (place / "log.jsonl").read_text(encoding="utf-8").splitlines()
    cell.result = json.loads((place / "tune" / "result.json").read_text(encoding="utf-8"))
    cell.marked = _marked(cell, plan, place)
    cell.seconds = sum(json.loads(line).get("seconds", 0.0) for line in log)


def tuned(cell: LeagueCell) -> dict[str, Any]:
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


def place_of(space: SearchSpace, values: Mapping[str, str]) -> At:
    """Give the combination that has these values, and others as the scheme is."""
    return tuple(
        each.values.index(values[each.key]) if each.key in values else AS_IS for each in space.parameters
    )


def _marked(cell: LeagueCell, plan: Prepared, folder: Path) -> dict[str, int]:
    """Count the runs of what was found whose verdict speaks against the objective."""
    at, metric = place_of(plan.space, cell.found), plan.entry.objective[0]
    found: dict[str, int] = {}
    for label, repeat in plan.judged:
        point = plan.points.of(plan.run_of(at, (label, repeat)))
        found[label] = found.get(label, 0) + marks(folder, point.id, metric)
    return found


def marks(folder: Path, point: str, metric: str) -> bool:
    """Whether the verdict of a stored run speaks against a metric, with a warning or a doubt."""
    text = (folder / "points" / point / "results.json").read_text(encoding="utf-8")
    outcome = Outcome(point, verdict=Verdict.of(json.loads(text)["verdict"]))
    return outcome.concerning(metric) in ("warning", "doubt")
