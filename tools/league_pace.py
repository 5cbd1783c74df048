"""How fast the traces of a league are played on a drive: found once, and the same for every scheme."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from reclaim.experiment.experiment import Experiment
from reclaim.study.study import RunOptions
from reclaim.study.sweep import Sweep

AIM, OF, PACE = "host.target_total_utilisation", "host.target_scheme", "host.time_scale"
LEFT_OUT = ("tune", "axes", "repeats")
DIGITS = 6


def is_aimed_at(table: Mapping[str, Any]) -> bool:
    """Whether an experiment asks for a utilisation in total, which takes some runs of every trace to find."""
    return AIM in table.get("set", {})


def found(table: Mapping[str, Any], scheme: str, base: Path, folder: Path) -> dict[str, float]:
    """Find the pace of every trace under a scheme as it is; what cannot be found is left out.

    Args:
        table: the experiment, of one drive.
        scheme: who sets the pace.
        base: where the files are that it names.
        folder: where runs are stored, and found again.
    """
    settings = dict(table["set"]) | {OF: scheme}
    plain = {key: value for key, value in table.items() if key not in LEFT_OUT}
    plain |= {"schemes": [scheme], "set": settings, "name": f"{table['name']}, pace"}
    experiment = Experiment.from_dict(plain, base=base)
    Sweep(experiment).run(folder, RunOptions(workers=1))
    paces = {}
    for point in experiment.points():
        file = folder / "points" / point.id / "results.json"
        if file.is_file():
            pace = json.loads(file.read_text(encoding="utf-8"))["config"]["host"]["time_scale"]
            paces[point.trace] = float(f"{pace:.{DIGITS}g}")
    return paces


def paced(table: Mapping[str, Any], paces: Mapping[str, float]) -> dict[str, Any]:
    """Give the experiment with a pace for each trace in place of the utilisation."""
    settings = {key: value for key, value in table["set"].items() if key not in (AIM, OF)}
    traces = [
        dict(each) | {"set": dict(each.get("set", {})) | {PACE: paces[each["name"]]}}
        for each in table["traces"]
        if each["name"] in paces
    ]
    tune = dict(table["tune"])
    for key in ("tune_on", "judge_on"):
        kept = [each for each in tune[key]["traces"] if each in paces]
        tune[key] = dict(tune[key]) | {"traces": kept}
    return dict(table) | {"set": settings, "traces": traces, "tune": tune}
